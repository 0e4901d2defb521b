//! The results of a run's calls, and what holds of many a tool's: for [`Explore::check`](crate::explore::Explore::check).

use std::collections::BTreeMap;

use toolwright::event::{Event, Stamped};
use toolwright::message::{CallId, Content};

/// The one result of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallResult<'a> {
    /// The call.
    pub call: &'a CallId,
    /// The name of the tool, as the model wrote it.
    pub tool: &'a str,
    /// Whether the call failed, was denied, refused or cancelled.
    pub is_error: bool,
    content: &'a Content,
}

impl CallResult<'_> {
    /// What the model reads; of blocks, their text.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.to_text()
    }
}

/// The results of a run, as they were handed over: in each message in the order of its calls.
///
/// ```
/// use toolwright_sim::check::results;
/// use toolwright_sim::explore::Explore;
///
/// let explore = Explore::new().check("every sale succeeds", |events| {
///     match results(events).iter().find(|result| result.tool == "Sell" && result.is_error) {
///         Some(failed) => Err(format!("{} failed: {}", failed.call, failed.text())),
///         None => Ok(()),
///     }
/// });
/// ```
#[must_use]
pub fn results(events: &[Stamped]) -> Vec<CallResult<'_>> {
    let mut tools: BTreeMap<&CallId, &str> = BTreeMap::new();
    let mut results = Vec::new();
    for stamped in events {
        match &stamped.event {
            Event::Planned { call, tool, .. } => {
                tools.insert(call, tool);
            }
            Event::Result { call, is_error, content, .. } => {
                let tool = tools.get(call).copied().unwrap_or_default();
                results.push(CallResult { call, tool, is_error: *is_error, content });
            }
            _other => {}
        }
    }
    results
}

/// No two good results of a run are the same: nothing is given out, or sold, twice. Errors may be alike.
///
/// # Errors
/// The first call whose result another call had before, and which.
pub fn results_differ(events: &[Stamped]) -> Result<(), String> {
    let mut seen: BTreeMap<String, &CallId> = BTreeMap::new();
    for result in results(events).into_iter().filter(|result| !result.is_error) {
        let text = result.text();
        if let Some(before) = seen.get(&text) {
            return Err(format!("{} has the result of {before} again: {text}", result.call));
        }
        seen.insert(text, result.call);
    }
    Ok(())
}
