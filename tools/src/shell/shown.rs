//! Commands that do nothing but show one file: the agent has read it then, and may change it, as after Read.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolwright::contract::{Effects, FilesSeen};

use super::single::Single;
use crate::files::load::Loaded;

/// Programs that show files.
const SHOWING: &[&str] = &["bat", "cat", "grep", "head", "nl", "rg", "sed", "tail"];

/// A file that a command is to show, as it was before.
#[derive(Debug)]
pub(super) struct ShownFile {
    place: PathBuf,
    before: Stamp,
}

/// What changes with a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Whether it is worth asking which file a command line shows.
pub(super) fn may_show(command: &str) -> bool {
    command.split_whitespace().next().is_some_and(|name| SHOWING.contains(&name))
}

/// The one file that a command line shows, where it is one command that does nothing else.
pub(super) fn only_file(effects: &Effects) -> Option<&Path> {
    let single = Single::of(effects).filter(|single| single.read_only && !single.writes)?;
    let (name, arguments) = single.words.split_first()?;
    let shows =
        SHOWING.contains(&name.as_str()) && (name != "sed" || arguments.iter().any(|word| word == "-n"));
    single.file.filter(|_| shows)
}

impl ShownFile {
    /// A file as it is now; nothing where there is none. Blocks shortly.
    pub(super) fn before(place: PathBuf) -> Option<ShownFile> {
        let metadata = std::fs::symlink_metadata(&place).ok().filter(Metadata::is_file)?;
        Some(ShownFile { place, before: Stamp::of(&metadata) })
    }

    /// The command has ended: remembers the file as seen where the output shows something of it, unless it is another
    /// by now. Blocks shortly.
    pub(super) fn remember(&self, output: &str, files: &FilesSeen) {
        let Ok(loaded) = Loaded::from_place(&self.place) else { return };
        let is_known = files.get(&loaded.path).is_some_and(|seen| seen.content == loaded.content);
        if !is_known && Stamp::of(&loaded.metadata) == self.before && shows(output, &loaded.content) {
            files.put(&loaded.path, loaded.seen(false));
        }
    }
}

/// Whether an output has a line of a text, alone or behind a number. A program that was told to be quiet, to count, or to
/// write elsewhere has shown nothing, whatever its name.
fn shows(output: &str, text: &str) -> bool {
    let behind = |line| ['\t', ':', '-'].into_iter().filter_map(move |mark| str::split_once(line, mark));
    let lines = output.lines().flat_map(|line| behind(line).map(|(_number, rest)| rest).chain([line]));
    let lines: BTreeSet<&str> = lines.collect();
    text.lines().any(|line| !line.trim().is_empty() && lines.contains(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_while_it_was_shown_has_not_been_seen() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let place = folder.path().canonicalize().expect("it is there").join("f");
        std::fs::write(&place, "one").expect("files can be written");
        let files = FilesSeen::default();
        let shown = ShownFile::before(place.clone()).expect("it is a file");
        std::fs::write(&place, "two").expect("files can be written");
        shown.remember("two", &files);
        assert_eq!(files.get(&place), None);
        ShownFile::before(place.clone()).expect("it is a file").remember("two", &files);
        assert_eq!(files.get(&place).map(|seen| seen.content.to_string()).as_deref(), Some("two"));
        assert!(ShownFile::before(folder.path().to_owned()).is_none());
    }

    #[test]
    fn a_line_shows_a_file_alone_or_behind_a_number() {
        let file = "one: 1\n\n  two\n";
        for output in ["one: 1\n", "     1\tone: 1", "1:one: 1\n", "3-  two", "x\r\n  two\r\n"] {
            assert!(shows(output, file), "{output:?}");
        }
        for output in ["", "\n", "1\n", "two", "one", "f\n", "3:"] {
            assert!(!shows(output, file), "{output:?}");
        }
    }
}
