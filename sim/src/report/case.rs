//! What is reported: one run, or two beside one another.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use toolwright::event::Stamped;
use toolwright::message::CallId;

use super::{chrome, json, mermaid, page};
use crate::check::Violation;
use crate::timeline::{Look, timeline};
use crate::transcript::{Input, Transcript};
use toolwright::visible::visible;

/// The forms a report can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A picture for a terminal.
    Text,
    /// A page that needs nothing beside itself.
    Html,
    /// The trace format that Chrome began, for Perfetto and `chrome://tracing`.
    Chrome,
    /// A Mermaid Gantt chart, for Markdown.
    Mermaid,
    /// All of it for programs.
    Json,
}

/// A run to report.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What it is called, such as `seed 7`.
    pub name: String,
    /// What else there is to say of it: names and values, in order.
    pub facts: Vec<(String, String)>,
    /// What it broke.
    pub violations: Vec<Violation>,
    /// Everything that happened, in order.
    pub events: Vec<Stamped>,
}

/// What is reported.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What it is about.
    pub title: String,
    /// The runs, the one that it is about first. A page shows at most two beside one another.
    pub runs: Vec<Run>,
    /// What the calls were given, as the model wrote it: events do not tell.
    pub inputs: BTreeMap<CallId, String>,
}

/// How many runs a page has room for.
pub(super) const RUNS_MAX: usize = 2;

impl Run {
    /// A run of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, events: Vec<Stamped>, violations: Vec<Violation>) -> Run {
        Run { name: name.into(), facts: Vec::new(), violations, events }
    }

    /// Something else to say of it.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Run {
        self.facts.push((name.into(), value.into()));
        self
    }
}

impl Case {
    /// A case of this title, without runs.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Case {
        Case { title: title.into(), ..Case::default() }
    }

    /// One more run.
    #[must_use]
    pub fn run(mut self, run: Run) -> Case {
        self.runs.push(run);
        self
    }

    /// What the calls of a recording were given.
    #[must_use]
    pub fn inputs_of(mut self, transcript: &Transcript) -> Case {
        self.inputs.extend(transcript.calls().map(|call| {
            let input = match &call.input {
                Input::Json(json) => json.get(),
                Input::Text(text) => text,
            };
            (CallId::new(call.id.as_str()), input.to_owned())
        }));
        self
    }

    /// The report in one of its forms.
    #[must_use]
    pub fn render(&self, form: Form, look: Look) -> String {
        match form {
            Form::Text => self.text(look),
            Form::Html => page::page(self),
            Form::Chrome => chrome::trace(self),
            Form::Mermaid => mermaid::gantt(self),
            Form::Json => json::json(self),
        }
    }

    fn text(&self, look: Look) -> String {
        let runs = self.runs.iter().map(|run| {
            let said = run.facts.iter().map(|(name, value)| format!("  {name}: {value}"));
            let broken = run.violations.iter().map(|violation| format!("  broken: {violation}"));
            let lines: String = said.chain(broken).map(|line| visible(&line) + "\n").collect();
            format!("{}\n{lines}{}", visible(&run.name), timeline(&run.events, look))
        });
        format!("{}\n\n{}", visible(&self.title), runs.collect::<Vec<_>>().join("\n"))
    }

    /// The first event in which the two runs differ, from 0; nothing where they are the same or there is one.
    #[must_use]
    pub fn parting(&self) -> Option<usize> {
        let [one, other, ..] = self.runs.as_slice() else { return None };
        let (one, other) = (&one.events, &other.events);
        (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))
    }
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 5] = [Form::Html, Form::Chrome, Form::Mermaid, Form::Json, Form::Text];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Html => "html",
            Form::Chrome => "chrome",
            Form::Mermaid => "mermaid",
            Form::Json => "json",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no form of a report: there are html, chrome, mermaid, json and text")]
pub struct UnknownForm(String);

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(word: &str) -> Result<Form, UnknownForm> {
        Form::ALL.into_iter().find(|form| form.word() == word).ok_or_else(|| UnknownForm(word.to_owned()))
    }
}
