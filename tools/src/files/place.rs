//! Opening a place without following a link to it: what was decided on is what is opened, whatever was put in the way.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;
use toolwright::prelude::InvalidInput;

use crate::one_line::path_line;

/// What is said of a place that has a link on the way to it by now.
pub(crate) const MOVED: &str =
    "leads elsewhere than when the call was decided on: a link was put on the way to it; make the call again";

/// How many bytes a path may have: no system opens a longer one.
const PATH_BYTES_MAX: usize = 4096;

/// Refuses a path that nothing can have, with its beginning: whatever is said of it later would repeat all of it.
pub(crate) fn check_length(path: &Path) -> Result<(), InvalidInput> {
    let bytes = path.as_os_str().len();
    if bytes <= PATH_BYTES_MAX {
        return Ok(());
    }
    Err(InvalidInput::new(format!(
        "the path `{}` has {bytes} bytes, more than the {PATH_BYTES_MAX} that any may have: give a shorter one",
        path_line(path)
    )))
}

/// Refuses a path that no file can have that is to be written: one that is too long, or says itself that it is a folder's.
pub(crate) fn check_writable_name(path: &Path) -> Result<(), InvalidInput> {
    check_length(path)?;
    let text = path.as_os_str().as_bytes();
    if [&b"/"[..], b"/.", b"/.."].iter().any(|end| text.ends_with(end)) {
        let path = path_line(path);
        return Err(InvalidInput::new(format!("`{path}` is a folder by its name: give the path of a file")));
    }
    Ok(())
}

/// Whether an error means that there is a link on the way.
pub(crate) fn is_moved(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

/// Opens an absolute place without links. One that has a link on the way by now is refused with `ELOOP`.
pub(crate) fn open(place: &Path, flags: OFlags) -> io::Result<File> {
    Ok(File::from(open_fd(place, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW)?))
}

#[cfg(target_os = "linux")]
fn open_fd(place: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    match openat2(CWD, place, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Old kernels and some sandboxes do not have it.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => walk(place, flags),
        opened => Ok(opened?),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_fd(place: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    walk(place, flags)
}

/// Opens one part after another, each in the one before.
fn walk(place: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let (folder, name) = match (place.parent(), place.file_name()) {
        (Some(folder), Some(name)) => (folder, name),
        _root => return enter_root(),
    };
    let folder = names(folder)?.into_iter().try_fold(enter_root()?, |folder, name| enter(&folder, name))?;
    open_in(&folder, name, flags)
}

fn enter_root() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/", FOLDER, Mode::empty())?)
}

#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn enter(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    open_in(folder, name, FOLDER)
}

/// Opens a name in a folder. A link is refused with `ELOOP`, also where a folder is wanted.
fn open_in(folder: &OwnedFd, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
    match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOTDIR) if is_link(folder, name) => Err(Errno::LOOP.into()),
        opened => Ok(opened?),
    }
}

fn is_link(folder: &OwnedFd, name: &OsStr) -> bool {
    stat(folder, name).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink())
}

fn stat(folder: &OwnedFd, name: &OsStr) -> io::Result<Stat> {
    Ok(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// The names in an absolute place, which has no `..`.
fn names(place: &Path) -> io::Result<Vec<&OsStr>> {
    let mut names = Vec::new();
    for part in place.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => names.push(name),
            Component::Prefix(_) | Component::ParentDir => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "the place is not resolved"));
            }
        }
    }
    Ok(names)
}

