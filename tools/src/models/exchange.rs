//! One question to a provider and its answer: sent, sent again where that may help, and read within limits.
//!
//! A request is sent again only while no block of its answer has come: what was handed out is never taken back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use toolwright::env::{Env, Tick};
use toolwright::query::{ModelError, ModelErrorKind, ModelEvent, ModelStream};

use super::limits::{ANSWER_BYTES_MAX, ERROR_BYTES_MAX};
use super::sse::{SseEvent, SseReader};
use super::transport::{Body, Post, Response, Transport};
use super::{Retry, Secret, Timeouts, refusal};

/// Makes events of a model of a provider's events.
pub(super) trait Decode: Send + 'static {
    /// Takes the next event of the provider. Whatever it gives before an error counts.
    fn event(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// The provider sends no more; an error when the answer is not whole.
    fn end(&mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError>;

    /// Whether the answer is whole, so that no more is waited for.
    fn is_whole(&self) -> bool;
}

/// What all requests of one provider share.
#[derive(Clone)]
pub(super) struct Exchange {
    pub(super) env: Env,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) key: Option<Secret>,
    pub(super) retry: Retry,
    pub(super) timeouts: Timeouts,
}

impl Exchange {
    /// The answer to a request. Each attempt reads with a decoder of its own.
    pub(super) fn ask<D: Decode>(&self, post: Post, decoder: impl Fn() -> D + Send + 'static) -> ModelStream {
        let asking = Asking {
            exchange: self.clone(),
            post,
            decoder,
            began: self.env.now(),
            attempts: 0,
            open: None,
            ready: VecDeque::new(),
            has_content: false,
            ended: false,
        };
        Box::pin(stream::unfold(asking, |mut asking| async move {
            asking.next().await.map(|event| (event, asking))
        }))
    }

    /// An answer that is an error from the start.
    pub(super) fn refuse(error: ModelError) -> ModelStream {
        Box::pin(stream::once(std::future::ready(Err(error))))
    }
}

/// A question, as far as its answer has come.
struct Asking<F, D> {
    exchange: Exchange,
    post: Post,
    decoder: F,
    began: Tick,
    attempts: u32,
    open: Option<Open<D>>,
    /// What was read and not yet handed out. It is held back until there is content, so that an answer that breaks
    /// before can be asked for again.
    ready: VecDeque<Result<ModelEvent, ModelError>>,
    has_content: bool,
    ended: bool,
}

/// A response that is being read.
struct Open<D> {
    body: Body,
    reader: SseReader,
    decoder: D,
    bytes: usize,
    /// When the last line was complete. Bytes that complete no line are no sign of life.
    alive: Tick,
    request_id: Option<String>,
}

