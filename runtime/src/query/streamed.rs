//! Answers of a model of one's own, without a library for streams.

use futures_util::stream;
use tokio::sync::mpsc;

use super::{ModelError, ModelEvent, ModelStream};
use crate::message::Block;

/// How many events wait for the session at the most, before whoever sends them waits.
const WAITING_MAX: usize = 64;

/// An answer that is all there: its blocks, in this order.
///
/// ```
/// use toolwright::message::Block;
/// use toolwright::prelude::*;
/// use toolwright::query::{Model, ModelStream, Request, blocks};
///
/// /// Makes one call, whatever it is asked.
/// struct Looks;
///
/// impl Model for Looks {
///     fn respond(&self, _request: Request) -> ModelStream {
///         let call = ToolUse::new("a", "Look", r#"{"where":"outside"}"#);
///         blocks([Block::Text("I look.".to_owned()), Block::ToolUse(call)])
///     }
/// }
/// ```
#[must_use]
pub fn blocks(blocks: impl IntoIterator<Item = Block>) -> ModelStream {
    events((0..).zip(blocks).map(|(index, block)| ModelEvent::Block { index, block }))
}

/// An answer that is all there, with events besides its blocks, such as its [`Usage`](super::Usage).
#[must_use]
pub fn events(events: impl IntoIterator<Item = ModelEvent>) -> ModelStream {
    let events: Vec<_> = events.into_iter().map(Ok).collect();
    Box::pin(stream::iter(events))
}

/// No answer, but an error.
#[must_use]
pub fn failed(error: ModelError) -> ModelStream {
    Box::pin(stream::iter([Err(error)]))
}

/// An answer that comes piece by piece, from a task of the model's own: what is sent into it, until the sender is
/// dropped.
///
/// ```
/// use toolwright::env::TaskName;
/// use toolwright::prelude::*;
/// use toolwright::query::{Model, ModelEvent, ModelStream, Request, channel};
///
/// /// Counts to three, a second for each.
/// struct Counts(Env);
///
/// impl Model for Counts {
///     fn respond(&self, _request: Request) -> ModelStream {
///         let (sender, answer) = channel();
///         let env = self.0.clone();
///         drop(self.0.spawn(TaskName { kind: "model", index: 0 }, async move {
///             for number in 0..3 {
///                 env.sleep(std::time::Duration::from_secs(1)).await;
///                 if !sender.send(ModelEvent::text(number, format!("{}!", number + 1))).await {
///                     return;
///                 }
///             }
///         }));
///         answer
///     }
/// }
/// ```
#[must_use]
pub fn channel() -> (ModelSender, ModelStream) {
    let (sender, mut events) = mpsc::channel(WAITING_MAX);
    (ModelSender(sender), Box::pin(stream::poll_fn(move |cx| events.poll_recv(cx))))
}

/// Where the events of an answer are sent. The answer is complete when this is dropped.
#[derive(Debug)]
pub struct ModelSender(mpsc::Sender<Result<ModelEvent, ModelError>>);

impl ModelSender {
    /// Sends an event, as soon as the session has taken others. Says whether it was wanted: nobody listens to an answer
    /// that was given up.
    pub async fn send(&self, event: ModelEvent) -> bool {
        self.0.send(Ok(event)).await.is_ok()
    }

    /// Breaks the answer off.
    pub async fn fail(self, error: ModelError) {
        // Nobody is there to hear it where this fails.
        drop(self.0.send(Err(error)).await);
    }
}
