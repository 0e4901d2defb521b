//! What settings mean for a session, and where in them a rule stands that a rule set complains about.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::diagnostic::{Diagnostic, Place, Severity};
use super::{Layer, Settings, SettingsRule};
use crate::contract::Context;
use crate::permission::{Behavior, Mode, ProblemKind, RuleProblem, RuleText, Source};

/// What settings and a session's own choices come to.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// All rules: those of settings, then the session's own.
    pub(crate) rules: Vec<RuleText>,
    /// Modes that nobody may enter.
    pub(crate) forbidden_modes: Vec<Mode>,
    /// What of the session's own choices does not count.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// How a session's own choices are named where they do not count.
const SESSION: &str = "the session";

impl Settings {
    /// Changes the context a session begins with, and joins its rules. `chosen` is a mode that was chosen for this
    /// session: it ranks with the command line, under managed settings.
    pub(crate) fn apply(
        &self,
        context: &mut Context,
        chosen: Option<Mode>,
        own_rules: Vec<RuleText>,
    ) -> Applied {
        let mut applied = Applied::default();
        for directory in &self.additional_directories {
            if !context.additional_directories.contains(directory) {
                context.additional_directories.push(directory.clone());
            }
        }
        for (name, value) in &self.env {
            context.env.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let disabled =
            [(Mode::BypassPermissions, self.is_bypass_disabled), (Mode::Auto, self.is_auto_disabled)];
        applied.forbidden_modes.extend(disabled.iter().filter(|(_, is_off)| *is_off).map(|(mode, _)| *mode));
        context.mode = self.mode(chosen).unwrap_or(context.mode);
        if applied.forbidden_modes.contains(&context.mode) {
            let message =
                format!("the mode {} is switched off by settings: it begins in default", context.mode);
            applied.say(Severity::Error, message);
            context.mode = Mode::Default;
        }
        applied.rules = self.rules.iter().map(|rule| rule.rule.clone()).collect();
        for rule in own_rules {
            if self.only_managed_rules && rule.source != Source::PolicySettings {
                let message = format!(
                    "the rule `{}` ({}) does not count: managed settings allow no rules but their own",
                    rule.text, rule.source
                );
                applied.say(Severity::Warning, message);
            } else {
                applied.rules.push(rule);
            }
        }
        if let Some((policy, unmet)) = self.sandbox_of(context, &applied.rules) {
            context.sandbox = Some(Arc::new(policy));
            unmet.into_iter().for_each(|message| applied.say(Severity::Warning, message));
        }
        applied
    }

    /// The mode to begin in: what managed settings choose, else what was chosen for the session, else what the highest
    /// other layer chooses.
    #[must_use]
    pub fn mode(&self, chosen: Option<Mode>) -> Option<Mode> {
        match self.default_mode {
            Some((mode, Layer::Managed)) => Some(mode),
            Some((mode, Layer::CommandLine | Layer::Local | Layer::Project | Layer::User)) => {
                chosen.or(Some(mode))
            }
            None => chosen,
        }
    }

    /// What a rule set says of rules of these settings, each at its place.
    #[must_use]
    pub fn of_rules(&self, problems: &[RuleProblem]) -> Vec<Diagnostic> {
        // The first and the last of each, whatever space is around it.
        let mut places: BTreeMap<(Behavior, Source, &str), (usize, usize)> = BTreeMap::new();
        for (at, SettingsRule { rule, .. }) in self.rules.iter().enumerate() {
            let place = places.entry((rule.behavior, rule.source, rule.text.trim())).or_insert((at, at));
            place.1 = at;
        }
        let found = problems.iter().filter_map(|problem| {
            let (first, last) = *places.get(&(problem.behavior, problem.source, problem.rule.trim()))?;
            // A rule that stands there more than once is at fault where it comes again.
            let at = match problem.kind {
                ProblemKind::Duplicate => last,
                ProblemKind::Broken
                | ProblemKind::NeverConsulted
                | ProblemKind::TooManyNames
                | ProblemKind::Lifted
                | ProblemKind::Shadowed
                | ProblemKind::UnknownTool
                | ProblemKind::ForeignTool
                | ProblemKind::UnknownParameter
                | ProblemKind::LikelyAnchor
                | ProblemKind::TooBroad => first,
            };
            Some(self.of_rule(&self.rules[at], problem))
        });
        found.collect()
    }

    fn of_rule(&self, rule: &SettingsRule, problem: &RuleProblem) -> Diagnostic {
        let file = &self.files[rule.file];
        let severity = match problem.kind {
            ProblemKind::Broken | ProblemKind::TooManyNames => Severity::Error,
            ProblemKind::NeverConsulted
            | ProblemKind::Lifted
            | ProblemKind::Shadowed
            | ProblemKind::Duplicate
            | ProblemKind::UnknownTool
            | ProblemKind::UnknownParameter
            | ProblemKind::LikelyAnchor
            | ProblemKind::TooBroad => Severity::Warning,
            ProblemKind::ForeignTool => Severity::Note,
        };
        let range = problem.span.clone().and_then(|span| rule.within(&file.text, &problem.rule, span));
        Diagnostic {
            file: file.name.clone(),
            place: Some(Place::new(&file.text, range.unwrap_or_else(|| rule.range.clone()))),
            path: rule.path.clone(),
            severity,
            message: format!("the {} rule `{}`: {}", word(problem.behavior), problem.rule, problem.reason),
            help: None,
        }
    }

    /// Says something of an entry of a file that was read.
    pub(super) fn say_of(
        &mut self,
        file: usize,
        severity: Severity,
        range: Range<usize>,
        path: &str,
        message: &str,
    ) {
        let file = &self.files[file];
        self.diagnostics.push(Diagnostic {
            file: file.name.clone(),
            place: Some(Place::new(&file.text, range)),
            path: path.to_owned(),
            severity,
            message: message.to_owned(),
            help: None,
        });
    }

    /// The place of what a JSON pointer names in a file, or of the nearest value above it.
    pub(super) fn range_at(&self, file: usize, pointer: &str) -> Range<usize> {
        let root = self.files.get(file).and_then(|file| file.root.as_ref());
        root.map_or(0..0, |root| root.nearest_at(pointer).range.clone())
    }
}

impl Applied {
    fn say(&mut self, severity: Severity, message: String) {
        let file = SESSION.to_owned();
        self.diagnostics.push(Diagnostic {
            file,
            place: None,
            path: String::new(),
            severity,
            message,
            help: None,
        });
    }
}

impl SettingsRule {
    /// The bytes of a part of the rule in its file, where the rule stands there as it is, without escapes. `rule` is its
    /// text as the part is told of, with the space around it or without.
    fn within(&self, text: &str, rule: &str, span: Range<usize>) -> Option<Range<usize>> {
        let begins = self.range.start + 1;
        let is_as_written = text.get(begins..)?.starts_with(&self.rule.text);
        let begins = begins + self.rule.text.find(rule)?;
        is_as_written.then(|| begins + span.start..begins + span.end)
    }
}

fn word(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Deny => "deny",
        Behavior::Ask => "ask",
        Behavior::Allow => "allow",
    }
}
