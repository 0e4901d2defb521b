//! What `#[tool]` makes of a struct.

use toolwright::contract::{Flags, ToolForm};
use toolwright::prelude::*;
use toolwright::schema::Schema;

/// Gives back what it is given.
///
/// Twice, if asked.
#[tool(read_only, concurrency_safe = |i| i.times.is_none(), aliases("echo", "Say"), max_result_chars = 100_000)]
#[derive(Debug, Clone)]
struct Echo {
    /// What to say.
    text: String,
    /// How often.
    #[serde(rename = "count")]
    times: Option<u32>,
}

impl Tool for Echo {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.text.repeat(self.times.unwrap_or(1) as usize))
    }
}

#[test]
fn a_form_says_what_the_struct_does() {
    let form = Echo::form();
    assert_eq!(
        (form.name.as_ref(), form.docs.as_ref()),
        ("Echo", "Gives back what it is given.\n\nTwice, if asked.")
    );
    assert_eq!(Echo::FIELDS, ["text", "count"]);
    let echo = Echo { text: String::new(), times: None };
    assert_eq!(echo.flags(), Flags { read_only: true, destructive: false, concurrency_safe: true });
    let schema = concat!(
        r#"{"type":"object","properties":{"text":{"type":"string","description":"What to say."},"#,
        r#""count":{"type":"integer","description":"How often.","minimum":0}},"#,
        r#""required":["text"],"additionalProperties":false}"#,
    );
    assert_eq!(Schema::of::<Echo>().text().as_ref(), schema);
}
