//! The skills there are: those of folders, the strongest folder first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Skill;
use crate::agents::not_found;
use crate::front_matter::{Unusable, folder};

/// A folder of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    /// Where it is.
    pub place: PathBuf,
    /// What is in it.
    pub kind: SkillFolderKind,
    /// The part of the project it belongs to, such as `packages/app`: what tells its skills apart where names clash.
    pub part: Option<String>,
    /// The plugin it belongs to: its skills are called `plugin:name`.
    pub plugin: Option<String>,
}

/// What is in a folder of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillFolderKind {
    /// Folders with a `SKILL.md` each.
    Skills,
    /// Markdown files, each a skill: the older form.
    Commands,
}

impl SkillFolder {
    /// A folder of folders with a `SKILL.md` each.
    #[must_use]
    pub fn skills(place: impl Into<PathBuf>) -> SkillFolder {
        SkillFolder { place: place.into(), kind: SkillFolderKind::Skills, part: None, plugin: None }
    }

    /// A folder of Markdown files, each a skill.
    #[must_use]
    pub fn commands(place: impl Into<PathBuf>) -> SkillFolder {
        SkillFolder { kind: SkillFolderKind::Commands, ..SkillFolder::skills(place) }
    }

    /// The same folder, as one of this part of the project.
    #[must_use]
    pub fn of_part(self, part: impl Into<String>) -> SkillFolder {
        SkillFolder { part: Some(part.into()), ..self }
    }

    /// The same folder, as one of this plugin.
    #[must_use]
    pub fn of_plugin(self, plugin: impl Into<String>) -> SkillFolder {
        SkillFolder { plugin: Some(plugin.into()), ..self }
    }
}

/// The skills there are. Cheap to clone; clones share.
#[derive(Clone, Debug, Default)]
pub struct Skills(Arc<BTreeMap<String, Skill>>);

/// The skills that were found, and what was not one.
#[derive(Clone, Debug, Default)]
pub struct SkillsFound {
    /// The skills.
    pub skills: Skills,
    /// The files that are no skills, and why.
    pub unusable: Vec<(PathBuf, Unusable)>,
    /// The files whose skill another one with its name stands before.
    pub hidden: Vec<PathBuf>,
}

impl Skills {
    /// These skills; of two with one name the first counts.
    #[must_use]
    pub fn new(skills: impl IntoIterator<Item = Skill>) -> Skills {
        let mut all = BTreeMap::new();
        for skill in skills {
            all.entry(skill.name.clone()).or_insert(skill);
        }
        Skills(Arc::new(all))
    }

    /// The skills, by name.
    pub fn all(&self) -> impl Iterator<Item = &Skill> {
        self.0.values()
    }

    /// The skill of this name, with or without a `/` before it.
    ///
    /// # Errors
    /// In words, with the nearest names.
    pub fn find(&self, name: &str) -> Result<&Skill, String> {
        let name = name.strip_prefix('/').unwrap_or(name).trim();
        self.0.get(name).ok_or_else(|| {
            let usable = self.0.values().filter(|skill| !skill.disable_model_invocation);
            not_found("skill", name, usable.map(|skill| skill.name.as_str()))
        })
    }

    /// The list that the model reads. Skills that it may not use by itself are not in it.
    #[must_use]
    pub fn listing(&self) -> String {
        let usable =
            self.all().filter(|skill| !skill.disable_model_invocation && skill.unavailable.is_none());
        usable.map(Skill::listed).collect::<Vec<_>>().join("\n")
    }
}

/// Finds the skills of folders, the strongest folder first: where two have a name, the one found first keeps it, and the
/// other is called `part:name` where it is in a part of the project, or in a folder within. This reads files, so it may
/// block.
#[must_use]
pub fn find_skills(folders: &[SkillFolder], tools: &[String]) -> SkillsFound {
    let mut out = SkillsFound::default();
    let mut all: BTreeMap<String, Skill> = BTreeMap::new();
    for folder in folders {
        let is_wanted = |name: &str| match folder.kind {
            SkillFolderKind::Skills => name == "SKILL.md",
            SkillFolderKind::Commands => name.ends_with(".md"),
        };
        for found in folder::files(&folder.place, is_wanted) {
            let (name, within) = name_and_part(folder.kind, &found.below);
            let mut skill = match found.bytes.and_then(|bytes| Skill::read(&bytes, &name)) {
                Ok(skill) => skill,
                Err(unusable) => {
                    out.unusable.push((found.place, unusable));
                    continue;
                }
            };
            skill.check_tools(tools);
            skill.folder = found.place.parent().map(Path::to_owned);
            if let Some(plugin) = &folder.plugin {
                skill.name = format!("{plugin}:{name}");
            }
            let parts: Vec<&str> = folder.part.as_deref().into_iter().chain(within.as_deref()).collect();
            if all.contains_key(&skill.name) && !parts.is_empty() {
                skill.name = format!("{}:{}", parts.join("/"), skill.name);
            }
            if all.contains_key(&skill.name) {
                out.hidden.push(found.place);
            } else {
                all.insert(skill.name.clone(), skill);
            }
        }
    }
    out.skills = Skills(Arc::new(all));
    out
}

/// The name of a skill, and the folders between it and the folder of skills.
fn name_and_part(kind: SkillFolderKind, below: &Path) -> (String, Option<String>) {
    let named = match kind {
        SkillFolderKind::Skills => below.parent().unwrap_or(Path::new("")).to_owned(),
        SkillFolderKind::Commands => below.with_extension(""),
    };
    let name = named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let within = named.parent().map(|part| part.to_string_lossy().into_owned());
    (name, within.filter(|part| !part.is_empty()))
}
