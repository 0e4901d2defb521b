//! The output of a command, in bounded memory: its beginning and its end, and how much between them was dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::tasks::Spool;

/// How many bytes of the beginning are kept.
pub(crate) const HEAD_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How many bytes of the end are kept.
pub(crate) const TAIL_BYTES_MAX: usize = 2 * 1024 * 1024;
/// How many bytes are kept in all.
const KEPT_BYTES_MAX: u64 = (HEAD_BYTES_MAX + TAIL_BYTES_MAX) as u64;
/// How many bytes a character has at the most.
pub(crate) const CHAR_BYTES_MAX: usize = 4;

/// Makes a place for output that memory cannot hold.
pub(crate) type Spill = Box<dyn FnOnce() -> Arc<Spool> + Send>;

/// Output as it arrived.
#[derive(Default)]
pub(crate) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    /// Where it goes too.
    copy: Option<Arc<Spool>>,
    /// Where it is to go too when some of it must be dropped here.
    spill: Option<Spill>,
}

impl Output {
    /// Takes more of it.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.copy.is_none()
            && self.total + bytes.len() as u64 > KEPT_BYTES_MAX
            && let Some(spill) = self.spill.take()
        {
            self.copy_to(&spill());
        }
        self.total += bytes.len() as u64;
        if let Some(copy) = &self.copy {
            copy.push(bytes);
        }
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES_MAX - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(TAIL_BYTES_MAX)..];
        let too_many = (self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES_MAX);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
    }

    /// Has it go somewhere else too once memory cannot hold it.
    pub(crate) fn spill_to(&mut self, spill: Spill) {
        self.spill = Some(spill);
    }

    /// Where it goes too.
    pub(crate) fn copy(&self) -> Option<&Arc<Spool>> {
        self.copy.as_ref()
    }

    /// Has it go somewhere else too, with what is there already.
    pub(crate) fn copy_to(&mut self, spool: &Arc<Spool>) {
        if self.dropped() == 0 {
            let (one, two) = self.tail.as_slices();
            [self.head.as_slice(), one, two].into_iter().for_each(|part| spool.push(part));
        } else {
            spool.push(self.text().as_bytes());
        }
        self.copy = Some(Arc::clone(spool));
    }

    /// How many bytes arrived.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes were dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// It as text; what is not UTF-8 becomes a replacement character.
    pub(crate) fn text(&self) -> String {
        let (one, two) = self.tail.as_slices();
        let dropped = self.dropped();
        if dropped == 0 {
            return String::from_utf8_lossy(&[&self.head, one, two].concat()).into_owned();
        }
        let tail = [one, two].concat();
        let head = String::from_utf8_lossy(whole_at_the_end(&self.head));
        let tail = String::from_utf8_lossy(whole_at_the_start(&tail));
        format!("{head}\n… [{dropped} bytes of output dropped here] …\n{tail}")
    }

    /// It as text without the white space at its end, cut to its beginning and its end where it is longer, with a mark
    /// that says how much of what arrived is missing between them.
    pub(crate) fn shortened(&self, chars_max: usize) -> String {
        let text = self.text();
        let text = text.trim_end();
        if self.dropped() == 0 {
            return shortened(text, chars_max);
        }
        match ends(text, chars_max) {
            None => text.to_owned(),
            Some((head, _mark_and_more, tail)) => {
                let left_out = self.total.saturating_sub((head.len() + tail.len()) as u64);
                format!("{head}\n… [{left_out} bytes left out] …\n{tail}")
            }
        }
    }

    /// The last characters of it.
    pub(crate) fn last(&self, chars_max: usize) -> String {
        let bytes_max = chars_max * CHAR_BYTES_MAX;
        let tail: Vec<u8> = if self.tail.len() >= bytes_max {
            self.tail.range(self.tail.len() - bytes_max..).copied().collect()
        } else {
            let wanted = bytes_max - self.tail.len();
            let head = &self.head[self.head.len().saturating_sub(wanted)..];
            head.iter().chain(&self.tail).copied().collect()
        };
        let text = String::from_utf8_lossy(whole_at_the_start(&tail)).into_owned();
        let from = text.char_indices().rev().nth(chars_max.saturating_sub(1)).map_or(0, |(at, _first)| at);
        text[from..].to_owned()
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("total", &self.total).finish_non_exhaustive()
    }
}

