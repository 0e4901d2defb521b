//! Which rules might match: found by what a call would do, so that a decision costs the same whether there are ten
//! rules or ten thousand. What is found is matched exactly afterwards; what is not found cannot match.

use std::path::{Component, Path, PathBuf};

use super::below::{Below, BelowBuilder, Ranks, key};
use super::content::{ContentPattern, Seen, folder_of_unnamed, is_named_to_its_end, is_wild};
use super::literal::{LiteralIndex, LiteralIndexBuilder};
use super::parse::{Behavior, Source};
use super::path::PathPattern;
use super::rule::{Meaning, Rule};
use super::tool::{ToolPattern, usual};
use crate::contract::{Effect, Form};
use crate::permission::Profile;
use crate::permission::subject::Subject;

/// All rules of a set, by what they might match.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// Rules about whole tools, by name.
    wholes: LiteralIndex,
    /// Rules about one parameter, by the name of the tool, and by the value.
    parameter_tools: LiteralIndex,
    parameters: LiteralIndex,
    all_parameters: Vec<u32>,
    commands: LiteralIndex,
    all_commands: Vec<u32>,
    hosts: LiteralIndex,
    own: LiteralIndex,
    paths: LiteralIndex,
    /// Rules that close what is removed together with a folder.
    removed: Folders,
    /// Rules that close what is read together with a folder.
    read: Folders,
    /// The same rules, for what is read by a name with wildcards: the one that ranks best need not be the one that matches.
    closing_reads: Vec<u32>,
    /// All rules that close paths, for what is written by a name with wildcards.
    closing: Vec<u32>,
    /// Rules that close anything below a folder, for what is changed somewhere in it and not told by name.
    unnamed: Folders,
}

/// Rules by the folder they name, from the root, and from working directories.
#[derive(Clone, Debug, Default)]
struct Folders {
    fixed: Below,
    moving: Vec<(Vec<PathBuf>, Below)>,
    /// Rules that name a folder above the working directory.
    climbing: Vec<u32>,
}

/// The rank of a rule with this word: the lower decides. The last half of it is the rule.
pub(super) fn rank(profile: Profile, rule: &Rule, behavior: Behavior, id: u32) -> u64 {
    let (source, behavior) = (rule.source as u64, behavior as u64);
    let strength = match profile {
        Profile::V2_1_88 => source << 2 | behavior,
        Profile::Current => behavior << 1 | u64::from(rule.source != Source::PolicySettings),
    };
    strength << 32 | u64::from(id)
}

impl Index {
    /// The index of rules in the order of their ranks by source.
    pub(super) fn new(rules: &[Rule]) -> Index {
        let mut index = Index::default();
        let mut building = Building::default();
        let unlike = |(_, rule): &(u32, &Rule)| rule.same_as.is_none();
        for (id, rule) in (0..).zip(rules).filter(unlike) {
            match &rule.meaning {
                Meaning::Whole => building.whole(id, &rule.tool),
                Meaning::Content(_) => {}
                Meaning::Parameter(parameter, _) => {
                    building.parameter_tools.add(id, rule.tool.literals());
                    building.parameters.add(id, parameter.literals());
                    index.all_parameters.push(id);
                }
            }
            match rule.content() {
                Some(ContentPattern::Command(pattern)) => {
                    pattern.add_to(&mut building.commands, id);
                    index.all_commands.push(id);
                }
                Some(ContentPattern::Own(pattern)) => {
                    pattern.add_to(&mut building.own, id);
                }
                Some(ContentPattern::Domain(pattern)) => building.hosts.add(id, pattern.literals()),
                Some(ContentPattern::Read(pattern)) => {
                    building.path(id, rule, pattern, true);
                    if rule.behavior != Behavior::Allow {
                        index.closing_reads.push(id);
                        index.closing.push(id);
                    }
                }
                Some(ContentPattern::Edit(pattern)) => {
                    building.path(id, rule, pattern, false);
                    if rule.behavior != Behavior::Allow {
                        index.closing.push(id);
                    }
                }
                None => {}
            }
        }
        building.finish(&mut index);
        index
    }

    /// Tells every rule that might match a call whatever it does.
    pub(super) fn each_wholly(&self, subject: &Subject<'_>, mut tell: impl FnMut(u32)) {
        for name in names(subject.form) {
            self.wholes.each(name.as_bytes(), &mut tell);
        }
        if self.all_parameters.is_empty() {
            return;
        }
        let mut is_named = false;
        for name in names(subject.form) {
            self.parameter_tools.each(name.as_bytes(), |_rule| is_named = true);
        }
        if is_named && subject.fields().is_unreadable {
            self.all_parameters.iter().for_each(|rule| tell(*rule));
        } else if is_named {
            for (_, value) in &subject.fields().known {
                self.parameters.each(value.as_bytes(), &mut tell);
            }
        }
    }

