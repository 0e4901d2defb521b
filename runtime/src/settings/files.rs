//! Where settings are, as data: the files of each layer, and who stands behind them.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::tracked::{git_root, is_tracked};
use crate::permission::{Files, Source};

/// Where settings are read from. Nothing is read that is not named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFiles {
    /// The directory the session begins in; absolute.
    pub root: PathBuf,
    /// The home directory, where it is known.
    pub home: Option<PathBuf>,
    /// Managed settings. They come first.
    pub managed: Option<PathBuf>,
    /// A folder whose `*.json` add to managed settings, in the order of their names; later ones come before earlier
    /// ones, and all of them before the file.
    pub managed_folder: Option<PathBuf>,
    /// What the command line names; later ones come before earlier ones.
    pub extra: Vec<ExtraSettings>,
    /// What a person keeps for this project; earlier ones come first.
    pub local: Vec<PathBuf>,
    /// The project's own.
    pub project: Option<PathBuf>,
    /// The user's.
    pub user: Option<PathBuf>,
}

/// Settings that the command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraSettings {
    /// A file; absolute.
    File(PathBuf),
    /// The settings themselves, as JSON.
    Json(String),
}

/// Whether a project's own files are trusted to open anything. What they close always counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// They are not.
    #[default]
    Untrusted,
    /// They are.
    Trusted,
}

/// A layer of settings, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Layer {
    /// Managed settings.
    Managed,
    /// What the command line names.
    CommandLine,
    /// What a person keeps for this project.
    Local,
    /// The project's own.
    Project,
    /// The user's.
    User,
}

/// One file to read, in its layer.
#[derive(Clone, Debug)]
pub(super) struct LayerFile {
    pub(super) layer: Layer,
    pub(super) place: FilePlace,
    /// Whether it must be there.
    pub(super) is_required: bool,
}

#[derive(Clone, Debug)]
pub(super) enum FilePlace {
    Path(PathBuf),
    /// The settings themselves.
    Text(String),
    /// A file that could not be looked for, and why.
    Lost(PathBuf, String),
}

impl Layer {
    /// The source of the rules in it.
    #[must_use]
    pub fn source(self) -> Source {
        match self {
            Layer::Managed => Source::PolicySettings,
            Layer::CommandLine => Source::CliArg,
            Layer::Local => Source::LocalSettings,
            Layer::Project => Source::ProjectSettings,
            Layer::User => Source::UserSettings,
        }
    }
}

impl SettingsFiles {
    /// No settings at all, for a session that begins in this directory.
    #[must_use]
    pub fn none(root: impl Into<PathBuf>) -> SettingsFiles {
        SettingsFiles {
            root: root.into(),
            home: None,
            managed: None,
            managed_folder: None,
            extra: Vec::new(),
            local: Vec::new(),
            project: None,
            user: None,
        }
    }

    /// The usual places, for a session that begins in this directory: managed settings below `/etc/claude-code`, the
    /// project's in `.claude` of that directory, the user's in `config` or `~/.claude`. Local settings are at the root
    /// of the git repository, and in the directory itself where that is another.
    #[must_use]
    pub fn usual(
        root: impl Into<PathBuf>,
        home: Option<PathBuf>,
        config: Option<PathBuf>,
        files: &dyn Files,
    ) -> SettingsFiles {
        let root = root.into();
        let local = |folder: &Path| folder.join(".claude/settings.local.json");
        let mut locals: Vec<PathBuf> = git_root(&root, files).iter().map(|folder| local(folder)).collect();
        if !locals.contains(&local(&root)) {
            locals.push(local(&root));
        }
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".claude")));
        SettingsFiles {
            managed: Some("/etc/claude-code/managed-settings.json".into()),
            managed_folder: Some("/etc/claude-code/managed-settings.d".into()),
            extra: Vec::new(),
            local: locals,
            project: Some(root.join(".claude/settings.json")),
            user: config.map(|config| config.join("settings.json")),
            home,
            root,
        }
    }

    /// All files, the highest first.
    pub(super) fn all(&self, files: &dyn Files) -> Vec<LayerFile> {
        let mut all = Vec::new();
        let mut add = |layer, place, is_required| all.push(LayerFile { layer, place, is_required });
        for place in self.managed_places(files) {
            add(Layer::Managed, place, false);
        }
        for extra in self.extra.iter().rev() {
            add(
                Layer::CommandLine,
                match extra {
                    ExtraSettings::File(path) => FilePlace::Path(path.clone()),
                    ExtraSettings::Json(text) => FilePlace::Text(text.clone()),
                },
                true,
            );
        }
        for path in &self.local {
            add(Layer::Local, FilePlace::Path(path.clone()), false);
        }
        if let Some(path) = &self.project {
            add(Layer::Project, FilePlace::Path(path.clone()), false);
        }
        if let Some(path) = &self.user {
            add(Layer::User, FilePlace::Path(path.clone()), false);
        }
        all
    }

    fn managed_places(&self, files: &dyn Files) -> Vec<FilePlace> {
        let mut places = Vec::new();
        if let Some(folder) = &self.managed_folder {
            match files.list(folder) {
                Ok(names) => {
                    let mut names: Vec<_> = names
                        .into_iter()
                        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "json"))
                        .collect();
                    names.sort();
                    places.extend(names.iter().rev().map(|name| FilePlace::Path(folder.join(name))));
                }
                Err(error) if is_absence(&error) => {}
                Err(error) => places.push(FilePlace::Lost(folder.clone(), error.to_string())),
            }
        }
        places.extend(self.managed.iter().cloned().map(FilePlace::Path));
        places
    }

    /// Why a local file counts as the project's: then it may have come with the project.
    pub(super) fn is_projects(&self, path: &Path, files: &dyn Files) -> Option<&'static str> {
        let folder = path.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let below = path.strip_prefix(folder).unwrap_or(path);
        let as_named = files.resolve(folder).ok().map(|real| real.join(below));
        let real = files.resolve(path).ok();
        if real.is_none() || real != as_named {
            return Some("it leads through a link");
        }
        is_tracked(path, files).then_some("git tracks it")
    }
}

/// Whether an error means that there is nothing.
pub(super) fn is_absence(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
