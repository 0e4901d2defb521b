//! What is judged: the effects of one call, with every place its paths mean.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Files;
use super::named::named_files;
use super::rules::Fields;
use crate::contract::{Context, Effect, Effects, Flags, Form, absolute};
use crate::message::RawInput;

/// One call as the gate sees it.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// The tool's form.
    pub form: &'a Form,
    /// What is true of this input.
    pub flags: Flags,
    /// What it would do.
    pub effects: Effects,
    /// The session's context.
    pub context: &'a Context,
    /// The texts of its input: as the model wrote it, and as it would run.
    pub inputs: Cow<'a, [&'a RawInput]>,
    /// The fields of its input, read when a rule first needs them.
    fields: OnceLock<Fields>,
    // INVARIANT: one list for each known effect, in their order, empty for effects without a path; none at all where no
    // effect can have one.
    paths: Vec<Vec<PathBuf>>,
    /// The files that commands name among their words, with every place they mean: rules that close reading are asked
    /// of these too.
    named: Vec<(Effect, Vec<PathBuf>)>,
    /// Where the folders of the session lead, looked up when they first matter.
    folders: OnceLock<Box<Folders>>,
    files: &'a dyn Files,
    /// Why it cannot be told where a path leads, if that is so: then only a person can allow the call.
    pub(super) unresolved: Option<String>,
}

/// The folders of a session, each by name and in reality.
#[derive(Clone, Debug)]
struct Folders {
    /// The working directory.
    cwds: Vec<PathBuf>,
    /// The directories the agent works in. The root is never among them.
    own: Vec<PathBuf>,
    /// The directories that may only be read.
    readable: Vec<PathBuf>,
    /// The home directory, where it is known.
    homes: Vec<PathBuf>,
}

impl<'a> Subject<'a> {
    /// The subject of one call. `inputs` are the texts of its input, as the model wrote it and as it would run: rules
    /// about one parameter are matched against them, and ask where there are none.
    #[must_use]
    pub fn new(
        form: &'a Form,
        flags: Flags,
        effects: Effects,
        inputs: impl IntoIterator<Item = &'a RawInput>,
        context: &'a Context,
        files: &'a dyn Files,
    ) -> Subject<'a> {
        let inputs: Vec<&RawInput> = inputs.into_iter().collect();
        Subject::of_call(form, flags, effects, inputs.into(), context, files)
    }

    /// Like [`Subject::new`], of texts that are in a list already.
    pub(crate) fn of_call(
        form: &'a Form,
        flags: Flags,
        effects: Effects,
        inputs: Cow<'a, [&'a RawInput]>,
        context: &'a Context,
        files: &'a dyn Files,
    ) -> Subject<'a> {
        let Found { paths, named, folders, unresolved } = match may_touch_files(&effects) {
            true => Found::of(&effects, context, files),
            false => Found::default(),
        };
        let fields = OnceLock::new();
        Subject { form, flags, effects, context, inputs, fields, paths, named, folders, files, unresolved }
    }

    /// The fields of its input.
    pub(super) fn fields(&self) -> &Fields {
        self.fields.get_or_init(|| Fields::of(&self.inputs))
    }

    /// The known effects with the paths they mean.
    pub(super) fn each(&self) -> impl Iterator<Item = Judged<'_>> {
        let known: &[Effect] = match &self.effects {
            Effects::Known(known) => known,
            Effects::Unknown { .. } => &[],
        };
        known.iter().enumerate().map(|(at, effect)| {
            let paths = self.paths.get(at).map_or(&[] as &[PathBuf], Vec::as_slice);
            Judged { effect, paths }
        })
    }

    /// The same call as if it read every file that its commands name; nothing where they name none.
    pub(super) fn reading_named(&self) -> Option<Subject<'a>> {
        if self.named.is_empty() {
            return None;
        }
        let (known, paths): (Vec<Effect>, Vec<Vec<PathBuf>>) = self.named.iter().cloned().unzip();
        Some(Subject { effects: Effects::Known(known), paths, named: Vec::new(), ..self.clone() })
    }

    /// The same call as if it were in what this session works in a copy of; nothing where it works in none.
    pub(super) fn in_original(&self) -> Option<Subject<'a>> {
        let mirror = self.context.mirror.as_ref()?;
        let original = |path: &PathBuf| match path.strip_prefix(&mirror.copy) {
            Ok(rest) => mirror.original.join(rest),
            Err(_elsewhere) => path.clone(),
        };
        let all = |paths: &Vec<PathBuf>| paths.iter().map(original).collect::<Vec<_>>();
        let paths = self.paths.iter().map(all).collect();
        let named = self.named.iter().map(|(effect, paths)| (effect.clone(), all(paths))).collect();
        Some(Subject { paths, named, ..self.clone() })
    }

    /// Whether a call has a path, and all it means is in directories the agent works in.
    pub(super) fn is_inside(&self, paths: &[PathBuf]) -> bool {
        let is_in_one = |path: &PathBuf| self.folders().own.iter().any(|folder| path.starts_with(folder));
        !paths.is_empty() && paths.iter().all(is_in_one)
    }

    /// Whether all that a call reads is where it may read.
    pub(super) fn is_readable(&self, paths: &[PathBuf]) -> bool {
        let Folders { own, readable, .. } = self.folders();
        let is_in_one = |path: &PathBuf| own.iter().chain(readable).any(|folder| path.starts_with(folder));
        !paths.is_empty() && paths.iter().all(is_in_one)
    }

    /// Whether an effect changes nothing, where the agent works.
    pub(super) fn is_harmless(&self, judged: Judged<'_>) -> bool {
        match judged.effect {
            Effect::Read(_) | Effect::ReadBelow(_) => self.is_readable(judged.paths),
            Effect::Command { read_only, .. } => *read_only,
            Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_)
            | Effect::Contact(_)
            | Effect::Name(_) => false,
        }
    }

    /// Whether an effect needs no rule of its own: it changes nothing, or a rule about its command answers for it.
    pub(super) fn needs_no_word(&self, judged: Judged<'_>) -> bool {
        self.is_harmless(judged) || matches!(judged.effect, Effect::MayWrite(_))
    }

    /// What must not be removed: the directories the agent works in, and home.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Path> {
        let Folders { cwds, own, homes, .. } = self.folders();
        cwds.iter().chain(own).chain(homes).map(PathBuf::as_path)
    }

    /// The working directory, by name and in reality.
    pub(super) fn cwds(&self) -> &[PathBuf] {
        &self.folders().cwds
    }

    fn folders(&self) -> &Folders {
        let (context, files) = (self.context, self.files);
        self.folders.get_or_init(|| Box::new(Places { context, files, unresolved: None }.folders()))
    }
}

