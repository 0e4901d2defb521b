//! What holds of many a tool's results, for [`Explore::check`](crate::explore::Explore::check).

use std::collections::BTreeMap;

use toolwright::event::{Event, Stamped};
use toolwright::message::CallId;

/// No two good results of a run are the same: nothing is given out, or sold, twice. Errors may be alike.
///
/// # Errors
/// The first call whose result another call had before, and which.
pub fn results_differ(events: &[Stamped]) -> Result<(), String> {
    let mut seen: BTreeMap<String, &CallId> = BTreeMap::new();
    for stamped in events {
        if let Event::Result { call, content, is_error: false, .. } = &stamped.event {
            let text = content.to_text();
            if let Some(before) = seen.get(&text) {
                return Err(format!("{call} has the result of {before} again: {text}"));
            }
            seen.insert(text, call);
        }
    }
    Ok(())
}
