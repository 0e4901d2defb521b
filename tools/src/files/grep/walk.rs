//! Which files are below a folder, without those that ignore files name: in the order of their paths.

use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Memory};
use std::sync::mpsc;

use ignore::{WalkBuilder, WalkState};

use super::super::search::ENTRIES_MAX;
use super::filter::{BadFilter, Filter};
use super::run::threads;
use crate::files::far::Far;
use crate::files::stop::Stop;

/// What is below a folder.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// The files by their paths below the folder, in the order of [`by_path`].
    pub(crate) files: Vec<PathBuf>,
    /// How many files and folders could not be looked at.
    pub(crate) unreadable: usize,
    /// Whether everything was looked at.
    pub(crate) is_complete: bool,
}

/// Lists the files below the folder at `place`. No link is followed below it.
pub(crate) fn list(place: &Path, filter: &Filter, stop: &Stop, far: &Far) -> Result<Listed, BadFilter> {
    let mut builder = WalkBuilder::new(place);
    builder
        .hidden(false)
        .add_custom_ignore_filename(".rgignore")
        .overrides(filter.overrides(place)?)
        .types(filter.types())
        .threads(threads());
    let (entries, unreadable, is_cut) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let (send, files) = mpsc::channel();
    builder.build_parallel().run(|| {
        let send = send.clone();
        let (entries, unreadable, is_cut) = (&entries, &unreadable, &is_cut);
        Box::new(move |entry| {
            if entries.fetch_add(1, Memory::Relaxed) >= ENTRIES_MAX || stop.is_reached() {
                is_cut.store(true, Memory::Relaxed);
                return WalkState::Quit;
            }
            far.look();
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    let below = entry.path().strip_prefix(place).unwrap_or(entry.path()).to_owned();
                    // Nobody receives any more only when all is over.
                    let _sent = send.send(below);
                }
                Ok(_no_file) => {}
                Err(_unreadable) => {
                    unreadable.fetch_add(1, Memory::Relaxed);
                }
            }
            WalkState::Continue
        })
    });
    drop(send);
    let mut files: Vec<PathBuf> = files.into_iter().collect();
    files.sort_unstable_by(|a, b| by_path(a, b));
    Ok(Listed { files, unreadable: unreadable.into_inner(), is_complete: !is_cut.into_inner() })
}

/// The order of paths, name by name: what is in a folder stands together.
pub(crate) fn by_path(a: &Path, b: &Path) -> Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    let (a, b) = (a.as_os_str().as_bytes(), b.as_os_str().as_bytes());
    a.iter().map(key).cmp(b.iter().map(key))
}
