//! Which rule may match something that another matches too: found by what both must begin with, so that ten thousand
//! rules are never compared with ten thousand others.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::below::Stretches;
use super::content::ContentPattern;
use super::domain::DomainPattern;
use super::literal::{LiteralIndex, LiteralIndexBuilder};
use super::rule::Rule;
use super::tool::ToolPattern;

/// Rules by what they begin with. A rule is named by its place among them.
pub(super) struct Overlaps<'a> {
    rules: &'a [&'a Rule],
    /// All of them by their tools, and those that are about a tool whatever it is used on.
    tools: Tools<'a>,
    wholes: Tools<'a>,
    commands: Nested,
    own: Nested,
    paths: Nested,
    hosts: Hosts<'a>,
}

impl<'a> Overlaps<'a> {
    /// Of these rules, for questions about those others.
    pub(super) fn new(rules: &'a [&'a Rule], others: &[&Rule]) -> Overlaps<'a> {
        let numbered = || (0..).zip(rules.iter().copied());
        let (mut commands, mut own, mut paths) = (Vec::new(), Vec::new(), Vec::new());
        for (id, rule) in numbered() {
            match rule.content() {
                Some(ContentPattern::Command(pattern)) => {
                    commands.extend(pattern.beginnings().map(|text| (text.as_bytes().to_vec(), id)));
                }
                Some(ContentPattern::Own(pattern)) => {
                    own.extend(pattern.beginnings().map(|text| (own_key(&rule.tool, text), id)));
                }
                Some(ContentPattern::Read(pattern) | ContentPattern::Edit(pattern)) => {
                    paths.extend(pattern.roots().iter().map(|root| (path_key(root), id)));
                }
                Some(ContentPattern::Domain(_)) | None => {}
            }
        }
        Overlaps {
            rules,
            tools: Tools::new(numbered()),
            wholes: Tools::new(numbered().filter(|(_, rule)| rule.content().is_none())),
            commands: Nested::new(commands),
            own: Nested::new(own),
            paths: Nested::new(paths),
            hosts: Hosts::new(numbered(), others),
        }
    }

    /// The first that may match something that another rule, one of those others, matches.
    pub(super) fn first(&self, rule: &Rule) -> Option<&'a Rule> {
        let Some(content) = rule.content() else { return self.at(self.tools.first(&rule.tool)) };
        let by_content = match content {
            ContentPattern::Command(pattern) => {
                pattern.beginnings().filter_map(|text| self.commands.first(text.as_bytes())).min()
            }
            ContentPattern::Own(pattern) => {
                pattern.beginnings().filter_map(|text| self.own.first(&own_key(&rule.tool, text))).min()
            }
            ContentPattern::Read(pattern) | ContentPattern::Edit(pattern) => {
                pattern.roots().iter().filter_map(|root| self.paths.first(&path_key(root))).min()
            }
            ContentPattern::Domain(pattern) => self.hosts.first(pattern),
        };
        self.at(by_content.into_iter().chain(self.wholes.first(&rule.tool)).min())
    }

    fn at(&self, id: Option<u32>) -> Option<&'a Rule> {
        id.map(|id| self.rules[id as usize])
    }
}

/// Texts by how they begin.
#[derive(Default)]
struct Nested {
    // INVARIANT: sorted.
    keys: Vec<(Vec<u8>, u32)>,
    least: Stretches,
}

impl Nested {
    fn new(mut keys: Vec<(Vec<u8>, u32)>) -> Nested {
        keys.sort_unstable();
        let least = Stretches::new(keys.iter().map(|(_, id)| u64::from(*id)).collect());
        Nested { keys, least }
    }

    /// The first that begins with a text, or that the text begins with.
    fn first(&self, text: &[u8]) -> Option<u32> {
        let place = |wanted: &[u8]| self.keys.partition_point(|(key, _)| key.as_slice() < wanted);
        let from = place(text);
        let to = from + self.keys[from..].partition_point(|(key, _)| key.starts_with(text));
        let longer = self.least.least(from, to).and_then(|id| u32::try_from(id).ok());
        let shorter = (0..text.len()).filter_map(|end| {
            let (key, id) = self.keys.get(place(&text[..end]))?;
            (*key == text[..end]).then_some(*id)
        });
        shorter.chain(longer).min()
    }
}

