//! Following a file: what is added to it, also when another file takes its name or it begins anew.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::OFlags;

use crate::files::open_place;

/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How much is read in one look: what is left comes with the next.
const LOOK_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A file that is followed.
#[derive(Debug)]
pub(super) struct Followed {
    place: PathBuf,
    file: Option<File>,
    /// Up to where it was read.
    at: u64,
}

/// What a look at a file found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// What was added.
    pub(super) bytes: Vec<u8>,
    /// What happened to the file itself, in words.
    pub(super) happened: Vec<&'static str>,
    /// Whether more is there than was taken.
    pub(super) is_more: bool,
}

impl Followed {
    /// A file from its end on, as it is now; from its beginning where it comes to be there later.
    ///
    /// # Errors
    /// When it is there and cannot be followed.
    pub(super) fn from_end(place: PathBuf) -> io::Result<Followed> {
        let mut followed = Followed { place, file: None, at: 0 };
        match followed.open() {
            Ok(Some(file)) => {
                followed.at = file.metadata()?.len();
                followed.file = Some(file);
            }
            Ok(None) => {}
            Err(error) => return Err(error),
        }
        Ok(followed)
    }

    /// What was added since the last look. Blocks shortly.
    ///
    /// # Errors
    /// When it cannot be read any more.
    pub(super) fn look(&mut self) -> io::Result<Look> {
        let mut look = Look::default();
        if let Some(file) = &mut self.file {
            if file.metadata()?.len() < self.at {
                look.happened.push("the file was cut, and is read from its beginning");
                self.at = 0;
            }
            read(file, &mut self.at, &mut look)?;
            if look.is_more {
                return Ok(look);
            }
        }
        let now = self.open()?;
        let is_same = match (&self.file, &now) {
            (Some(old), Some(new)) => same(&old.metadata()?, &new.metadata()?),
            (None, None) => true,
            (Some(_), None) => {
                look.happened.push("the file is gone; it is waited for");
                false
            }
            (None, Some(_)) => false,
        };
        if is_same {
            return Ok(look);
        }
        if let Some(mut file) = now {
            look.happened.push(match self.file {
                Some(_) => "another file has its name now, and is read from its beginning",
                None => "the file is there now",
            });
            self.at = 0;
            read(&mut file, &mut self.at, &mut look)?;
            self.file = Some(file);
        } else {
            self.file = None;
        }
        Ok(look)
    }

    /// Opens what has the name now: nothing where nothing has. What is no file would be waited for without end.
    fn open(&self) -> io::Result<Option<File>> {
        match open_place(&self.place, OFlags::RDONLY | OFlags::NONBLOCK) {
            Ok(file) if file.metadata()?.is_file() => Ok(Some(file)),
            Ok(_other) => Err(io::Error::other("it is no file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Reads on from a place in a file, as far as one look goes.
fn read(file: &mut File, at: &mut u64, look: &mut Look) -> io::Result<()> {
    file.seek(SeekFrom::Start(*at))?;
    let mut chunk = vec![0; CHUNK_BYTES];
    while look.bytes.len() < LOOK_BYTES_MAX {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok(());
        }
        look.bytes.extend_from_slice(&chunk[..length]);
        *at += length as u64;
    }
    look.is_more = true;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn bytes(followed: &mut Followed) -> Vec<u8> {
        followed.look().expect("it can be read").bytes
    }

    fn world() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let place = folder.path().canonicalize().expect("it is there").join("log");
        (folder, place)
    }

    fn append(place: &PathBuf, text: &str) {
        let mut file = File::options().append(true).create(true).open(place).expect("files can be written");
        file.write_all(text.as_bytes()).expect("files can be written");
    }

    #[test]
    fn what_is_added_is_found_once() {
        let (_folder, place) = world();
        append(&place, "old\n");
        let mut followed = Followed::from_end(place.clone()).expect("it can be followed");
        assert_eq!(followed.look().expect("it can be read"), Look::default());
        append(&place, "new\n");
        assert_eq!(bytes(&mut followed), b"new\n");
        assert_eq!(bytes(&mut followed), b"");
    }

    #[test]
    fn a_file_that_takes_its_name_is_read_behind_the_rest_of_the_old_one() {
        let (folder, place) = world();
        append(&place, "old\n");
        let mut followed = Followed::from_end(place.clone()).expect("it can be followed");
        append(&place, "last\n");
        std::fs::rename(&place, folder.path().join("log.1")).expect("files can be renamed");
        append(&place, "first\n");
        let look = followed.look().expect("it can be read");
        assert_eq!(look.bytes, b"last\nfirst\n");
        assert!(look.happened[0].contains("another file"), "{look:?}");
        append(&place, "more\n");
        assert_eq!(bytes(&mut followed), b"more\n");
    }

    #[test]
    fn a_file_that_is_cut_begins_anew() {
        let (_folder, place) = world();
        append(&place, "a long line\n");
        let mut followed = Followed::from_end(place.clone()).expect("it can be followed");
        std::fs::write(&place, "short\n").expect("files can be written");
        let look = followed.look().expect("it can be read");
        assert_eq!((look.bytes.as_slice(), look.happened.len()), (b"short\n".as_slice(), 1));
    }

    #[test]
    fn a_file_may_come_and_go() {
        let (_folder, place) = world();
        let mut followed = Followed::from_end(place.clone()).expect("it can be waited for");
        assert_eq!(bytes(&mut followed), b"");
        append(&place, "one\n");
        assert_eq!(bytes(&mut followed), b"one\n");
        std::fs::remove_file(&place).expect("files can be removed");
        assert_eq!(followed.look().expect("it is gone").happened.len(), 1);
        assert_eq!(followed.look().expect("it is gone").happened.len(), 0);
        append(&place, "two\n");
        assert_eq!(bytes(&mut followed), b"two\n");
    }

    #[test]
    fn what_is_no_file_and_what_is_a_link_now_is_not_followed() {
        let (folder, place) = world();
        assert!(Followed::from_end(folder.path().canonicalize().expect("it is there")).is_err());
        let mut followed = Followed::from_end(place.clone()).expect("it can be waited for");
        append(&folder.path().join("secret"), "secret\n");
        std::os::unix::fs::symlink(folder.path().join("secret"), &place).expect("links can be made");
        assert!(followed.look().is_err());
    }

    #[test]
    fn one_look_takes_so_much_and_the_next_the_rest() {
        let (_folder, place) = world();
        let mut followed = Followed::from_end(place.clone()).expect("it can be waited for");
        append(&place, &"x".repeat(LOOK_BYTES_MAX + 10));
        let look = followed.look().expect("it can be read");
        assert!(look.is_more);
        assert_eq!(look.bytes.len() + bytes(&mut followed).len(), LOOK_BYTES_MAX + 10);
    }
}