    /// Tells every rule that might match one effect of a call; some more than once.
    pub(super) fn each(
        &self,
        subject: &Subject<'_>,
        seen: &Seen<'_>,
        profile: Profile,
        mut tell: impl FnMut(u32),
    ) {
        self.each_wholly(subject, &mut tell);
        match seen.judged.effect {
            Effect::Command { text, .. } => {
                self.own.each(text.as_bytes(), &mut tell);
                let Some(typed) = &seen.typed else { return };
                if typed.is_too_long {
                    self.all_commands.iter().for_each(|rule| tell(*rule));
                }
                for text in typed.texts() {
                    self.commands.each(text.as_bytes(), &mut tell);
                }
            }
            Effect::Contact(host) => {
                self.hosts.each(host.to_lowercase().as_bytes(), &mut tell);
                self.own.each(host.as_bytes(), &mut tell);
            }
            Effect::Name(name) => self.own.each(name.as_bytes(), &mut tell),
            Effect::Read(_)
            | Effect::ReadBelow(_)
            | Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_) => {
                for path in seen.judged.paths {
                    self.each_of_path(subject, seen.judged.effect, path, profile, &mut tell);
                }
            }
        }
    }

    /// Tells every rule that might match all that another does.
    pub(super) fn each_like(&self, rule: &Rule, mut tell: impl FnMut(u32)) {
        self.wholes.each(rule.plain_name().unwrap_or(&rule.text).as_bytes(), &mut tell);
        match rule.content() {
            Some(ContentPattern::Command(pattern)) => {
                pattern.samples().for_each(|text| self.commands.each(text.as_bytes(), &mut tell));
            }
            Some(ContentPattern::Own(pattern)) => {
                pattern.samples().for_each(|text| self.own.each(text.as_bytes(), &mut tell));
            }
            Some(ContentPattern::Domain(pattern)) => {
                self.hosts.each(pattern.as_str().as_bytes(), &mut tell);
            }
            Some(ContentPattern::Read(pattern) | ContentPattern::Edit(pattern)) => {
                pattern.roots().iter().for_each(|root| self.paths.each(&text_of(root), &mut tell));
            }
            None => {}
        }
    }

    fn each_of_path(
        &self,
        subject: &Subject<'_>,
        effect: &Effect,
        path: &Path,
        profile: Profile,
        mut tell: impl FnMut(u32),
    ) {
        self.paths.each(&text_of(path), &mut tell);
        if matches!(effect, Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_))
            && let Some(folder) = folder_of_unnamed(path)
        {
            let is_named = is_named_to_its_end(effect, path);
            let mut may_match = false;
            self.unnamed.each(&key(&folder), subject.cwds(), true, profile, |rule| {
                may_match = true;
                if !is_named {
                    tell(rule);
                }
            });
            if is_named && may_match {
                self.closing.iter().for_each(|rule| tell(*rule));
            }
        }
        if matches!(effect, Effect::Read(_))
            && is_wild(path)
            && let Some(folder) = folder_of_unnamed(path)
        {
            let mut may_match = false;
            self.read.each(&key(&folder), subject.cwds(), true, profile, |_rule| may_match = true);
            if may_match {
                self.closing_reads.iter().for_each(|rule| tell(*rule));
            }
        }
        let goes_above = matches!(effect, Effect::ReadBelow(_));
        let folders = match effect {
            Effect::Remove(_) => &self.removed,
            Effect::ReadBelow(_) => &self.read,
            Effect::Read(_)
            | Effect::Write(_)
            | Effect::MayWrite(_)
            | Effect::Command { .. }
            | Effect::Contact(_)
            | Effect::Name(_) => return,
        };
        folders.each(&key(path), subject.cwds(), goes_above, profile, tell);
    }

    /// How many rules about paths and commands are looked at whatever the call.
    #[cfg(test)]
    pub(super) fn always(&self) -> usize {
        self.paths.always() + self.commands.always()
    }
}

impl Folders {
    /// Tells the rules that rank best of those that name something below a folder, or, where they go on with a
    /// wildcard, above it.
    fn each(
        &self,
        folder: &[u8],
        cwds: &[PathBuf],
        goes_above: bool,
        profile: Profile,
        mut tell: impl FnMut(u32),
    ) {
        let way = way(profile);
        let mut best = |below: &Below, rest: &[u8], is_inside: bool| {
            let above = (goes_above && is_inside).then(|| below.best_above(rest, way)).flatten();
            let found = [below.best_below(rest, way), above];
            // INVARIANT: the last half of a rank is the rule.
            found.into_iter().flatten().for_each(|rank| tell((rank & u64::from(u32::MAX)) as u32));
        };
        best(&self.fixed, folder, true);
        for (known, below) in &self.moving {
            for cwd in cwds.iter().filter(|cwd| !known.contains(cwd)) {
                let cwd = key(cwd);
                if let Some(rest) = folder.strip_prefix(cwd.as_slice()) {
                    best(below, rest, true);
                } else if cwd.starts_with(folder) {
                    best(below, b"", false);
                }
            }
        }
        self.climbing.iter().for_each(|rule| tell(*rule));
    }
}

