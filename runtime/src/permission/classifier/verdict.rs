//! The answer of a model, read strictly: one JSON object and nothing beside it.

use serde::Deserialize;

use super::Assessment;

/// How many characters an answer may have.
const ANSWER_CHARS_MAX: usize = 4_000;
/// How many characters of a reason are passed on.
const REASON_CHARS_MAX: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    verdict: Word,
    reason: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Allow,
    Ask,
    Deny,
}

/// Reads an answer.
///
/// # Errors
/// Whatever is not exactly the object that was asked for.
pub(super) fn read(text: &str) -> Result<Assessment, String> {
    if text.len() > ANSWER_CHARS_MAX {
        return Err(format!("the answer has more than {ANSWER_CHARS_MAX} characters"));
    }
    let answer: Answer =
        serde_json::from_str(text.trim()).map_err(|error| format!("the answer cannot be read: {error}"))?;
    let reason: String = answer.reason.trim().chars().take(REASON_CHARS_MAX).collect();
    if reason.is_empty() {
        return Err("the answer gives no reason".to_owned());
    }
    Ok(match answer.verdict {
        Word::Allow => Assessment::Allow,
        Word::Ask => Assessment::Ask(reason),
        Word::Deny => Assessment::Deny(reason),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_object_that_was_asked_for_is_an_answer() {
        assert_eq!(read(r#"{"verdict":"allow","reason":"fine"}"#), Ok(Assessment::Allow));
        assert_eq!(
            read(" {\"verdict\":\"deny\",\"reason\":\" no \"}\n"),
            Ok(Assessment::Deny("no".to_owned()))
        );
        assert_eq!(read(r#"{"reason":"look","verdict":"ask"}"#), Ok(Assessment::Ask("look".to_owned())));
        for text in [
            "",
            "allow",
            "yes",
            "\"allow\"",
            "null",
            "[]",
            "{}",
            r#"{"verdict":"allow"}"#,
            r#"{"verdict":"allow","reason":""}"#,
            r#"{"verdict":"allow","reason":null}"#,
            r#"{"verdict":"Allow","reason":"x"}"#,
            r#"{"verdict":"maybe","reason":"x"}"#,
            r#"{"verdict":true,"reason":"x"}"#,
            r#"{"verdict":"allow","reason":"x","more":1}"#,
            r#"{"verdict":"deny","verdict":"allow","reason":"x"}"#,
            r#"{"verdict":"allow","reason":"x"} and so on"#,
            r#"{"verdict":"allow","reason":"x"}{"verdict":"deny","reason":"x"}"#,
            "```json\n{\"verdict\":\"allow\",\"reason\":\"x\"}\n```",
            "I think it is fine. {\"verdict\":\"allow\",\"reason\":\"x\"}",
            "{'verdict':'allow','reason':'x'}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let long = format!(r#"{{"verdict":"allow","reason":"{}"}}"#, "x".repeat(ANSWER_CHARS_MAX));
        assert!(read(&long).is_err());
    }
}
