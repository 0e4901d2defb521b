//! What a skill is: a text that is put before the model when it is wanted, and how.

use std::path::{Path, PathBuf};

use super::commands::Piece;
use crate::front_matter::{Document, Unusable, Value, Warning, names};

/// How many characters a skill's entry in the list has.
const LISTED_CHARS_MAX: usize = 1_536;

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// What it is called by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// When to use it.
    pub when_to_use: Option<String>,
    /// What its arguments look like, for the person.
    pub argument_hint: Option<String>,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Whether the model may not use it by itself.
    pub disable_model_invocation: bool,
    /// Whether a person may use it.
    pub user_invocable: bool,
    /// What it may use without a question, until the person says something.
    pub allowed_tools: Vec<String>,
    /// What may not be used until the person says something.
    pub disallowed_tools: Vec<String>,
    /// The model of its agent.
    pub model: Option<String>,
    /// Whether an agent does it, rather than whoever uses it.
    pub is_fork: bool,
    /// Which agent.
    pub agent: Option<String>,
    /// Whether its agent works in the background.
    pub background: bool,
    /// Files it is about, as patterns.
    pub paths: Vec<String>,
    /// Why it cannot be used: its author asks for something that narrows it and is not available.
    pub unavailable: Option<String>,
    /// Its text, as it is written.
    pub text: String,
    /// The folder it is in.
    pub folder: Option<PathBuf>,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
}

/// The keys that mean something.
const KEYS: &[&str] = &[
    "name",
    "description",
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "allowed-tools",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
    "metadata",
    "license",
    "compatibility",
];

impl Skill {
    /// Reads a skill in the public format. It is called by the name of its folder, whatever it calls itself.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(bytes: &[u8], name: &str) -> Result<Skill, Unusable> {
        names::check(name)?;
        let mut document = Document::read(bytes)?;
        if document.take_text("name").is_some_and(|own| own.trim() != name) {
            document.warn_of("name", format!("it is called `{name}`, by the name of its folder"));
        }
        let text = document.body.trim().to_owned();
        let description = described(&mut document, &text);
        let mut skill = Skill {
            name: name.to_owned(),
            description,
            when_to_use: document.take_text("when_to_use"),
            argument_hint: document.take("argument-hint").and_then(|hint| hint_text(&hint)),
            arguments: names_of(&mut document, "arguments").unwrap_or_default(),
            disable_model_invocation: document.take_switch("disable-model-invocation", false),
            user_invocable: document.take_switch("user-invocable", true),
            allowed_tools: names_of(&mut document, "allowed-tools").unwrap_or_default(),
            disallowed_tools: Vec::new(),
            model: document.take_text("model").filter(|model| model.trim() != "inherit"),
            is_fork: false,
            agent: document.take_text("agent").map(|agent| agent.trim().to_owned()),
            background: false,
            paths: names_of(&mut document, "paths").unwrap_or_default(),
            unavailable: None,
            text,
            folder: None,
            warnings: Vec::new(),
        };
        skill.in_context(&mut document);
        skill.closes(&mut document);
        document.warn_of_rest(KEYS);
        if skill.text.is_empty() {
            let instead = "it tells the model nothing".to_owned();
            document.warnings.push(Warning::Missing { key: "text", instead });
        }
        skill.warnings = document.warnings;
        Ok(skill)
    }

    fn in_context(&mut self, document: &mut Document) {
        match document.take_text("context").as_deref().map(str::trim) {
            None | Some("inline") => {}
            Some("fork") => self.is_fork = true,
            Some(_other) => {
                document.warn_of("context", "it is neither `inline` nor `fork`; taken for `inline`")
            }
        }
        // An agent in the background may do less than one that is waited for, so an unclear word means that.
        self.background = document.take_switch("background", true) && self.is_fork;
    }

    /// What would narrow it and cannot be done closes it; what would only help it is passed over.
    fn closes(&mut self, document: &mut Document) {
        if let Some(value) = document.take("disallowed-tools") {
            match value.names() {
                Some(tools) => self.disallowed_tools = tools,
                None => {
                    document
                        .warn_of("disallowed-tools", "it is no list of names, so the skill cannot be used");
                    self.unavailable = Some("it cannot be told what it forbids".to_owned());
                }
            }
        }
        if document.take("hooks").is_some() {
            let effect = "the skill cannot be used".to_owned();
            document.warnings.push(Warning::NotAvailable { key: "hooks".to_owned(), effect });
            self.unavailable = Some("its `hooks` are not available yet".to_owned());
        }
        if document.take_text("shell").is_some_and(|shell| shell.trim() != "bash") {
            document.warn_of("shell", "only `bash` is available; its commands stay text");
            self.unavailable = self.unavailable.take().or_else(|| {
                let has_commands = super::commands::pieces(&self.text).len() > 1;
                has_commands.then(|| "its commands are for another shell".to_owned())
            });
        }
        if document.take("effort").is_some() {
            let effect = "it is passed over".to_owned();
            document.warnings.push(Warning::NotAvailable { key: "effort".to_owned(), effect });
        }
    }

    /// Warns of the tools it names that do not exist.
    pub fn check_tools(&mut self, exists: &[String]) {
        let named: Vec<String> = self.allowed_tools.iter().chain(&self.disallowed_tools).cloned().collect();
        self.warnings.extend(names::unknown_tools(&named, exists));
    }

    /// Its entry in the list that the model reads.
    #[must_use]
    pub fn listed(&self) -> String {
        let about = match &self.when_to_use {
            Some(when) => format!("{} {}", self.description, when),
            None => self.description.clone(),
        };
        let about: Vec<&str> = about.split_whitespace().collect();
        let about = about.join(" ");
        match about.char_indices().nth(LISTED_CHARS_MAX) {
            Some((at, _first_left_out)) => format!("- {}: {}…", self.name, &about[..at]),
            None => format!("- {}: {about}", self.name),
        }
    }

    /// Whether using it does nothing but put its text before the model.
    #[must_use]
    pub fn is_only_text(&self) -> bool {
        !self.is_fork
            && self.allowed_tools.is_empty()
            && self.disallowed_tools.is_empty()
            && super::commands::pieces(&self.text).iter().all(|piece| matches!(piece, Piece::Text(_)))
    }

    /// Its text with nothing filled in and no command run.
    #[must_use]
    pub fn plain_text(&self) -> &str {
        &self.text
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

/// The description, or the first paragraph of the text in its place.
fn described(document: &mut Document, text: &str) -> String {
    if let Some(description) = document.take_text("description") {
        return description.trim().to_owned();
    }
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.trim().trim_start_matches('#').trim());
    let first = paragraphs.clone().find(|paragraph| !paragraph.is_empty()).unwrap_or_default();
    let instead = "its first paragraph stands for it".to_owned();
    document.warnings.push(Warning::Missing { key: "description", instead });
    first.to_owned()
}

/// A list of names. An unclear one opens nothing.
fn names_of(document: &mut Document, key: &str) -> Option<Vec<String>> {
    let names = document.take(key)?.names();
    if names.is_none() {
        document.warn_of(key, "it is no list of names, and is passed over");
    }
    names
}

/// `argument-hint: [a] [b]` is a list to YAML.
fn hint_text(value: &Value) -> Option<String> {
    value.text().or_else(|| Some(format!("[{}]", value.names()?.join(", "))))
}