/// What an index is made of.
#[derive(Default)]
struct Building {
    wholes: LiteralIndexBuilder,
    parameter_tools: LiteralIndexBuilder,
    parameters: LiteralIndexBuilder,
    commands: LiteralIndexBuilder,
    hosts: LiteralIndexBuilder,
    own: LiteralIndexBuilder,
    paths: LiteralIndexBuilder,
    removed: BuildingFolders,
    read: BuildingFolders,
    unnamed: BuildingFolders,
}

#[derive(Default)]
struct BuildingFolders {
    fixed: BelowBuilder,
    moving: Vec<(Vec<PathBuf>, BelowBuilder)>,
    climbing: Vec<u32>,
}

impl Building {
    fn whole(&mut self, id: u32, tool: &ToolPattern) {
        match tool {
            // The name of a remote tool may mean a whole server.
            ToolPattern::Name(name) if !name.starts_with("mcp__") => self.wholes.add_exact(id, name),
            ToolPattern::Name(_) | ToolPattern::Server(_) | ToolPattern::Glob(_) => {
                self.wholes.add(id, tool.literals());
            }
        }
    }

    fn path(&mut self, id: u32, rule: &Rule, pattern: &PathPattern, is_read: bool) {
        pattern.literals().for_each(|literals| self.paths.add(id, literals));
        let removes = match rule.behavior {
            Behavior::Deny => true,
            Behavior::Ask => !is_read,
            Behavior::Allow => false,
        };
        let ranks =
            |behavior| [Profile::V2_1_88, Profile::Current].map(|profile| rank(profile, rule, behavior, id));
        if removes {
            self.removed.add(id, pattern, ranks(rule.behavior));
        }
        if rule.behavior != Behavior::Allow {
            // What lies below a folder only perhaps matters, so it asks.
            if is_read {
                self.read.add(id, pattern, ranks(Behavior::Ask));
            }
            self.unnamed.add(id, pattern, ranks(Behavior::Ask));
        }
    }

    fn finish(self, index: &mut Index) {
        index.wholes = self.wholes.build(false);
        index.parameter_tools = self.parameter_tools.build(false);
        index.parameters = self.parameters.build(false);
        index.commands = self.commands.build(false);
        index.hosts = self.hosts.build(false);
        index.own = self.own.build(false);
        index.paths = self.paths.build(true);
        index.removed = self.removed.build();
        index.read = self.read.build();
        index.unnamed = self.unnamed.build();
    }
}

impl BuildingFolders {
    fn add(&mut self, id: u32, pattern: &PathPattern, ranks: Ranks) {
        let (keys, is_wild) = pattern.keys();
        keys.for_each(|key| self.fixed.add(key, ranks, is_wild));
        let Some((below, known)) = pattern.moving() else { return };
        if below.components().any(|part| matches!(part, Component::ParentDir)) {
            self.climbing.push(id);
            return;
        }
        let at = self.moving.iter().position(|(other, _)| other == known).unwrap_or_else(|| {
            self.moving.push((known.to_vec(), BelowBuilder::default()));
            self.moving.len() - 1
        });
        self.moving[at].1.add(key(below), ranks, is_wild);
    }

    fn build(self) -> Folders {
        Folders {
            fixed: self.fixed.build(),
            moving: self.moving.into_iter().map(|(known, below)| (known, below.build())).collect(),
            climbing: self.climbing,
        }
    }
}

/// The names under which rules may mean a tool.
fn names(form: &Form) -> impl Iterator<Item = &str> {
    std::iter::once(&form.name).chain(form.aliases.iter()).map(|name| usual(name))
}

/// A path with a `/` before and behind each name.
fn text_of(path: &Path) -> Vec<u8> {
    let mut text = Vec::with_capacity(path.as_os_str().len() + 2);
    text.push(b'/');
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Prefix(_) | Component::ParentDir | Component::Normal(_) => {
                text.extend_from_slice(part.as_os_str().as_encoded_bytes());
                text.push(b'/');
            }
        }
    }
    text
}

fn way(profile: Profile) -> usize {
    match profile {
        Profile::V2_1_88 => 0,
        Profile::Current => 1,
    }
}
