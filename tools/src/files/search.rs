//! Finding files by a pattern: where the search begins, what it passes by, and where it stops.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use globset::{GlobBuilder, GlobMatcher};
use rustix::fs::{Dir, FileType, OFlags};

use super::far::Far;
use super::place;
use super::stop::Stop;
use crate::one_line::one_line;

/// How many files and folders a search looks at.
pub(crate) const ENTRIES_MAX: usize = 500_000;

/// A search that can be made.
#[derive(Debug)]
pub(crate) struct Search {
    /// The folder to search: absolute, the literal beginning of the pattern included.
    pub(crate) folder: PathBuf,
    matcher: GlobMatcher,
    dots: Dots,
}

/// What happens to names that begin with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dots {
    Skipped,
    /// The pattern has a part that begins with a dot itself.
    Taken,
}

/// Why a pattern cannot be searched for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadPattern {
    /// It says nothing.
    #[error("the pattern is empty: give one such as `**/*.rs`")]
    Empty,
    /// It is not a glob.
    #[error("`{}` is not a glob: {}", one_line(.0), .1)]
    NotAGlob(String, String),
    /// It climbs out of what it matched.
    #[error("`{}` has `..` after a wildcard: give the folder in `path` instead", one_line(.0))]
    Climbs(String),
}

/// What a search found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files, newest first, then by path; absolute.
    pub(crate) files: Vec<PathBuf>,
    /// How many folders could not be read.
    pub(crate) unreadable: usize,
    /// How it ended.
    pub(crate) end: End,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// It looked at everything.
    #[default]
    Complete,
    /// It had looked at as many files and folders as it may.
    Entries,
    /// There was no time left, or nobody wanted it any more.
    Time,
}

impl Search {
    /// Reads a pattern; `absolute` makes its literal beginning absolute.
    pub(crate) fn new(pattern: &str, absolute: impl Fn(&Path) -> PathBuf) -> Result<Search, BadPattern> {
        let (folder, rest) = split_literal(pattern);
        if rest.is_empty() {
            return Err(BadPattern::Empty);
        }
        if Path::new(rest).components().any(|part| part == Component::ParentDir) {
            return Err(BadPattern::Climbs(pattern.to_owned()));
        }
        let glob = GlobBuilder::new(rest).literal_separator(true).build();
        let glob =
            glob.map_err(|error| BadPattern::NotAGlob(pattern.to_owned(), error.kind().to_string()))?;
        let dots = if names_dots(rest) { Dots::Taken } else { Dots::Skipped };
        Ok(Search { folder: absolute(Path::new(folder)), matcher: glob.compile_matcher(), dots })
    }

    /// Walks the folder at `place`, which is what [`Search::folder`] leads to. No link is followed, neither to it nor
    /// below it, so that there are no circles and nobody is led elsewhere.
    pub(crate) fn run(&self, place: &Path, stop: &Stop, far: &Far) -> io::Result<Found> {
        let mut found = Found::default();
        let mut dated: Vec<(Reverse<SystemTime>, PathBuf)> = Vec::new();
        let mut entries = 0;
        // Folders by their names below the first.
        let mut folders = vec![PathBuf::new()];
        let mut is_first = true;
        'walk: while let Some(folder) = folders.pop() {
            let listed = match list(&place.join(&folder)) {
                Ok(listed) => listed,
                Err(error) if is_first => return Err(error),
                Err(_unreadable) => {
                    found.unreadable += 1;
                    continue;
                }
            };
            is_first = false;
            for entry in listed.filter_map(Result::ok) {
                entries += 1;
                far.look();
                found.end = match (entries > ENTRIES_MAX, stop.is_reached()) {
                    (false, false) => End::Complete,
                    (true, false) => End::Entries,
                    (_, true) => End::Time,
                };
                if found.end != End::Complete {
                    break 'walk;
                }
                match self.judge(place, &folder, &entry) {
                    Entry::Passed => {}
                    Entry::Folder(path) => folders.push(path),
                    Entry::File(modified, path) => {
                        far.find();
                        dated.push((Reverse(modified), path));
                    }
                }
            }
        }
        dated.sort_unstable();
        found.files = dated.into_iter().map(|(_modified, path)| path).collect();
        Ok(found)
    }

    fn judge(&self, place: &Path, folder: &Path, entry: &rustix::fs::DirEntry) -> Entry {
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b".." | b".git") || (name.starts_with(b".") && self.dots == Dots::Skipped) {
            return Entry::Passed;
        }
        let below = folder.join(OsStr::from_bytes(name));
        let path = || place.join(&below);
        let kind = match entry.file_type() {
            // Not every file system says.
            FileType::Unknown => path().symlink_metadata().map_or(FileType::Unknown, |data| file_type(&data)),
            known => known,
        };
        if kind == FileType::Directory {
            return Entry::Folder(below);
        }
        if !self.matcher.is_match(&below) {
            return Entry::Passed;
        }
        // A link that leads nowhere has a time of its own.
        match std::fs::metadata(path()).or_else(|_nowhere| path().symlink_metadata()) {
            Ok(metadata) if metadata.is_dir() => Entry::Passed,
            Ok(metadata) => Entry::File(modified(&metadata), self.folder.join(below)),
            Err(_gone) => Entry::Passed,
        }
    }
}

