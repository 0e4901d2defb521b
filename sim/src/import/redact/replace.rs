//! Goes through a transcript.

use std::collections::BTreeMap;
use std::ops::Range;

use regex_automata::meta::Regex;

use super::json::{Behind, behind, literals};
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
            if let Some(allowed) = &mut call.allowed {
                redactor.optional(&mut allowed.rule);
            }
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

    /// Replaces within the strings of JSON, and numbers that are secrets; all else stays byte for byte.
    fn json(&mut self, json: &mut Json) {
        let raw = json.get();
        let mut replaced = String::new();
        let mut copied = 0;
        // Up to where every string is a secret, and whether the next one is.
        let (mut secret_until, mut is_next) = (0, false);
        for literal in literals(raw) {
            // Behind a value that is no string comes the next field's name, which is no secret.
            let is_whole = (is_next || literal.at.start < secret_until)
                && !literal.is_name
                && !literal.text.is_empty()
                && !literal.text.starts_with(MARK);
            let new = if is_whole {
                Some(self.mark("secret", &literal.text))
            } else {
                self.replaced(&literal.text)
            };
            let is_secret = literal.is_name && self.patterns.is_secret(&literal.text);
            is_next = is_secret || (!literal.is_name && self.patterns.is_flag(&literal.text));
            let mut put = |at: Range<usize>, new: &str| {
                replaced.push_str(&raw[copied..at.start]);
                replaced.push_str(&serde_json::to_string(new).expect("a text serialises"));
                copied = at.end;
            };
            if let Some(new) = new {
                put(literal.at.clone(), &new);
            }
            match is_secret.then(|| behind(raw, literal.at.end)) {
                Some(Behind::Number(at)) => put(at.clone(), &self.mark("secret", &raw[at])),
                Some(Behind::List(at)) => secret_until = at.end,
                Some(Behind::Other) | None => {}
            }
        }
        if copied > 0 {
            replaced.push_str(&raw[copied..]);
            *json = Json::parse(&replaced).expect("a value of JSON was replaced by a string");
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
fn spans(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    let found = regex.captures_iter(text).filter_map(|captures| {
        let named = |name| captures.get_group_by_name(name);
        if let Some(quoted) = named("quoted") {
            return Some(quoted);
        }
        let found = named("secret").or_else(|| named("bare"));
        match found {
            Some(found) => (!text[found.start..].starts_with('$')).then_some(found),
            None => captures.get_match().map(|found| found.span()),
        }
    });
    // A pattern may end at the space within a mark.
    let is_marked = |span: &Range<usize>| text[span.clone()].contains(MARK.trim_end());
    found.map(|span| span.start..span.end).filter(|span| !is_marked(span)).collect()
}