impl<F: Fn() -> D + Send, D: Decode> Asking<F, D> {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if (self.has_content || self.ended)
                && let Some(event) = self.ready.pop_front()
            {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.open = None;
                match self.wait_before_next(&error) {
                    Some(wait) => {
                        self.ready.clear();
                        self.exchange.env.sleep(wait).await;
                    }
                    None => self.fail(error),
                }
            }
        }
    }

    fn fail(&mut self, mut error: ModelError) {
        if let Some(key) = &self.exchange.key {
            error.detail = key.hidden_in(&error.detail);
        }
        self.ended = true;
        self.ready.push_back(Err(error));
    }

    /// How long to wait before another attempt; nothing where there is to be none.
    fn wait_before_next(&self, error: &ModelError) -> Option<Duration> {
        let retry = &self.exchange.retry;
        if self.has_content || !error.is_retryable() || self.attempts >= retry.attempts_max {
            return None;
        }
        let wait = match error.retry_after {
            Some(asked) if asked > retry.retry_after_max => return None,
            Some(asked) => asked,
            None => retry.wait(self.attempts, self.exchange.env.rng("model-retry").next_u64()),
        };
        (wait < self.left()).then_some(wait)
    }

    /// What is left of the time for all of it.
    fn left(&self) -> Duration {
        self.exchange.timeouts.total.saturating_sub(self.exchange.env.now().since(self.began))
    }

    async fn advance(&mut self) -> Result<(), ModelError> {
        match self.open.take() {
            None => self.open = Some(self.connect().await?),
            Some(mut open) => {
                let read = self.read(&mut open).await;
                let read = read.map_err(|error| {
                    let id = error.request_id.clone().or(open.request_id.take());
                    error.with_request_id(id)
                });
                read?;
                self.open = (!self.ended).then_some(open);
            }
        }
        Ok(())
    }

    async fn connect(&mut self) -> Result<Open<D>, ModelError> {
        self.attempts += 1;
        let env = &self.exchange.env;
        let limit = self.exchange.timeouts.response.min(self.left());
        let response = env.timeout(limit, self.exchange.transport.post(self.post.clone())).await;
        let response = response
            .map_err(|_elapsed| {
                let detail = format!("the provider did not begin to answer within {limit:?}");
                ModelError::new(ModelErrorKind::TimedOut, detail)
            })?
            .map_err(|broken| ModelError::new(ModelErrorKind::Connection, broken.to_string()))?;
        let request_id = refusal::request_id(&response);
        let is_stream = response.header("content-type").is_some_and(is_event_stream);
        if response.status != 200 || !is_stream {
            return Err(refused(env, limit, response).await);
        }
        let decoder = (self.decoder)();
        let alive = env.now();
        Ok(Open { body: response.body, reader: SseReader::default(), decoder, bytes: 0, alive, request_id })
    }

    async fn read(&mut self, open: &mut Open<D>) -> Result<(), ModelError> {
        let env = &self.exchange.env;
        let silent = env.now().since(open.alive);
        let limit = self.exchange.timeouts.idle.saturating_sub(silent).min(self.left());
        let piece = env.timeout(limit, open.body.next()).await.map_err(|_elapsed| {
            let silent = env.now().since(open.alive);
            let detail = format!("the answer broke off: nothing that could be read came for {silent:?}");
            ModelError::new(ModelErrorKind::TimedOut, detail)
        })?;
        let mut events = Vec::new();
        let read = match piece {
            Some(piece) => self.take(
                open,
                &piece.map_err(|broken| ModelError::new(ModelErrorKind::Connection, broken.to_string()))?,
                &mut events,
            ),
            None => {
                self.ended = true;
                open.decoder.end(&mut events)
            }
        };
        self.has_content |= events.iter().any(is_content);
        self.ready.extend(events.into_iter().map(Ok));
        if read.is_err() {
            self.ended = false;
        }
        read
    }

    fn take(
        &mut self,
        open: &mut Open<D>,
        piece: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        open.bytes += piece.len();
        if open.bytes > ANSWER_BYTES_MAX {
            let detail = format!("the answer is larger than {ANSWER_BYTES_MAX} bytes");
            return Err(ModelError::new(ModelErrorKind::TooLarge, detail));
        }
        let fed = open.reader.feed(piece);
        if fed.lines > 0 {
            open.alive = self.exchange.env.now();
        }
        for event in &fed.events {
            open.decoder.event(event, events)?;
            if open.decoder.is_whole() {
                self.ended = true;
                // The end of the body is usually there already; a connection that was read to its end is used again.
                drop(open.body.next().now_or_never());
                return Ok(());
            }
        }
        fed.error.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// What a response that is no answer says, as far as it can be read within `limit`.
async fn refused(env: &Env, limit: Duration, mut response: Response) -> ModelError {
    let mut said = Vec::new();
    let read = async {
        while let Some(Ok(piece)) = response.body.next().await {
            said.extend_from_slice(&piece);
            if said.len() >= ERROR_BYTES_MAX {
                break;
            }
        }
    };
    // What was not said in time is not known; the status is.
    let _in_time = env.timeout(limit, read).await;
    said.truncate(ERROR_BYTES_MAX);
    refusal::error(&response, &String::from_utf8_lossy(&said), env.wall_now())
}

/// Whether an event is part of what the model says. What comes before may come again.
fn is_content(event: &ModelEvent) -> bool {
    !matches!(event, ModelEvent::Started { .. } | ModelEvent::Usage(_))
}

fn is_event_stream(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
}
