//! A whole search: which files, on how many threads, and until when.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use rustix::fs::OFlags;

use super::file::{Binary, Found, Left, Reader, Wanted};
use super::filter::Filter;
use super::order::{Amount, Order};
use super::walk;
use crate::files::far::Far;
use crate::files::place;
use crate::files::stop::Stop;

/// How many bytes of lines a search finds.
pub(crate) const FOUND_BYTES_MAX: usize = 4 * 1024 * 1024;
/// On how many threads a search runs.
const THREADS_MAX: usize = 8;

/// A search that can be made.
#[derive(Debug)]
pub(crate) struct Search {
    /// What is looked for.
    pub(crate) matcher: RegexMatcher,
    /// Whether a match may go over several lines.
    pub(crate) is_multiline: bool,
    /// In which files below a folder.
    pub(crate) filter: Filter,
    /// What is wanted of each file.
    pub(crate) wanted: Wanted,
    /// How many lines are enough.
    pub(crate) lines_max: usize,
}

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Everything {
    /// The files that match, by their paths below the folder, in the order of their paths; of one file, the path is
    /// empty.
    pub(crate) files: Vec<(PathBuf, Found)>,
    /// Whether it was in one file that was named.
    pub(crate) is_one_file: bool,
    /// What was left out.
    pub(crate) omitted: Omitted,
}

/// What a search did not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Omitted {
    /// How many files and folders could not be read.
    pub(crate) unreadable: usize,
    /// How many files had lines that are too long.
    pub(crate) too_long: usize,
    /// Whether there were more files than are looked at.
    pub(crate) is_list_cut: bool,
    /// Whether there was no time left.
    pub(crate) is_out_of_time: bool,
}

/// What a place is that can be searched.
enum Kind {
    File(File),
    Folder,
}

impl Search {
    /// Searches the file or the folder at `place`. No link is followed, neither to it nor below it.
    pub(crate) fn run(&self, place: &Path, stop: &Stop, far: &Far) -> io::Result<Everything> {
        match kind(place)? {
            Kind::File(file) => Ok(self.in_file(&file, stop)),
            Kind::Folder => self.in_folder(place, stop, far),
        }
    }

    fn enough(&self) -> Amount {
        Amount { lines: self.lines_max, bytes: FOUND_BYTES_MAX }
    }

    fn reader(&self, binary: Binary) -> Reader<'_> {
        Reader::new(&self.matcher, self.is_multiline, self.wanted, binary, self.enough())
    }

    fn in_file(&self, file: &File, stop: &Stop) -> Everything {
        let mut all = Everything { is_one_file: true, ..Everything::default() };
        let found = self.reader(Binary::Searched).read(file, stop);
        all.add(PathBuf::new(), found, file);
        all
    }

    fn in_folder(&self, place: &Path, stop: &Stop, far: &Far) -> io::Result<Everything> {
        let listed = walk::list(place, &self.filter, stop, far).map_err(io::Error::other)?;
        let omitted = Omitted {
            unreadable: listed.unreadable,
            is_list_cut: !listed.is_complete && !stop.is_reached(),
            is_out_of_time: stop.is_reached(),
            ..Omitted::default()
        };
        let all = Mutex::new(Everything { omitted, ..Everything::default() });
        far.begin(listed.files.len());
        let order = Order::new(listed.files.len(), self.enough());
        std::thread::scope(|scope| {
            for _thread in 0..threads().min(listed.files.len()) {
                scope.spawn(|| {
                    let part = self.take_files(place, &listed.files, &order, stop, far);
                    all.lock().unwrap_or_else(PoisonError::into_inner).join(part);
                });
            }
        });
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.files.sort_unstable_by(|(a, _), (b, _)| walk::by_path(a, b));
        Ok(all)
    }

    fn take_files(
        &self,
        place: &Path,
        files: &[PathBuf],
        order: &Order,
        stop: &Stop,
        far: &Far,
    ) -> Everything {
        let mut reader = self.reader(Binary::Left);
        let mut part = Everything::default();
        while let Some(mut taken) = order.take() {
            let below = &files[taken.file];
            far.look();
            if stop.is_reached() {
                part.omitted.is_out_of_time = true;
                break;
            }
            let Ok(file) = open_file(&place.join(below)) else {
                part.omitted.unreadable += 1;
                continue;
            };
            let found = reader.read(&file, stop);
            taken.found = found.as_ref().map_or(Amount::default(), Found::amount);
            if found.as_ref().is_ok_and(Found::is_shown) {
                far.find();
            }
            part.add(below.clone(), found, &file);
        }
        part
    }
}

impl Everything {
    fn add(&mut self, below: PathBuf, found: Result<Found, Left>, file: &File) {
        match found {
            Ok(mut found) if found.is_shown() => {
                found.modified = file.metadata().ok().and_then(|metadata| metadata.modified().ok());
                self.files.push((below, found));
            }
            Ok(_nothing) => {}
            Err(Left::Unreadable) => self.omitted.unreadable += 1,
            Err(Left::TooLong) => self.omitted.too_long += 1,
            Err(Left::Stopped) => self.omitted.is_out_of_time = true,
        }
    }

    fn join(&mut self, part: Everything) {
        self.files.extend(part.files);
        self.omitted.unreadable += part.omitted.unreadable;
        self.omitted.too_long += part.omitted.too_long;
        self.omitted.is_out_of_time |= part.omitted.is_out_of_time;
    }
}

/// How many threads a search runs on.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX)
}

/// What is at a place. It is not opened before it is known to be no device and no pipe.
fn kind(place: &Path) -> io::Result<Kind> {
    let metadata = std::fs::symlink_metadata(place)?;
    if metadata.is_dir() {
        // Whether it may be, and without a link on the way.
        place::open(place, OFlags::RDONLY | OFlags::DIRECTORY)?;
        return Ok(Kind::Folder);
    }
    if !metadata.is_file() && !metadata.is_symlink() {
        return Err(io::Error::other(format!(
            "it is a {}",
            crate::files::load::kind_name(metadata.file_type())
        )));
    }
    open_file(place).map(Kind::File)
}

/// Opens a file that is a file.
fn open_file(place: &Path) -> io::Result<File> {
    let file = place::open(place, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file any more")) }
}
