//! How far a search is, told now and then while it goes on.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use toolwright::prelude::*;

use super::stop::Stop;

/// How often it is told.
const TOLD_EVERY: Duration = Duration::from_millis(250);

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchProgress {
    /// How many files it has looked at; while it still finds out which there are, how many files and folders.
    pub looked_at: u64,
    /// Of how many files, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// How many files match so far.
    pub found: u64,
    /// How long it has gone on.
    pub elapsed_ms: u64,
}

impl SearchProgress {
    /// It as a person sees it.
    pub(crate) fn render(&self) -> Vec<String> {
        let SearchProgress { looked_at, of, found, elapsed_ms } = self;
        let of = match of {
            Some(of) => format!("{looked_at} of {of} files searched"),
            None => format!("{looked_at} files and folders looked at"),
        };
        vec![format!("{of}, {found} found, {} s", elapsed_ms / 1_000)]
    }
}

/// Counts how far a search is.
#[derive(Debug, Default)]
pub(crate) struct Far {
    looked_at: AtomicU64,
    /// One more than how many there are; 0 while that is not known.
    of: AtomicU64,
    found: AtomicU64,
}

impl Far {
    /// One more was looked at.
    pub(crate) fn look(&self) {
        self.looked_at.fetch_add(1, Ordering::Relaxed);
    }

    /// One more matches.
    pub(crate) fn find(&self) {
        self.found.fetch_add(1, Ordering::Relaxed);
    }

    /// It is known now how many there are, and looking begins anew.
    pub(crate) fn begin(&self, of: usize) {
        self.looked_at.store(0, Ordering::Relaxed);
        self.of.store(of as u64 + 1, Ordering::Relaxed);
    }

    fn after(&self, elapsed: Duration) -> SearchProgress {
        SearchProgress {
            looked_at: self.looked_at.load(Ordering::Relaxed),
            of: self.of.load(Ordering::Relaxed).checked_sub(1),
            found: self.found.load(Ordering::Relaxed),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Searches where blocking is allowed, and reports now and then how far that is.
pub(crate) async fn search<T, V>(
    cx: &Cx<'_, T>,
    search: impl FnOnce(&Stop, &Far) -> V + Send + 'static,
) -> Result<V, ToolError>
where
    T: Tool<Progress = SearchProgress>,
    V: Send + 'static,
{
    let stop = Stop::new(cx.env().clone(), cx.cancellation().clone());
    let (began, far) = (cx.env().now(), Arc::new(Far::default()));
    let told = Arc::clone(&far);
    let mut searching = pin!(cx.env().blocking(move || search(&stop, &far)));
    if !cx.env().is_heard() {
        return Ok(searching.await?);
    }
    loop {
        match cx.timeout(TOLD_EVERY, searching.as_mut()).await {
            Ok(found) => return Ok(found?),
            Err(_goes_on) => cx.progress(told.after(cx.env().now().since(began))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_how_much_was_looked_at_of_how_much() {
        let far = Far::default();
        (0..3).for_each(|_| far.look());
        let line = |far: &Far| far.after(Duration::from_millis(2_500)).render().concat();
        assert_eq!(line(&far), "3 files and folders looked at, 0 found, 2 s");
        far.begin(2);
        far.look();
        far.find();
        assert_eq!(line(&far), "1 of 2 files searched, 1 found, 2 s");
    }
}
