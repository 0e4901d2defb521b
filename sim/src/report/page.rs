//! The page: one file, drawn in a browser from the report for programs that stands in it.
//!
//! Whatever a recording says is data in a block that no browser runs, with every character escaped that could end it.
//! Only the page's own script and styles are allowed, by their hashes, and nothing is fetched.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use toolwright::visible::{is_unseen, visible};

use super::case::Case;
use super::json::json;

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// The parts of the script, in the order in which they need one another.
const SCRIPTS: [&str; 7] = [
    include_str!("page/text.js"),
    include_str!("page/model.js"),
    include_str!("page/scale.js"),
    include_str!("page/state.js"),
    include_str!("page/rows.js"),
    include_str!("page/detail.js"),
    include_str!("page/main.js"),
];

/// The page of a case.
pub(super) fn page(case: &Case) -> String {
    let script = format!("\"use strict\";\n(() => {{\n{}\n}})();\n", SCRIPTS.join("\n"));
    let pieces = [
        ("style", STYLE.to_owned()),
        ("script", script.clone()),
        ("style-hash", hash(STYLE)),
        ("script-hash", hash(&script)),
        ("title", text(&case.title)),
        ("data", data(&json(case))),
    ];
    let mut out = String::with_capacity(FRAME.len() + STYLE.len() + script.len());
    // In one pass, so that a placeholder within data stays what it is.
    let mut rest = FRAME;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").expect("the frame closes its placeholders");
        let piece = pieces.iter().find(|(known, _)| *known == name);
        out.push_str(&piece.expect("the frame names known pieces").1);
        rest = after;
    }
    out + rest
}

/// A hash as a content security policy names it.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// A text between tags.
fn text(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON within a `script` element: what could end the element or hide from a reader is escaped as JSON escapes it. All of
/// these characters stand in strings.
fn data(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.trim_end().chars() {
        if matches!(c, '<' | '>' | '&') || (is_unseen(c) && !c.is_ascii()) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a string does not fail");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::Run;

    #[test]
    fn nothing_that_is_shown_can_end_the_element_it_stands_in_or_hide() {
        let hostile = "</script><script>alert(1)</script><!--&amp;\u{2028}\u{202e}\u{e0041}{{data}}";
        let case = Case::new(hostile).run(Run::new(hostile, Vec::new(), Vec::new()));
        let page = page(&case);
        assert_eq!(page.matches("</script>").count(), 2, "the data's and the script's own");
        assert!(page.chars().all(|c| c == '\n' || !is_unseen(c)), "nothing hides");
        let data = page.split_once("id=\"data\">").expect("the data stand in the page").1;
        let data = data.split_once("</script>").expect("they end").0;
        let read: Value = serde_json::from_str(data).expect("they are JSON");
        assert_eq!(read["title"], hostile, "and nothing of them is lost");
        assert_eq!(read["runs"][0]["name"], hostile);
    }

    #[test]
    fn the_page_needs_nothing_beside_itself() {
        let page = page(&Case::new("a case"));
        for word in ["http://", "https://", "src=", "@import", "url(", "fetch(", "import("] {
            // The names of the SVG elements' space is no address that is fetched.
            let page = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
    }
}
