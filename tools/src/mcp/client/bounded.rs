//! A server's output, whose messages may not be longer than we keep.
//!
//! A longer message would be passed over further up, and whoever waits for it would wait for ever. Here it ends the
//! connection, with the reason.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// How long a message may be: as long as `rmcp` keeps.
const MESSAGE_BYTES_MAX: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;

/// Why a connection was ended from our side, once it was.
pub(super) type Fault = Arc<OnceLock<String>>;

/// Output that ends with an error where a line is too long.
pub(super) struct Bounded<R> {
    output: R,
    /// How long the line is so far.
    line_bytes: usize,
    fault: Fault,
}

impl<R> Bounded<R> {
    pub(super) fn new(output: R, fault: Fault) -> Bounded<R> {
        Bounded { output, line_bytes: 0, fault }
    }

    /// Counts what was read; whether no line is too long.
    fn count(&mut self, read: &[u8]) -> bool {
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            self.line_bytes += part.len();
            if self.line_bytes > MESSAGE_BYTES_MAX {
                return false;
            }
            if part.ends_with(b"\n") {
                self.line_bytes = 0;
            }
        }
        true
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.output).poll_read(cx, buffer);
        if polled.is_pending() || self.count(&buffer.filled()[before..]) {
            return polled;
        }
        buffer.set_filled(before);
        let why = format!(
            "it sent a message of more than {MESSAGE_BYTES_MAX} bytes, which is not read: have it answer with less"
        );
        Poll::Ready(Err(io::Error::other(self.fault.get_or_init(|| why).clone())))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(output: Vec<u8>) -> (io::Result<usize>, Fault) {
        let fault = Fault::default();
        let mut kept = Vec::new();
        let mut bounded = Bounded::new(output.as_slice(), Arc::clone(&fault));
        let read = bounded.read_to_end(&mut kept).await;
        (read, fault)
    }

    #[tokio::test]
    async fn lines_up_to_the_limit_pass_and_a_longer_one_ends_it_with_the_reason() {
        let line = |bytes: usize| [vec![b'x'; bytes - 1], vec![b'\n']].concat();
        let longest = line(MESSAGE_BYTES_MAX);
        let (all, fault) = read([longest.clone(), longest.clone()].concat()).await;
        assert_eq!((all.ok(), fault.get()), (Some(2 * MESSAGE_BYTES_MAX), None));
        let (cut, fault) = read([longest, line(MESSAGE_BYTES_MAX + 1)].concat()).await;
        assert!(cut.is_err() && fault.get().is_some_and(|why| why.contains("more than")), "{fault:?}");
    }
}
