//! The output of a task: whole in a file, as far as that may grow, its end in memory, and how much of it the model has
//! read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::shell::{CHAR_BYTES_MAX, whole_at_the_end, whole_at_the_start};

/// How many characters of a task's output the model reads at once.
pub(crate) const SHOWN_CHARS_MAX: usize = 30_000;
/// How many bytes of the end are kept in memory: as much as may be shown, whatever its characters.
const KEPT_BYTES_MAX: usize = SHOWN_CHARS_MAX * CHAR_BYTES_MAX;

/// What hears of everything that is written.
pub(crate) type Listener = Box<dyn Fn(&[u8]) + Send + Sync>;

/// What a task has written.
pub(crate) struct Spool {
    place: Option<PathBuf>,
    listener: Option<Listener>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Nothing when there is none, or when no more of it can be written.
    file: Option<File>,
    /// Why the file is not whole.
    broken: Option<String>,
    file_bytes_max: u64,
    kept: VecDeque<u8>,
    total: u64,
    /// Up to where the model has read.
    read: u64,
}

/// What is new since the model last looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// The end of it, as text.
    pub(crate) text: String,
    /// How many bytes before that end are new too.
    pub(crate) bytes_before: u64,
}

impl Spool {
    /// An empty one, whose file takes so many bytes at the most. Without a file only the end is kept.
    pub(crate) fn new(file: Option<(PathBuf, File)>, file_bytes_max: u64) -> Spool {
        let (place, file) = file.unzip();
        let state = State { file, broken: None, file_bytes_max, kept: VecDeque::new(), total: 0, read: 0 };
        Spool { place, listener: None, state: Mutex::new(state) }
    }

    /// The same, with someone who hears of everything that is written.
    pub(crate) fn heard_by(mut self, listener: Option<Listener>) -> Spool {
        self.listener = listener;
        self
    }

    /// The file, if there is one.
    pub(crate) fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    /// Takes more of the output. What the file cannot take is no reason to stop.
    pub(crate) fn push(&self, bytes: &[u8]) {
        if let Some(listener) = &self.listener {
            listener(bytes);
        }
        let mut state = self.state();
        state.write(bytes);
        state.total += bytes.len() as u64;
        let end = &bytes[bytes.len().saturating_sub(KEPT_BYTES_MAX)..];
        let too_many = (state.kept.len() + end.len()).saturating_sub(KEPT_BYTES_MAX);
        state.kept.drain(..too_many);
        state.kept.extend(end);
    }

    /// Nothing more is to come: lets go of the file.
    pub(crate) fn close(&self) {
        self.state().file = None;
    }

    /// How many bytes were written.
    pub(crate) fn total(&self) -> u64 {
        self.state().total
    }

    /// Why the file is not whole; nothing while it is.
    pub(crate) fn broken(&self) -> Option<String> {
        self.state().broken.clone()
    }

    /// What is new since this was last asked. A character of which a part is still to come counts as not written,
    /// unless nothing is to come.
    pub(crate) fn take_news(&self, is_over: bool) -> News {
        let mut state = self.state();
        let new = state.total - state.read;
        let wanted = usize::try_from(new).unwrap_or(usize::MAX).min(state.kept.len());
        let mut bytes: Vec<u8> = state.kept.range(state.kept.len() - wanted..).copied().collect();
        if !is_over {
            let whole = whole_at_the_end(&bytes).len();
            bytes.truncate(whole);
        }
        let incomplete = (wanted - bytes.len()) as u64;
        state.read = state.total - incomplete;
        let mut from = if new > wanted as u64 { bytes.len() - whole_at_the_start(&bytes).len() } else { 0 };
        from += last_chars(&bytes[from..], SHOWN_CHARS_MAX);
        let text = String::from_utf8_lossy(&bytes[from..]).into_owned();
        News { text, bytes_before: new - wanted as u64 + from as u64 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spool").field("place", &self.place).finish_non_exhaustive()
    }
}

impl State {
    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = usize::try_from(self.file_bytes_max.saturating_sub(self.total)).unwrap_or(usize::MAX);
        let fits = &bytes[..bytes.len().min(room)];
        if let Err(error) = file.write_all(fits) {
            self.broken = Some(error.to_string());
        } else if fits.len() < bytes.len() {
            self.broken = Some(format!("it has the first {} bytes, and takes no more", self.file_bytes_max));
        }
        if self.broken.is_some() {
            self.file = None;
        }
    }
}

