//! How far a recording and the tools here are apart, as the commands that replay say it: of such calls a replay shows less
//! than it seems to.

use std::collections::BTreeSet;

use toolwright::event::Stamped;
use toolwright::nearest::nearest;
use toolwright::registry::Catalogue;
use toolwright::visible::visible;

use super::output::complain;
use crate::engine::Simulation;
use crate::explore::{Recording, Subject as _};
use crate::replay::{Conditions, refused};
use crate::timeline::counted;
use crate::transcript::{Call, Outcome, Transcript};

/// How many calls or names are shown one by one.
const SHOWN_MAX: usize = 10;

/// What of a recording the tools here are not, or do not take.
pub(super) struct Apart {
    /// The calls that met a stand-in.
    stand_ins: usize,
    /// The names of their tools, each with the nearest that there is.
    names: Vec<String>,
    /// Calls with a good answer that are refused before their body, in words.
    refused: Vec<String>,
    /// Calls with an answer of which it is not known how long they took.
    untimed: usize,
}

impl Apart {
    /// Of a recording, of which these are the names of stand-ins, with the tools there are, as a replay of it went.
    pub(super) fn new(
        transcript: &Transcript,
        stand_ins: &BTreeSet<String>,
        catalogue: &Catalogue,
        events: &[Stamped],
    ) -> Apart {
        let tools = catalogue.built_in().iter().chain(catalogue.remote());
        let known: Vec<String> = tools.map(|tool| tool.form().name.to_string()).collect();
        let named = |name: &String| match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("`{name}` (did you mean `{near}`?)"),
            None => format!("`{name}`"),
        };
        let is_untimed =
            |call: &&Call| call.service_ms.is_none() && matches!(call.outcome, Outcome::Answered { .. });
        Apart {
            untimed: transcript.calls().filter(is_untimed).count(),
            stand_ins: transcript.calls().filter(|call| stand_ins.contains(&call.name)).count(),
            names: stand_ins.iter().map(named).collect(),
            refused: refused(transcript, events).into_values().collect(),
        }
    }

    /// Of a recording that is explored.
    pub(super) fn of(recording: &Recording, catalogue: &Catalogue) -> Apart {
        let ran = recording.run(&Simulation::new(None), &Conditions::default());
        Apart::new(recording.transcript(), recording.stand_ins(), catalogue, &ran.events)
    }

    /// What there is to say, for a person, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.stand_ins > 0 {
            let more = if self.names.len() > SHOWN_MAX { ", …" } else { "" };
            let names: Vec<String> = self.names.iter().take(SHOWN_MAX).map(|name| visible(name)).collect();
            lines.push(format!(
                "{} of tools that are not in the catalogue: stand-ins with closed flags for {}{more}",
                counted(self.stand_ins, "call"),
                names.join(", ")
            ));
        }
        if !self.refused.is_empty() {
            lines.push(format!(
                "{} with a good answer that the tools of today do not take:",
                counted(self.refused.len(), "call")
            ));
            lines.extend(self.refused.iter().take(SHOWN_MAX).map(|text| format!("  {}", visible(text))));
            lines.extend((self.refused.len() > SHOWN_MAX).then(|| "  …".to_owned()));
        }
        if self.untimed > 0 {
            let calls = counted(self.untimed, "call");
            lines.push(format!("{calls} without a time (`service_ms`): they take none, and overlap nothing"));
        }
        lines
    }

    /// Says it on standard error.
    pub(super) fn complain(&self) {
        self.lines().iter().for_each(|line| complain(line));
    }

    /// How many calls there are of each kind, for whoever takes none.
    pub(super) fn counts(&self) -> impl Iterator<Item = String> {
        let stand_ins =
            (self.stand_ins > 0).then(|| format!("{} of a stand-in", counted(self.stand_ins, "call")));
        let refused = (!self.refused.is_empty())
            .then(|| format!("{} refused now", counted(self.refused.len(), "call")));
        stand_ins.into_iter().chain(refused)
    }
}
