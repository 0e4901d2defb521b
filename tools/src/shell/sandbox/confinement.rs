//! What one command may do to the disk and the network: made of what settings say and of what is there now.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use toolwright::contract::SandboxPolicy;

use super::backend::Backend;
use super::bubblewrap;
use super::steering::{Which, steering};

/// What may be done to a place and all below it, down to a place of which something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It is read and written.
    Write,
    /// It is read.
    Read,
    /// Neither.
    Hidden,
}

/// What one command may do. Of what is not said, reading is open.
#[derive(Clone, Debug)]
pub(crate) struct Confinement {
    backend: Backend,
    // INVARIANT: places without links, which exist; above before below.
    places: Vec<(PathBuf, Access)>,
    /// Of the hidden places, the folders.
    folders_hidden: Vec<PathBuf>,
    /// Folders whose steering files are looked at.
    folders: Vec<PathBuf>,
    /// What steers and was there before.
    steering: Vec<PathBuf>,
    /// What may not be written and was not there before.
    absent: Vec<PathBuf>,
    pub(super) network: bool,
    pub(super) may_be_left: bool,
}

impl Confinement {
    /// The confinement of a command in a session with these folders, and one for temporary files. Blocks: it looks at
    /// the disk.
    pub(crate) fn new(
        backend: Backend,
        policy: &SandboxPolicy,
        folders: &[PathBuf],
        temporary: &Path,
    ) -> Confinement {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let folders: Vec<PathBuf> = folders.iter().filter_map(real).collect();
        let steering_there: Vec<PathBuf> =
            folders.iter().flat_map(|folder| steering(folder, Which::Steers)).collect();
        let mut places: BTreeMap<PathBuf, Access> = BTreeMap::new();
        let mut put = |paths: &mut dyn Iterator<Item = PathBuf>, access: Access| {
            places.extend(paths.map(|path| (path, access)));
        };
        // What comes later counts more, and what closes comes later than what opens.
        put(&mut folders.iter().cloned(), Access::Write);
        put(&mut steering_there.iter().cloned(), Access::Read);
        put(&mut reopened(&steering_there).into_iter(), Access::Write);
        let opened: Vec<PathBuf> = policy.writable.iter().filter_map(real).collect();
        put(&mut opened.iter().cloned(), Access::Write);
        put(&mut opened.iter().flat_map(|folder| steering(folder, Which::Guards)), Access::Read);
        put(&mut policy.unwritable.iter().filter_map(real), Access::Read);
        put(&mut policy.unreadable.iter().filter_map(real), Access::Hidden);
        put(&mut policy.readable.iter().filter_map(real), Access::Read);
        put(&mut real(&temporary.to_owned()).into_iter(), Access::Write);
        let mut places: Vec<(PathBuf, Access)> = places.into_iter().collect();
        places.sort_by_key(|(path, _)| path.components().count());
        let is_hidden_folder =
            |(path, access): &&(PathBuf, Access)| *access == Access::Hidden && path.is_dir();
        let folders_hidden = places.iter().filter(is_hidden_folder).map(|(path, _)| path.clone()).collect();
        Confinement {
            backend,
            places,
            folders_hidden,
            folders,
            steering: steering_there,
            absent: policy.unwritable.iter().filter(|path| !path.exists()).cloned().collect(),
            network: policy.network,
            may_be_left: policy.may_be_left,
        }
    }

    /// The words before a program that is to be confined; none where the thread that starts it is.
    pub(crate) fn words(&self, cwd: &Path) -> Vec<std::ffi::OsString> {
        match &self.backend {
            Backend::Bubblewrap(program) => {
                let mut words = vec![program.clone().into_os_string()];
                words.extend(bubblewrap::arguments(&self.places, &self.folders_hidden, cwd, self.network));
                words
            }
            Backend::Landlock => Vec::new(),
        }
    }

    /// Starts something confined: in a thread of its own, since what is said to the kernel counts for a thread and all
    /// it starts. Blocks shortly.
    #[cfg(target_os = "linux")]
    pub(crate) fn start<T: Send>(&self, start: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        use super::{backend, landlock, seccomp};
        let runtime = tokio::runtime::Handle::current();
        let started = backend::apart(|| {
            let sockets = match (&self.backend, self.network) {
                (Backend::Landlock, false) => seccomp::Sockets::None,
                // Bubblewrap's own network has only itself to talk to.
                (Backend::Bubblewrap(_), _) | (Backend::Landlock, true) => seccomp::Sockets::Internet,
            };
            if self.backend == Backend::Landlock {
                landlock::restrict(&landlock::Grants::of(&self.places))?;
            }
            seccomp::refuse(sockets)?;
            let _inside = runtime.enter();
            Ok(start())
        });
        started.map_err(|reason| io::Error::other(format!("the sandbox cannot be made: {reason}")))?
    }

    /// There is no sandbox here that could be chosen.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn start<T: Send>(&self, _start: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        Err(io::Error::other("sandboxes are for Linux"))
    }

    /// Whether a command may write at an absolute path: the place that it leads to now.
    pub(super) fn may_write(&self, path: &Path) -> bool {
        let real = leads_to(path);
        let is_stated = self.access(&real) == Access::Write;
        let is_new_beside = || {
            !real.exists()
                && real
                    .parent()
                    .is_some_and(|folder| self.access(folder) == Access::Write && self.closes_below(folder))
        };
        is_stated && !(self.backend == Backend::Landlock && is_new_beside())
    }

    /// Whether something below a folder is closed. Landlock makes nothing new beside it.
    fn closes_below(&self, folder: &Path) -> bool {
        self.places
            .iter()
            .any(|(path, access)| *access != Access::Write && path != folder && path.starts_with(folder))
    }

    fn access(&self, path: &Path) -> Access {
        let around = self.places.iter().rev().find(|(place, _)| path.starts_with(place));
        around.map_or(Access::Read, |(_, access)| *access)
    }

    /// Where commands write.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().filter(|(_, access)| *access == Access::Write).map(|(path, _)| path.as_path())
    }

    /// What steers, or should not have been written, and was made since this was last asked. Blocks: it looks at the disk.
    pub(super) fn appeared(&mut self) -> Vec<PathBuf> {
        let now = self.folders.iter().flat_map(|folder| steering(folder, Which::Steers));
        let mut new: Vec<PathBuf> = now.filter(|path| !self.steering.contains(path)).collect();
        self.steering.extend(new.iter().cloned());
        new.extend(self.absent.extract_if(.., |path| path.exists()));
        new
    }

    /// Whether what is started leads to the program that is confined, and is not that itself.
    #[cfg(feature = "repl")]
    pub(crate) fn is_led(&self) -> bool {
        !self.is_landlock()
    }

    /// Whether this is who confines.
    pub(super) fn is_landlock(&self) -> bool {
        self.backend == Backend::Landlock
    }
}

/// The folders of working copies among the agent's own files: they are worked in.
fn reopened(steering: &[PathBuf]) -> Vec<PathBuf> {
    let agents = steering.iter().filter(|path| path.file_name().is_some_and(|name| name == ".claude"));
    agents.filter_map(|folder| folder.join("worktrees").canonicalize().ok()).collect()
}

/// Where an absolute path leads, as far as it exists.
pub(super) fn leads_to(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return match path.strip_prefix(above) {
                Ok(below) if !below.as_os_str().is_empty() => real.join(below),
                Ok(_) | Err(_) => real,
            };
        }
    }
    path.to_owned()
}