/// Where the last characters begin, so many at the most; what is no text counts as it is shown.
fn last_chars(bytes: &[u8], chars_max: usize) -> usize {
    let mut starts = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        starts.extend(chunk.valid().char_indices().map(|(offset, _)| at + offset));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            starts.push(at);
            at += chunk.invalid().len();
        }
    }
    let too_many = starts.len().saturating_sub(chars_max);
    starts.get(too_many).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(spool: &Spool) -> String {
        spool.take_news(true).text
    }

    #[test]
    fn each_look_shows_what_is_new() {
        let spool = Spool::new(None, 0);
        spool.push(b"one\n");
        assert_eq!(all(&spool), "one\n");
        assert_eq!(all(&spool), "");
        spool.push(b"two\n");
        assert_eq!(all(&spool), "two\n");
    }

    #[test]
    fn a_character_that_is_not_all_there_yet_is_shown_when_it_is() {
        let spool = Spool::new(None, 0);
        spool.push(&[b'a', 0xC3]);
        assert_eq!(spool.take_news(false).text, "a");
        spool.push(&[0xBC, b'!']);
        assert_eq!(spool.take_news(false).text, "ü!");
        spool.push(&[0xC3]);
        assert_eq!(spool.take_news(true).text, "\u{FFFD}", "nothing more is to come");
    }

    #[test]
    fn of_a_flood_the_end_is_shown_and_what_is_before_it_counted() {
        let spool = Spool::new(None, 0);
        spool.push("ü".repeat(SHOWN_CHARS_MAX).as_bytes());
        spool.push(b"end");
        let news = spool.take_news(true);
        assert_eq!(news.text.chars().count(), SHOWN_CHARS_MAX);
        assert!(news.text.ends_with("üend"));
        assert_eq!(news.bytes_before, 6);
        spool.push(&vec![b'x'; 10 * KEPT_BYTES_MAX]);
        let news = spool.take_news(true);
        assert_eq!(news.text.len() as u64 + news.bytes_before, 10 * KEPT_BYTES_MAX as u64);
        assert_eq!(spool.take_news(true), News { text: String::new(), bytes_before: 0 });
    }

    #[test]
    fn a_full_disk_costs_the_file_and_nothing_else() {
        let full = File::options().write(true).open("/dev/full").expect("it can be written to, in vain");
        let spool = Spool::new(Some((PathBuf::from("/dev/full"), full)), 1_000);
        spool.push(b"one\n");
        spool.push(b"two\n");
        assert!(spool.broken().is_some_and(|why| why.contains("space")), "{:?}", spool.broken());
        assert_eq!(all(&spool), "one\ntwo\n");
    }

    #[test]
    fn the_file_is_whole_up_to_its_limit_and_says_so() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let place = folder.path().join("out");
        let file = File::create(&place).expect("files can be made");
        let spool = Spool::new(Some((place.clone(), file)), 10);
        spool.push(b"12345678");
        assert_eq!(spool.broken(), None);
        spool.push(b"90ab");
        assert!(spool.broken().is_some_and(|why| why.contains("the first 10 bytes")));
        spool.push(b"cd");
        assert_eq!(std::fs::read(&place).expect("it is there"), b"1234567890");
        assert_eq!((spool.total(), all(&spool).as_str()), (14, "1234567890abcd"));
    }
}