/// What is in a folder. No link is followed to it.
fn list(place: &Path) -> io::Result<Dir> {
    let folder = place::open(place, OFlags::RDONLY | OFlags::DIRECTORY)?;
    Ok(Dir::new(folder)?)
}

fn file_type(metadata: &Metadata) -> FileType {
    FileType::from_raw_mode(metadata.mode())
}

enum Entry {
    Passed,
    Folder(PathBuf),
    File(SystemTime, PathBuf),
}

fn modified(metadata: &Metadata) -> SystemTime {
    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The folders a pattern begins with, and the rest, whose first part is the first with a wildcard or the last of all.
fn split_literal(pattern: &str) -> (&str, &str) {
    let is_wild = |part: &str| part.contains(['*', '?', '[', ']', '{', '}', '\\']);
    let mut rest_at = 0;
    for (slash, _) in pattern.match_indices('/') {
        if is_wild(&pattern[rest_at..slash]) {
            break;
        }
        rest_at = slash + 1;
    }
    let (folder, rest) = pattern.split_at(rest_at);
    if rest == ".." { (pattern, "") } else { (folder, rest) }
}

/// Whether a part of the pattern begins with a dot, alternatives included.
fn names_dots(pattern: &str) -> bool {
    let mut before = '/';
    for c in pattern.chars() {
        if c == '.' && matches!(before, '/' | '{' | ',' | '[' | '\\') {
            return true;
        }
        before = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_beginning_is_where_the_search_begins() {
        for (pattern, folder, rest) in [
            ("*.rs", "", "*.rs"),
            ("src/**/*.rs", "src/", "**/*.rs"),
            ("./src/main.rs", "./src/", "main.rs"),
            ("/etc/*.conf", "/etc/", "*.conf"),
            ("../a/*.c", "../a/", "*.c"),
            ("{a/b,c}/d", "", "{a/b,c}/d"),
            ("a\\*/b", "", "a\\*/b"),
            ("src/", "src/", ""),
            ("..", "..", ""),
        ] {
            assert_eq!(split_literal(pattern), (folder, rest), "{pattern}");
        }
    }

    #[test]
    fn dots_are_taken_only_when_they_are_named() {
        for (pattern, named) in [
            ("**/*.yml", false),
            (".env", true),
            ("a/.x/*", true),
            ("{a,.b}", true),
            ("[.a]*", true),
            ("a.b", false),
        ] {
            assert_eq!(names_dots(pattern), named, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_cannot_be_searched_for_are_refused() {
        for pattern in ["", "src/", "..", "a[", "{a", "*/../x"] {
            assert!(Search::new(pattern, Path::to_owned).is_err(), "{pattern}");
        }
    }
}
