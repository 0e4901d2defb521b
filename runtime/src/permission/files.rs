//! Where paths lead: the gate's only contact with the file system.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Where paths lead: the permission gate's own contact with the file system.
pub trait Files: Send + Sync + 'static {
    /// The path with every link followed. What does not exist is kept by name behind the part that does; a link that
    /// leads to nothing leads to where a write through it would create something.
    ///
    /// # Errors
    /// When it cannot be told, such as for a loop of links: then nothing is allowed automatically.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// The content of a file, for settings.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or has more bytes than this. A world that does not say what its files hold
    /// is one in which they cannot be read.
    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let _ = (path, bytes_max);
        Err(io::Error::new(io::ErrorKind::Unsupported, "files are not read here"))
    }

    /// The names in a folder, in their order, for settings.
    ///
    /// # Errors
    /// When it is not there or cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let _ = folder;
        Err(io::Error::new(io::ErrorKind::Unsupported, "folders are not read here"))
    }
}

impl std::fmt::Debug for dyn Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Files")
    }
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFiles;

/// How many links one path may lead through: what Linux follows.
const LINKS_MAX: usize = 40;

impl Files for RealFiles {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        let mut walk = Walk { real: PathBuf::new(), left: Vec::new(), links: 0, is_missing: false };
        walk.add(path);
        while let Some(part) = walk.left.pop() {
            walk.step(part)?;
        }
        Ok(walk.real)
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let metadata = std::fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        // Reading a pipe or a device could wait without end.
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is neither a file nor a folder"));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        within(bytes, bytes_max)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
        let mut names = entries.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }
}

/// The bytes, unless they are too many.
pub(crate) fn within(bytes: Vec<u8>, bytes_max: u64) -> io::Result<Vec<u8>> {
    let is_within = u64::try_from(bytes.len()).is_ok_and(|length| length <= bytes_max);
    let too_large =
        || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {bytes_max} bytes"));
    if is_within { Ok(bytes) } else { Err(too_large()) }
}

/// A path on its way through the file system.
struct Walk {
    real: PathBuf,
    /// What is still to be walked, the next part last.
    left: Vec<Part>,
    links: usize,
    /// Whether `real` is behind something that does not exist.
    is_missing: bool,
}

enum Part {
    /// The root, or a drive.
    Root(OsString),
    Up,
    Name(OsString),
}

impl Walk {
    fn add(&mut self, path: &Path) {
        let parts = path.components().rev().filter_map(|part| match part {
            Component::Prefix(_) | Component::RootDir => Some(Part::Root(part.as_os_str().to_owned())),
            Component::CurDir => None,
            Component::ParentDir => Some(Part::Up),
            Component::Normal(name) => Some(Part::Name(name.to_owned())),
        });
        self.left.extend(parts);
    }

    fn step(&mut self, part: Part) -> io::Result<()> {
        match part {
            Part::Root(root) => self.real.push(root),
            Part::Up if self.is_missing => {
                return Err(io::Error::new(io::ErrorKind::NotFound, "`..` stands behind a missing folder"));
            }
            Part::Up => {
                self.real.pop();
            }
            Part::Name(name) => self.enter(&name)?,
        }
        Ok(())
    }

    fn enter(&mut self, name: &OsString) -> io::Result<()> {
        let next = self.real.join(name);
        match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                self.links += 1;
                if self.links > LINKS_MAX {
                    return Err(io::Error::other("it leads through too many links"));
                }
                self.add(&next.read_link()?);
            }
            Ok(_file_or_folder) => self.real = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.is_missing = true;
                self.real = next;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