/// Rules by the tools that they mean.
struct Tools<'a> {
    all: Vec<(u32, &'a ToolPattern)>,
    names: Nested,
    globs: Vec<(u32, &'a ToolPattern)>,
}

impl<'a> Tools<'a> {
    fn new(rules: impl Iterator<Item = (u32, &'a Rule)>) -> Tools<'a> {
        let all: Vec<_> = rules.map(|(id, rule)| (id, &rule.tool)).collect();
        let names = all.iter().filter_map(|(id, tool)| Some((tool_key(tool)?, *id))).collect();
        let globs = all.iter().filter(|(_, tool)| tool_key(tool).is_none()).copied().collect();
        Tools { names: Nested::new(names), globs, all }
    }

    fn first(&self, tool: &ToolPattern) -> Option<u32> {
        let first = |among: &[(u32, &ToolPattern)]| {
            among.iter().find(|(_, other)| tool == *other || tool.may_overlap(other)).map(|(id, _)| *id)
        };
        match tool_key(tool) {
            None => first(&self.all),
            Some(key) => self.names.first(&key).into_iter().chain(first(&self.globs)).min(),
        }
    }
}

/// Rules by the hosts that they mean.
struct Hosts<'a> {
    patterns: Vec<(u32, &'a DomainPattern)>,
    index: LiteralIndex,
    /// For hosts that others mean, the first of these rules whose own pattern they match.
    matched: BTreeMap<String, u32>,
}

impl<'a> Hosts<'a> {
    fn new(rules: impl Iterator<Item = (u32, &'a Rule)>, others: &[&Rule]) -> Hosts<'a> {
        let patterns: Vec<(u32, &DomainPattern)> =
            rules.filter_map(|(id, rule)| Some((id, host(rule)?))).collect();
        let others: Vec<&DomainPattern> = others.iter().filter_map(|rule| host(rule)).collect();
        let index = of_hosts(patterns.iter().map(|(_, pattern)| *pattern));
        let of_others = of_hosts(others.iter().copied());
        let mut matched: BTreeMap<String, u32> = BTreeMap::new();
        for (id, pattern) in &patterns {
            of_others.each(pattern.as_str().as_bytes(), |at| {
                let other = others[at as usize];
                if other.matches(pattern.as_str()) {
                    matched.entry(other.as_str().to_owned()).or_insert(*id);
                }
            });
        }
        Hosts { patterns, index, matched }
    }

    fn first(&self, pattern: &DomainPattern) -> Option<u32> {
        let mut found = self.matched.get(pattern.as_str()).copied();
        self.index.each(pattern.as_str().as_bytes(), |at| {
            let (id, ours) = self.patterns[at as usize];
            if found.is_none_or(|found| id < found) && ours.matches(pattern.as_str()) {
                found = Some(id);
            }
        });
        found
    }
}

fn host(rule: &Rule) -> Option<&DomainPattern> {
    match rule.content() {
        Some(ContentPattern::Domain(pattern)) => Some(pattern),
        Some(
            ContentPattern::Read(_)
            | ContentPattern::Edit(_)
            | ContentPattern::Command(_)
            | ContentPattern::Own(_),
        )
        | None => None,
    }
}

fn of_hosts<'a>(patterns: impl Iterator<Item = &'a DomainPattern>) -> LiteralIndex {
    let mut building = LiteralIndexBuilder::default();
    (0..).zip(patterns).for_each(|(at, pattern)| building.add(at, pattern.literals()));
    building.build(false)
}

/// The names of a path, each with a `/` behind it.
fn path_key(path: &Path) -> Vec<u8> {
    let names = path.components().filter(|part| *part != Component::RootDir);
    let names = names.map(|part| [part.as_os_str().as_encoded_bytes(), b"/"].concat());
    names.collect::<Vec<_>>().concat()
}

/// A name of a tool with its end behind it; that of a remote tool goes on as other names do. Nothing for a pattern.
fn tool_key(tool: &ToolPattern) -> Option<Vec<u8>> {
    match tool {
        ToolPattern::Name(name) if name.starts_with("mcp__") => Some(format!("{name}__").into_bytes()),
        ToolPattern::Name(name) => Some(format!("{name}\0").into_bytes()),
        ToolPattern::Server(prefix) => Some(prefix.as_bytes().to_vec()),
        ToolPattern::Glob(_) => None,
    }
}

/// What a rule about a tool's own names begins with, behind the tool; such a rule names one tool.
fn own_key(tool: &ToolPattern, beginning: &str) -> Vec<u8> {
    let mut key = tool_key(tool).unwrap_or_default();
    key.extend_from_slice(beginning.as_bytes());
    key
}