/// Which places the effects of a call mean: what a [`Subject`] keeps of them.
#[derive(Default)]
struct Found {
    paths: Vec<Vec<PathBuf>>,
    named: Vec<(Effect, Vec<PathBuf>)>,
    folders: OnceLock<Box<Folders>>,
    unresolved: Option<String>,
}

impl Found {
    fn of(effects: &Effects, context: &Context, files: &dyn Files) -> Found {
        let mut places = Places { context, files, unresolved: None };
        // A folder that leads nowhere is told before the paths that hang on it.
        let folders = OnceLock::from(Box::new(places.folders()));
        let paths = match effects {
            Effects::Known(known) => known.iter().map(|effect| places.of_effect(effect)).collect(),
            Effects::Unknown { .. } => Vec::new(),
        };
        let mut unresolved = places.unresolved.take();
        let named = named_files(effects, context).unwrap_or_else(|| {
            let reason = || "it has too many words to be looked through".to_owned();
            unresolved.get_or_insert_with(reason);
            Vec::new()
        });
        // That a word is no path anybody can follow says nothing of the call.
        let placed = named.into_iter().map(|effect| {
            let paths = places.of_effect(&effect);
            (effect, paths)
        });
        Found { paths, named: placed.collect(), folders, unresolved }
    }
}

/// Whether what a call would do may have to do with files, so that it matters where the folders of the session lead.
fn may_touch_files(effects: &Effects) -> bool {
    match effects {
        Effects::Unknown { .. } => true,
        Effects::Known(known) => known.iter().any(|effect| match effect {
            Effect::Command { .. }
            | Effect::Read(_)
            | Effect::ReadBelow(_)
            | Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_) => true,
            Effect::Contact(_) | Effect::Name(_) => false,
        }),
    }
}

/// One effect, with every path it means: as it was named, and as links lead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'a> {
    pub(super) effect: &'a Effect,
    /// All of them must be open for the effect to be, and one that is closed closes it.
    pub(super) paths: &'a [PathBuf],
}