/// A folder that stays the same one, whatever its name comes to mean.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// The folder at a place.
    pub(crate) fn open(place: &Path) -> io::Result<Folder> {
        let folder =
            names(place)?.into_iter().try_fold(enter_root()?, |folder, name| enter(&folder, name))?;
        Ok(Folder(folder))
    }

    /// The folder at a place; what is missing of it is made.
    pub(crate) fn make(place: &Path) -> io::Result<Folder> {
        let mut folder = enter_root()?;
        for name in names(place)? {
            folder = match enter(&folder, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                        // Somebody else may have made it meanwhile.
                        Ok(()) | Err(Errno::EXIST) => enter(&folder, name)?,
                        Err(error) => return Err(error.into()),
                    }
                }
                entered => entered?,
            };
        }
        Ok(Folder(folder))
    }

    /// What the system says of a name in it, links not followed.
    pub(crate) fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        stat(&self.0, name)
    }

    /// Whether whoever runs this may write to a name in it.
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        match rustix::fs::accessat(&self.0, name, Access::WRITE_OK, AtFlags::EACCESS) {
            // Old kernels cannot be asked. The system refuses later what it does not allow.
            Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
            asked => Ok(asked?),
        }
    }

    /// A new file in it, of this mode, that removes itself unless it is given a name.
    pub(crate) fn temporary(&self, mode: Mode) -> io::Result<Temporary<'_>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _try in 0..NAMES_TRIED_MAX {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".toolwright-{}-{number}", std::process::id());
            match rustix::fs::openat(&self.0, &name, flags, mode) {
                Ok(file) => {
                    return Ok(Temporary { folder: self, name, file: File::from(file), is_named: false });
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::EXIST.into())
    }
}

/// How many names are tried for a temporary file: others may have left theirs.
const NAMES_TRIED_MAX: usize = 1_000;

/// A new file that has no name of its own yet.
#[derive(Debug)]
pub(crate) struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    is_named: bool,
}

impl Temporary<'_> {
    /// Writes all of it down.
    pub(crate) fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Puts it in the place of whatever has this name.
    pub(crate) fn replace(mut self, name: &OsStr) -> io::Result<Metadata> {
        self.file.sync_all()?;
        let folder = self.folder.0.as_fd();
        rustix::fs::renameat(folder, &self.name, folder, name)?;
        self.is_named = true;
        self.file.metadata()
    }

    /// Gives it a name that nothing has.
    pub(crate) fn create(self, name: &OsStr) -> io::Result<Metadata> {
        self.file.sync_all()?;
        let folder = self.folder.0.as_fd();
        // The name it has now goes when it is dropped.
        rustix::fs::linkat(folder, &self.name, folder, name, AtFlags::empty())?;
        self.file.metadata()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_named {
            // It may be gone already; there is nothing more to be done about it.
            let _removed = rustix::fs::unlinkat(&self.folder.0, &self.name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_anywhere_on_the_way_is_refused_both_ways_of_opening() {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let root = root.path().canonicalize().expect("it exists");
        std::fs::create_dir_all(root.join("a/b")).expect("folders can be made");
        std::fs::write(root.join("a/b/c"), "x").expect("files can be written");
        std::os::unix::fs::symlink("a", root.join("l")).expect("links can be made");
        std::os::unix::fs::symlink("c", root.join("a/b/l")).expect("links can be made");
        for (place, is_open) in [("a/b/c", true), ("l/b/c", false), ("a/b/l", false)] {
            let place = root.join(place);
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            for opened in [open(&place, flags).map(drop), walk(&place, flags).map(drop)] {
                assert_eq!(opened.is_ok(), is_open, "{place:?} {opened:?}");
                assert!(opened.is_ok() || opened.is_err_and(|error| is_moved(&error)), "{place:?}");
            }
        }
        assert!(Folder::open(&root.join("l/b")).is_err_and(|error| is_moved(&error)));
        assert!(Folder::make(&root.join("l/new")).is_err_and(|error| is_moved(&error)));
        assert!(!root.join("a/new").exists());
        assert!(open(Path::new("/"), OFlags::RDONLY).is_ok());
    }

    #[test]
    fn a_file_without_a_name_leaves_nothing_behind() {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let folder = Folder::open(&root.path().canonicalize().expect("it exists")).expect("it is a folder");
        let files = || std::fs::read_dir(root.path()).expect("it exists").count();
        drop(folder.temporary(Mode::from_raw_mode(0o600)).expect("files can be made"));
        assert_eq!(files(), 0);
        let mut file = folder.temporary(Mode::from_raw_mode(0o600)).expect("files can be made");
        file.fill(b"x").expect("files can be written");
        file.create(OsStr::new("a")).expect("the name is free");
        assert_eq!((files(), std::fs::read(root.path().join("a")).expect("it exists")), (1, b"x".to_vec()));
        let file = folder.temporary(Mode::from_raw_mode(0o600)).expect("files can be made");
        assert!(
            file.create(OsStr::new("a")).is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
        );
        assert_eq!(files(), 1);
    }
}
