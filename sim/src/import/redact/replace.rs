//! Goes through a transcript.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;

use super::json::literals;
use super::pattern::Patterns;
use crate::transcript::{Content, Input, Json, Outcome, Transcript};

/// What was replaced: how many places there were of each kind of secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    /// Places by kind, such as `api-key`, `password`, `private-key`.
    pub places: BTreeMap<&'static str, usize>,
}

impl Redacted {
    /// How many places there were in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.places.values().sum()
    }
}

/// Replaces the secrets in every text of a transcript, and counts them.
pub fn redact(transcript: &mut Transcript) -> Redacted {
    let mut redactor =
        Redactor { patterns: Patterns::new(), known: BTreeMap::new(), done: Redacted::default() };
    redactor.optional(&mut transcript.header.cwd);
    for turn in &mut transcript.turns {
        redactor.optional(&mut turn.prompt);
        redactor.optional(&mut turn.text);
        for call in &mut turn.calls {
            match &mut call.input {
                Input::Json(json) => redactor.json(json),
                Input::Text(text) => redactor.text(text),
            }
            redactor.outcome(&mut call.outcome);
        }
    }
    redactor.done
}

struct Redactor {
    patterns: Patterns,
    /// The number of each secret of a kind.
    known: BTreeMap<&'static str, BTreeMap<String, usize>>,
    done: Redacted,
}

impl Redactor {
    fn outcome(&mut self, outcome: &mut Outcome) {
        match outcome {
            Outcome::Answered { content: Content::Text(text), .. }
            | Outcome::Denied { text, .. }
            | Outcome::Cancelled { text } => self.text(text),
            Outcome::Answered { content: Content::Blocks(blocks), .. } => {
                blocks.iter_mut().for_each(|block| self.json(block));
            }
            Outcome::Rejected { text, feedback } => {
                self.text(text);
                self.optional(feedback);
            }
            Outcome::Unanswered => {}
        }
    }

    fn optional(&mut self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn text(&mut self, text: &mut String) {
        if let Some(replaced) = self.replaced(text) {
            *text = replaced;
        }
    }

    /// Replaces within the strings of JSON; all else stays byte for byte.
    fn json(&mut self, json: &mut Json) {
        let raw = json.get();
        let mut replaced = String::new();
        let mut copied = 0;
        let mut under_secret = false;
        for literal in literals(raw) {
            // Behind a value that is no string comes the next field's name, which is no secret.
            let whole = under_secret && !literal.is_name && !literal.text.is_empty();
            let new =
                if whole { Some(self.mark("secret", &literal.text)) } else { self.replaced(&literal.text) };
            under_secret = literal.is_name && self.patterns.is_secret(&literal.text);
            let Some(new) = new else { continue };
            replaced.push_str(&raw[copied..literal.at.start]);
            replaced.push_str(&serde_json::to_string(&new).expect("a text serialises"));
            copied = literal.at.end;
        }
        if copied > 0 {
            replaced.push_str(&raw[copied..]);
            *json = Json::parse(&replaced).expect("a string of JSON was replaced by another");
        }
    }

    /// The text without its secrets; `None` when it has none.
    fn replaced(&mut self, text: &str) -> Option<String> {
        let mut current: Option<String> = None;
        for index in 0..self.patterns.kinds.len() {
            let kind = &self.patterns.kinds[index];
            let (name, spans) = (kind.name, spans(&kind.regex, current.as_deref().unwrap_or(text)));
            if spans.is_empty() {
                continue;
            }
            let from = current.take().unwrap_or_else(|| text.to_owned());
            let mut new = String::with_capacity(from.len());
            let mut copied = 0;
            for span in spans {
                new.push_str(&from[copied..span.start]);
                new.push_str(&self.mark(name, &from[span.clone()]));
                copied = span.end;
            }
            new.push_str(&from[copied..]);
            current = Some(new);
        }
        current
    }

    /// What stands for a secret.
    fn mark(&mut self, kind: &'static str, secret: &str) -> String {
        *self.done.places.entry(kind).or_default() += 1;
        let known = self.known.entry(kind).or_default();
        let next = known.len() + 1;
        let number = *known.entry(secret.to_owned()).or_insert(next);
        format!("{MARK}{kind} {number}]")
    }
}

/// How what stands for a secret begins; it is none itself.
const MARK: &str = "[redacted ";

/// Where the secrets of one kind are.
fn spans(regex: &Regex, text: &str) -> Vec<std::ops::Range<usize>> {
    let found = regex.captures_iter(text).filter_map(|captures| {
        captures.get_group_by_name("secret").or_else(|| captures.get_match().map(|found| found.span()))
    });
    found.map(|span| span.start..span.end).filter(|span| !text[span.clone()].starts_with(MARK)).collect()
}
