//! Tasks that give a value back: hooks and racers. Calls do not use them; their results leave through their slots.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use tokio::sync::oneshot;

use super::Handle;

/// How a task ended without its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskEnd {
    /// It was stopped.
    #[error("the task was stopped")]
    Cancelled,
    /// It panicked, with this message.
    #[error("the task panicked: {0}")]
    Panicked(Arc<str>),
}

/// A running task with a value at its end. Dropping it stops the task: nobody could take the value any more.
#[derive(Debug)]
pub struct Task<T> {
    pub(super) handle: Handle,
    pub(super) value: oneshot::Receiver<Result<T, TaskEnd>>,
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, TaskEnd>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.value).poll(cx).map(|sent| sent.unwrap_or(Err(TaskEnd::Cancelled)))
    }
}

/// A future whose panic is its end and nobody else's, as that of a task is.
pub(super) fn ended<T>(future: impl Future<Output = T>) -> impl Future<Output = Result<T, TaskEnd>> {
    AssertUnwindSafe(future)
        .catch_unwind()
        .map(|ended| ended.map_err(|panic| TaskEnd::Panicked(panic_message(&*panic))))
}

/// The message of a panic, as `panic!` was given it.
#[must_use]
pub fn panic_message(panic: &(dyn Any + Send)) -> Arc<str> {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Arc::from(text.unwrap_or("a value that is not text"))
}