/// Finds out what paths mean, and keeps the first reason why one cannot be told.
struct Places<'a> {
    context: &'a Context,
    files: &'a dyn Files,
    unresolved: Option<String>,
}

impl Places<'_> {
    fn folders(&mut self) -> Folders {
        let context = self.context;
        let cwds = self.of_folder(&context.cwd);
        let mut own: Vec<PathBuf> = Vec::new();
        for folder in context.directories() {
            own.extend(self.of_folder(folder));
        }
        own.retain(|folder| folder.is_absolute() && folder.parent().is_some());
        let readable =
            context.readable_directories.iter().flat_map(|folder| self.of_folder(folder)).collect();
        let homes = context.home.iter().flat_map(|home| self.of_folder(home)).collect();
        Folders { cwds, own, readable, homes }
    }

    fn of_effect(&mut self, effect: &Effect) -> Vec<PathBuf> {
        match effect {
            Effect::Read(path) | Effect::ReadBelow(path) | Effect::Write(path) | Effect::MayWrite(path) => {
                self.of(path)
            }
            // Some programs remove a link, and some what it leads to.
            Effect::Remove(path) => {
                let mut places = self.of(path);
                if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
                    let folders = self.of(folder);
                    folders.iter().for_each(|folder| insert(&mut places, folder.join(name)));
                }
                places
            }
            Effect::Command { .. } | Effect::Contact(_) | Effect::Name(_) => Vec::new(),
        }
    }

    /// The path by its name, the place it leads to, and, where `..` might lead through a link, the place that its name
    /// without `..` leads to.
    fn of(&mut self, path: &Path) -> Vec<PathBuf> {
        let named = absolute(&self.context.cwd, self.context.home.as_deref(), path);
        let joined = self.context.cwd.join(path);
        let mut places = vec![named.clone()];
        let mut others: Vec<PathBuf> =
            [&named, &joined].into_iter().filter_map(|path| self.of_process(path)).collect();
        others.dedup();
        others.iter().for_each(|other| insert(&mut places, other.clone()));
        if joined != named {
            others.push(joined);
        }
        if let Some(open) = [path, named.as_path()].into_iter().find(|path| leads_through_open_file(path)) {
            let reason = || format!("where `{}` leads hangs on what is open", open.display());
            self.unresolved.get_or_insert_with(reason);
        }
        for path in std::iter::once(named).chain(others) {
            match self.resolve(&path) {
                Ok(real) => insert(&mut places, real),
                Err(error) => {
                    let reason = || format!("where `{}` leads cannot be told: {error}", path.display());
                    self.unresolved.get_or_insert_with(reason);
                }
            }
        }
        places
    }

    /// Where a path leads that goes through what the system tells of a process: the one that opens it will be another.
    fn of_process(&self, path: &Path) -> Option<PathBuf> {
        let mut parts = path.strip_prefix("/proc").ok()?.components();
        let process = parts.next()?.as_os_str().to_str()?;
        let is_process =
            matches!(process, "self" | "thread-self") || process.bytes().all(|byte| byte.is_ascii_digit());
        let mut place = parts.next()?.as_os_str().to_str()?;
        if place == "task" {
            parts.next()?;
            place = parts.next()?.as_os_str().to_str()?;
        }
        let folder = match place {
            "cwd" => self.context.cwd.as_path(),
            "root" => Path::new("/"),
            _other => return None,
        };
        is_process.then(|| absolute(folder, self.context.home.as_deref(), parts.as_path()))
    }

    /// What is no folder at all is none the agent works in.
    fn of_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        if folder.is_absolute() { self.of(folder) } else { Vec::new() }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it contains a NUL"));
        }
        let real = self.files.resolve(path)?;
        if real.is_absolute() { Ok(real) } else { Err(io::Error::other("the answer is not absolute")) }
    }
}

/// Whether a path goes on behind a folder that a process has open, by its number.
fn leads_through_open_file(path: &Path) -> bool {
    let names: Vec<&std::ffi::OsStr> = path.iter().collect();
    let at = names.iter().position(|name| *name == "fd");
    let is_of_process = names.get(1).is_some_and(|name| *name == "proc" || *name == "dev");
    at.is_some_and(|at| is_of_process && names.len() > at + 2)
}

fn insert(places: &mut Vec<PathBuf>, place: PathBuf) {
    if !places.contains(&place) {
        places.push(place);
    }
}
