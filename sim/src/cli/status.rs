//! What calls report while they run: one line on standard error, where somebody watches it, that each report replaces.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use toolwright::event::Event;
use toolwright::visible::visible;

use super::output::is_watched;

/// The line. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Status(Arc<Mutex<Line>>);

#[derive(Default)]
struct Line {
    shown: Option<ProgressBar>,
    /// How many want that nothing is shown.
    hushed: usize,
}

/// Nothing is shown until this is dropped.
pub(super) struct Hushed(Status);

impl Status {
    /// Shows what a call reports, without what must not be shown, and takes it away when a call has ended.
    pub(super) fn hear(&self, event: &Event, shown: impl Fn(String) -> String) {
        match event {
            Event::Progress { lines, .. } => {
                if let Some(last) = lines.last() {
                    self.show(&shown(last.clone()));
                }
            }
            Event::Finished { .. } => self.clear(),
            _nothing_to_show => {}
        }
    }

    fn show(&self, text: &str) {
        let mut line = self.lock();
        if line.hushed == 0 {
            let shown = line.shown.get_or_insert_with(bar);
            shown.set_message(visible(text));
            shown.tick();
        }
    }

    /// Takes it away, before something else is written.
    pub(super) fn clear(&self) {
        if let Some(shown) = self.lock().shown.take() {
            shown.finish_and_clear();
        }
    }

    /// Takes it away, and lets nothing come in its place for now.
    pub(super) fn hush(&self) -> Hushed {
        self.clear();
        self.lock().hushed += 1;
        Hushed(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hushed {
    fn drop(&mut self) {
        self.0.lock().hushed -= 1;
    }
}

fn bar() -> ProgressBar {
    let target = if is_watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("  {wide_msg}").expect("the template is constant");
    ProgressBar::with_draw_target(None, target).with_style(style)
}