/// The bytes without a character that is cut at their end.
pub(crate) fn whole_at_the_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(CHAR_BYTES_MAX)..]) {
        Err(error) if error.error_len().is_none() => {
            let cut = bytes.len().min(CHAR_BYTES_MAX) - error.valid_up_to();
            &bytes[..bytes.len() - cut]
        }
        Ok(_) | Err(_) => bytes,
    }
}

/// The bytes without the rest of a character that is cut at their start.
pub(crate) fn whole_at_the_start(bytes: &[u8]) -> &[u8] {
    let is_rest = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let rest = bytes.iter().take(CHAR_BYTES_MAX - 1).take_while(|byte| is_rest(byte)).count();
    &bytes[rest..]
}

/// A text cut to its beginning and its end, with a mark that says how much is missing between them.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    match ends(text, chars_max) {
        None => text.to_owned(),
        Some((head, left_out, tail)) => {
            format!("{head}\n… [{} characters left out] …\n{tail}", left_out.chars().count())
        }
    }
}

/// A text's beginning, what is between, and its end; nothing where all of it fits.
fn ends(text: &str, chars_max: usize) -> Option<(&str, &str, &str)> {
    let half = chars_max / 2;
    text.char_indices().nth(chars_max)?;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _first_left_out)| at);
    let tail = half.checked_sub(1).and_then(|back| text.char_indices().nth_back(back));
    let tail = tail.map_or(text.len(), |(at, _first_of_it)| at);
    Some((&text[..head], &text[head..tail], &text[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_kept_while_it_fits() {
        let mut output = Output::default();
        output.push(b"a\n");
        output.push("ü\n".as_bytes());
        output.push(&[0xFF]);
        assert_eq!(output.text(), "a\nü\n\u{FFFD}");
        assert_eq!((output.total(), output.dropped()), (6, 0));
        assert_eq!(output.last(3), "ü\n\u{FFFD}");
    }

    #[test]
    fn beyond_the_limits_the_middle_is_dropped_and_counted() {
        let mut output = Output::default();
        let chunk = "aü".repeat(50_000);
        for _ in 0..100 {
            output.push(chunk.as_bytes());
        }
        output.push(b"end");
        let kept = (HEAD_BYTES_MAX + TAIL_BYTES_MAX) as u64;
        assert_eq!(output.dropped(), output.total() - kept);
        let text = output.text();
        assert!(text.starts_with("aü") && text.ends_with("end"));
        assert!(!text.contains('\u{FFFD}'), "cuts fall between characters");
        assert!(text.contains(&format!("[{} bytes of output dropped here]", output.dropped())));
        assert_eq!(output.last(5), "aüend");
    }

    #[test]
    fn a_piece_larger_than_both_limits_is_taken() {
        let mut output = Output::default();
        output.push(&vec![b'x'; HEAD_BYTES_MAX + TAIL_BYTES_MAX + 7]);
        assert_eq!(output.dropped(), 7);
    }

    #[test]
    fn what_is_left_out_of_output_that_was_dropped_is_counted_from_all_of_it() {
        let mut output = Output::default();
        output.push(&vec![b'x'; 10_000_000]);
        output.push(b"end\n");
        let text = output.shortened(10);
        assert_eq!(text, format!("xxxxx\n… [{} bytes left out] …\nxxend", 10_000_004 - 10));
        let mut short = Output::default();
        short.push("äbcdefgh\n".as_bytes());
        assert_eq!(short.shortened(4), "äb\n… [4 characters left out] …\ngh");
        assert_eq!(short.shortened(8), "äbcdefgh");
    }

    #[test]
    fn a_text_is_shortened_in_the_middle() {
        assert_eq!(shortened("abc", 0), "\n… [3 characters left out] …\n");
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("äbcdefgh", 4), "äb\n… [4 characters left out] …\ngh");
    }
}
