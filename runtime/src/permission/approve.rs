//! What opens a call without a question: the mode, the rules, the tool's own word, and harmlessness.

use std::path::Path;

use super::judge::{Gate, Ruling, allow, by_rule, deny};
use super::replacement::is_plain_replacement;
use super::rules::{Behavior, RuleAnswer};
use super::subject::Judged;
use super::{Decision, Mode, Why};
use crate::contract::{DefaultPermission, Effect, Effects, Opinion, absolute};

/// Simple file commands that the mode acceptEdits approves.
const FILE_COMMANDS: &[&str] = &["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"];
/// Folders of programs that only the system writes.
const SYSTEM_FOLDERS: &[&str] = &["/bin", "/usr/bin"];

impl Gate<'_, '_> {
    /// Line 10.
    pub(super) fn by_mode(&self, opinion: &Opinion) -> Option<Ruling> {
        match self.mode {
            Mode::BypassPermissions => Some(allow("mode", "the mode bypassPermissions asks nothing")),
            Mode::Plan => self.in_plan(opinion),
            Mode::AcceptEdits if self.is_edit_inside() => {
                Some(allow("mode", "the mode acceptEdits approves edits in the working directories"))
            }
            Mode::AcceptEdits | Mode::Default | Mode::DontAsk | Mode::Auto | Mode::Bubble => None,
        }
    }

    /// Known writes are refused; unknown effects, and those that are known by name only, ask, whatever the rules allow.
    fn in_plan(&self, opinion: &Opinion) -> Option<Ruling> {
        let known = match &self.subject.effects {
            Effects::Unknown { reason, .. } => return Some(self.ask(reason, Why::Mode)),
            Effects::Known(known) => known,
        };
        if known.iter().any(|effect| matches!(effect, Effect::Write(_) | Effect::Remove(_))) {
            return Some(deny("mode", "writes are refused while planning: present the plan first"));
        }
        let runs = |effect: &Effect| {
            matches!(effect, Effect::Command { read_only: false, .. } | Effect::MayWrite(_))
        };
        if known.iter().any(runs) {
            return Some(self.ask("the command may change something, and the mode is plan", Why::Mode));
        }
        let has_name = known.iter().any(|effect| matches!(effect, Effect::Name(_)));
        let is_fine = self.subject.flags.read_only || allows(opinion) || self.touches_only_own_state();
        (has_name && !is_fine).then(|| self.ask("it may change something, and the mode is plan", Why::Mode))
    }

    /// Edits, and simple file commands, with every path in the directories the agent works in.
    fn is_edit_inside(&self) -> bool {
        let mut any = false;
        let all = self.subject.each().all(|judged| {
            any = true;
            match judged.effect {
                Effect::Read(_)
                | Effect::ReadBelow(_)
                | Effect::Write(_)
                | Effect::Remove(_)
                | Effect::MayWrite(_) => self.subject.is_inside(judged.paths),
                Effect::Command { words, read_only, .. } => *read_only || self.is_file_command_inside(words),
                Effect::Contact(_) | Effect::Name(_) => false,
            }
        });
        any && all
    }

    /// What a command does to files is told as effects of their own; its plain words must not say otherwise.
    fn is_file_command_inside(&self, words: &[String]) -> bool {
        let context = self.subject.context;
        // Without an option or a setting, `env` changes nothing.
        let words = match words {
            [first, rest @ ..] if usual(first) == "env" => rest,
            all => all,
        };
        let Some((name, rest)) = words.split_first() else { return false };
        let name = usual(name);
        if name == "sed" && !only_replaces(rest) {
            return false;
        }
        let script = rest.iter().position(|word| name == "sed" && !word.starts_with('-'));
        FILE_COMMANDS.contains(&name)
            && rest.iter().enumerate().filter(|(at, _)| script != Some(*at)).all(|(_, word)| {
                if word.starts_with('-') {
                    // An option may name a folder too.
                    return !word.contains(['/', '=']);
                }
                let path = absolute(&context.cwd, context.home.as_deref(), Path::new(word));
                !word.contains(['$', '`', '*', '?', '[', '{']) && self.subject.is_inside(&[path])
            })
    }

    /// Lines 11 and 12: every effect is allowed by a rule, or harmless; or the tool says so itself.
    pub(super) fn allowed(&self, answer: RuleAnswer, opinion: &Opinion) -> Option<Ruling> {
        if answer.behavior == Some(Behavior::Allow) {
            return Some(by_rule(answer, Decision::allow("rule", "a rule allows it")));
        }
        if allows(opinion) {
            return Some(allow("tool", "the tool allows it"));
        }
        if self.touches_only_own_state() {
            return Some(allow("tool", "the tool touches nothing but the agent's own state"));
        }
        match &self.subject.effects {
            Effects::Unknown { .. } => None,
            Effects::Known(known) if known.is_empty() => {
                self.subject.flags.read_only.then(|| allow("read-only", "it does nothing but look"))
            }
            Effects::Known(_) => self.settled(),
        }
    }

    /// Every effect is allowed by a rule, or harmless. A tool that does not say that it only looks needs a rule.
    fn settled(&self) -> Option<Ruling> {
        let mut rule = None;
        let is_settled = self.subject.each().all(|judged| {
            let found = self.rules.allows(self.subject, judged, self.profile);
            let is_allowed = found.is_some();
            rule = rule.take().or(found);
            is_allowed || self.subject.needs_no_word(judged)
        });
        let only_looks = self.subject.flags.read_only
            && !self.subject.each().any(|judged| matches!(judged.effect, Effect::MayWrite(_)));
        if !is_settled || (rule.is_none() && !only_looks) {
            return None;
        }
        let by = if rule.is_some() { "rule" } else { "read-only" };
        let decision =
            Decision::allow(by, "everything it does is allowed by a rule or only reads where it may");
        Some(Ruling::Decided(Decision { rule, ..decision }))
    }

    /// Whether one effect is allowed by a rule or harmless.
    pub(super) fn is_settled(&self, judged: Judged<'_>) -> bool {
        self.rules.allows(self.subject, judged, self.profile).is_some() || self.subject.needs_no_word(judged)
    }

    /// What a tool says of itself once and for all does not count where a call is known to do more.
    fn touches_only_own_state(&self) -> bool {
        let is_own =
            |judged: Judged<'_>| matches!(judged.effect, Effect::Name(_)) || self.subject.is_harmless(judged);
        self.subject.form.default_permission == DefaultPermission::Allow && self.subject.each().all(is_own)
    }
}

/// Whether the tool itself says that a call is fine.
fn allows(opinion: &Opinion) -> bool {
    matches!(opinion, Opinion::Allow | Opinion::AllowWith(_))
}

/// The name of a program, where it is called by it or by its place in a folder of the system's.
fn usual(word: &str) -> &str {
    let parts = word.rsplit_once('/').filter(|(folder, _)| SYSTEM_FOLDERS.contains(folder));
    parts.map_or(word, |(_, name)| name)
}

/// Whether the words behind `sed` replace text in files and do no more: scripts can write other files and run programs.
fn only_replaces(words: &[String]) -> bool {
    let is_option = |word: &&String| word.starts_with('-');
    let is_plain_option =
        |word: &String| matches!(word.as_str(), "-i" | "--in-place" | "-E" | "-r" | "-e" | "-n" | "-s");
    let mut operands = words.iter().filter(|word| !is_option(word));
    let has_one_script = words.iter().filter(|word| *word == "-e").count() <= 1;
    let script = operands.next().is_some_and(|script| is_plain_replacement(script));
    has_one_script && script && words.iter().filter(is_option).all(is_plain_option)
}
