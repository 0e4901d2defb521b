//! A session while it runs: what is shown of it and what is recorded, and a model that is not asked again once a person
//! has interrupted.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream::{self, StreamExt};
use toolwright::env::{Env, Tick};
use toolwright::event::{Event, EventSink};
use toolwright::message::{Block, Content};
use toolwright::query::{Delta, Model, ModelError, ModelErrorKind, ModelEvent, ModelStream, Request};
use toolwright::registry::Backend;
use toolwright::visible::visible;

use super::output::complain;
use super::status::Status;
use crate::transcript::Recording;

/// How many characters of an error are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// What is shown and recorded of a session. It is the session's event sink.
pub(super) struct Live {
    recording: Option<Recording>,
    /// What must not be shown, wherever it comes from.
    key: Option<String>,
    screen: Mutex<Screen>,
    status: Status,
}

#[derive(Default)]
struct Screen {
    /// The blocks of the message that were shown piece by piece.
    in_pieces: BTreeSet<usize>,
    /// Whether the last line of text has not ended.
    is_within_line: bool,
    has_complained: bool,
    /// Why nothing more could be shown; that nobody reads it any more is no such reason.
    failed: Option<io::Error>,
}

impl Live {
    pub(super) fn new(recording: Option<Recording>, key: Option<String>) -> Live {
        Live { recording, key, screen: Mutex::default(), status: Status::default() }
    }

    /// The line that says what runs.
    pub(super) fn status(&self) -> &Status {
        &self.status
    }

    pub(super) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    fn heard(&self, event: &ModelEvent, at: Tick) {
        if let Some(recording) = &self.recording {
            recording.heard(event, at);
        }
        let mut screen = self.screen();
        match event {
            ModelEvent::Started { .. } => screen.in_pieces.clear(),
            ModelEvent::Delta { index, delta: Delta::Text(piece) } => {
                screen.in_pieces.insert(*index);
                screen.text(piece);
            }
            ModelEvent::Block { index, block: Block::Text(text) } => {
                if !screen.in_pieces.contains(index) {
                    screen.text(text);
                }
                screen.end_line();
            }
            _nothing_to_show => {}
        }
    }

    /// Shows what a call reports, unless a line of text has not ended, which would be overwritten.
    fn tell_progress(&self, event: &Event) {
        let is_within_line = self.screen.lock().unwrap_or_else(PoisonError::into_inner).is_within_line;
        if !is_within_line {
            self.status.hear(event, |text| self.without_key(text));
        }
    }

    fn without_key(&self, text: String) -> String {
        self.key.as_deref().map(|key| text.replace(key, "[secret]")).unwrap_or(text)
    }

    /// Ends the line of text that stands on the screen. Says why something could not be shown, if so it was.
    pub(super) fn end_line(&self) -> io::Result<()> {
        let mut screen = self.screen();
        screen.end_line();
        screen.failed.take().map_or(Ok(()), Err)
    }

    /// What is written to; what stood there for the moment is taken away.
    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.status.clear();
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Live {
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick) {
        if let Some(note) = noted(&event) {
            self.screen().note(&self.without_key(note));
        }
        self.tell_progress(&event);
        let Some(recording) = &self.recording else { return };
        recording.emit(event, now);
        if recording.is_whole() {
            return;
        }
        let mut screen = self.screen();
        if !std::mem::replace(&mut screen.has_complained, true) {
            screen.end_line();
            complain("the recording cannot be written any more: it ends here");
        }
    }
}

impl Screen {
    /// What a model says goes to standard output, line by line as it comes. Where nobody reads it any more the session
    /// still goes on: its calls have begun.
    fn text(&mut self, text: &str) {
        let mut out = String::with_capacity(text.len());
        for part in text.split_inclusive(['\n', '\t']) {
            let end = ["\r\n", "\n", "\t"].into_iter().find(|end| part.ends_with(end)).unwrap_or_default();
            out.push_str(&visible(part.strip_suffix(end).unwrap_or(part)));
            out.push_str(end);
        }
        self.is_within_line = !out.ends_with('\n') && (self.is_within_line || !out.is_empty());
        self.put(&out);
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_within_line) {
            self.put("\n");
        }
    }

    fn put(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let put = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if let Err(error) = put.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _other => Err(error),
        }) {
            self.failed.get_or_insert(error);
        }
    }

    fn note(&mut self, line: &str) {
        self.end_line();
        // There is nowhere to say that this failed.
        drop(writeln!(io::stderr().lock(), "{line}"));
    }
}

/// What standard error says of an event: that a call begins, and why one failed.
fn noted(event: &Event) -> Option<String> {
    match event {
        Event::Planned { label, .. } => Some(format!("· {}", visible(label))),
        Event::Result { is_error: true, content, .. } => Some(format!("  {}", brief(content))),
        _not_shown => None,
    }
}

fn brief(content: &Content) -> String {
    let text = content.to_text();
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN_CHARS_MAX).collect();
    visible(if shown.is_empty() { "an error without a word" } else { &shown }).to_string()
}

/// The session's model, as it is heard.
pub(super) struct Heard {
    pub(super) model: Arc<dyn Model>,
    pub(super) env: Env,
    pub(super) live: Arc<Live>,
    pub(super) stand: Arc<Stand>,
}

/// How a session stands, for a person who wants to interrupt it.
#[derive(Default)]
pub(super) struct Stand {
    is_interrupted: AtomicBool,
    /// Whether the model is at a message in which it has made no call.
    only_speaks: AtomicBool,
}

impl Stand {
    /// The model is not asked again. Says whether it is at a message and nothing else is in motion.
    pub(super) fn interrupt(&self) -> bool {
        self.is_interrupted.store(true, Ordering::SeqCst);
        self.only_speaks.load(Ordering::SeqCst)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::SeqCst)
    }
}

/// Ends with the message, also one that is given up.
struct Speaking(Arc<Stand>);

impl Drop for Speaking {
    fn drop(&mut self) {
        self.0.only_speaks.store(false, Ordering::SeqCst);
    }
}

impl Model for Heard {
    fn backend(&self) -> Backend {
        self.model.backend()
    }

    fn respond(&self, request: Request) -> ModelStream {
        let (env, live) = (self.env.clone(), Arc::clone(&self.live));
        self.stand.only_speaks.store(true, Ordering::SeqCst);
        let speaking = Speaking(Arc::clone(&self.stand));
        if self.stand.is_interrupted() {
            let error = ModelError::new(ModelErrorKind::Other, "interrupted");
            return Box::pin(stream::once(std::future::ready(Err(error))));
        }
        if let Some(recording) = live.recording() {
            recording.asked(env.now());
        }
        Box::pin(self.model.respond(request).inspect(move |event| {
            let Ok(event) = event else { return };
            if let ModelEvent::Block { block: Block::ToolUse(_), .. } = event {
                speaking.0.only_speaks.store(false, Ordering::SeqCst);
            }
            live.heard(event, env.now());
        }))
    }
}
