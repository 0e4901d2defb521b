//! What is judged: the effects of one call, with the places its paths really lead to.

use std::io;
use std::path::{Path, PathBuf};

use crate::contract::{Context, Effect, Effects, Flags, Form};

/// Where paths lead: the permission gate's own contact with the file system.
pub trait Files: Send + Sync + 'static {
    /// The path with every link followed. What does not exist is kept by name behind the part that does.
    ///
    /// # Errors
    /// When it cannot be told, such as for a loop of links: then nothing is allowed automatically.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFiles;

impl Files for RealFiles {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let mut missing = Vec::new();
        let mut rest = path;
        loop {
            match rest.canonicalize() {
                Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
                // A link that leads nowhere is not a missing name: writing to it creates what it points at.
                Err(error) if error.kind() != io::ErrorKind::NotFound || rest.is_symlink() => {
                    return Err(error);
                }
                Err(error) => {
                    let (Some(parent), Some(name)) = (rest.parent(), rest.file_name()) else {
                        return Err(error);
                    };
                    missing.push(name.to_owned());
                    rest = parent;
                }
            }
        }
    }
}

/// One call as the gate sees it.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The tool's form.
    pub form: &'a Form,
    /// What is true of this input.
    pub flags: Flags,
    /// What it would do; a path that cannot be resolved makes them unknown.
    pub effects: Effects,
    /// The real path of each effect with a path, in their order; `None` for effects without one.
    pub(super) real: Vec<Option<PathBuf>>,
    /// The session's context.
    pub context: &'a Context,
    /// The real path of the working directory and of each additional directory.
    pub(super) real_folders: Vec<PathBuf>,
}

impl<'a> Subject<'a> {
    /// The subject of one call.
    #[must_use]
    pub fn new(
        form: &'a Form,
        flags: Flags,
        effects: Effects,
        context: &'a Context,
        files: &dyn Files,
    ) -> Subject<'a> {
        let folders = std::iter::once(&context.cwd).chain(&context.additional_directories);
        let real_folders = folders.filter_map(|folder| files.resolve(folder).ok()).collect();
        let (effects, real) = resolve_all(effects, files);
        Subject { form, flags, effects, real, context, real_folders }
    }

    /// The effects with the paths they name and the paths they lead to.
    pub(super) fn each(&self) -> impl Iterator<Item = Judged<'_>> {
        let known: &[Effect] = match &self.effects {
            Effects::Known(known) => known,
            Effects::Unknown { .. } => &[],
        };
        known.iter().zip(&self.real).map(|(effect, real)| Judged { effect, real: real.as_deref() })
    }

    /// Whether a path is in a directory the agent works in, both by name and in reality.
    pub(super) fn is_inside(&self, given: &Path, real: &Path) -> bool {
        self.context.is_inside(given) && self.real_folders.iter().any(|folder| real.starts_with(folder))
    }
}

/// One effect, with the place its path really leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'a> {
    pub(super) effect: &'a Effect,
    pub(super) real: Option<&'a Path>,
}

impl<'a> Judged<'a> {
    /// The path it names and the one it leads to.
    pub(super) fn paths(self) -> Option<[&'a Path; 2]> {
        Some([path_of(self.effect)?, self.real?])
    }
}

fn path_of(effect: &Effect) -> Option<&Path> {
    match effect {
        Effect::Read(path) | Effect::Write(path) | Effect::Remove(path) => Some(path),
        Effect::Command { .. } | Effect::Contact(_) | Effect::Name(_) => None,
    }
}

/// A removal takes a link itself away, not what it points at: only the folder it stands in is followed.
fn real_path(effect: &Effect, path: &Path, files: &dyn Files) -> io::Result<PathBuf> {
    match (effect, path.parent(), path.file_name()) {
        (Effect::Remove(_), Some(parent), Some(name)) => Ok(files.resolve(parent)?.join(name)),
        _other => files.resolve(path),
    }
}

fn resolve_all(effects: Effects, files: &dyn Files) -> (Effects, Vec<Option<PathBuf>>) {
    let Effects::Known(known) = effects else { return (effects, Vec::new()) };
    let mut real = Vec::with_capacity(known.len());
    for effect in &known {
        match path_of(effect).map(|path| real_path(effect, path, files)).transpose() {
            Ok(path) => real.push(path),
            Err(error) => {
                let reason = format!(
                    "where `{}` leads cannot be told: {error}",
                    path_of(effect).unwrap_or(Path::new("")).display()
                );
                let raw = format!("{known:?}");
                return (Effects::Unknown { reason, raw }, Vec::new());
            }
        }
    }
    (Effects::Known(known), real)
}
