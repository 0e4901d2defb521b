//! The trace format that Chrome began, which Perfetto and `chrome://tracing` open.
//!
//! Each run is a process. Its first track has the turns; a call takes the first track that is free for all of its time,
//! so that there are as many tracks as calls were open at one time. A call is a slice, and what it did are slices within
//! it; hooks may overlap and are asynchronous slices. An arrow leads from the call that failed to each that it cancelled.

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::env::Tick;

use super::case::{Case, Run};
use super::lanes::{Activity, Lane, Turn, turns};

/// The track of the turns.
const TURNS_TRACK: usize = 1;

/// One event of the format.
#[derive(Serialize)]
struct Entry {
    name: String,
    cat: &'static str,
    ph: &'static str,
    pid: usize,
    tid: usize,
    /// Microseconds.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// To which slice an arrow leads: `e`, the one around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    /// How far an instant is seen: `t`, on its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    #[serde(skip_serializing_if = "Value::is_null")]
    args: Value,
}

/// The trace, an event a line.
pub(super) fn trace(case: &Case) -> String {
    let mut entries = Vec::new();
    for (index, run) in case.runs.iter().enumerate() {
        Process::new(index + 1, run, case).write(&mut entries);
    }
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| serde_json::to_string(entry).expect("trace events serialise: their keys are strings"))
        .collect();
    let title = serde_json::to_string(&case.title).expect("a text serialises");
    format!(
        "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"title\":{title}}},\"traceEvents\":[\n{}\n]}}\n",
        lines.join(",\n")
    )
}

struct Process<'a> {
    pid: usize,
    run: &'a Run,
    case: &'a Case,
    turns: Vec<Turn>,
}

impl<'a> Process<'a> {
    fn new(pid: usize, run: &'a Run, case: &'a Case) -> Process<'a> {
        Process { pid, run, case, turns: turns(&run.events) }
    }

    fn write(&self, out: &mut Vec<Entry>) {
        out.push(self.metadata("process_name", 0, json!({"name": self.run.name})));
        out.push(self.metadata("thread_name", TURNS_TRACK, json!({"name": "turns"})));
        for turn in &self.turns {
            let name = format!("turn {}", turn.turn.0 + 1);
            let args = json!({"calls": turn.lanes.len()});
            out.push(self.slice(name, "turn", TURNS_TRACK, turn.began.at, turn.ended.at, args));
        }
        let placed = self.placed();
        let tracks = placed.iter().map(|(track, _)| *track).max().unwrap_or(TURNS_TRACK);
        for track in TURNS_TRACK + 1..=tracks {
            let name = format!("calls {}", track - TURNS_TRACK);
            out.push(self.metadata("thread_name", track, json!({"name": name})));
        }
        for track in TURNS_TRACK..=tracks {
            out.push(self.metadata("thread_sort_index", track, json!({"sort_index": track})));
        }
        for (track, lane) in &placed {
            self.call(*track, lane, out);
        }
        self.arrows(&placed, out);
    }

    /// Each call with its track: the first that is free from its beginning to its end.
    fn placed(&self) -> Vec<(usize, &Lane)> {
        let mut free_from: Vec<Tick> = Vec::new();
        let lanes = self.turns.iter().flat_map(|turn| &turn.lanes);
        let place = |lane| {
            let (from, to) = extent(lane);
            let free = free_from.iter().position(|free| *free <= from).unwrap_or_else(|| {
                free_from.push(Tick(0));
                free_from.len() - 1
            });
            // Also what takes no time has the track for itself.
            free_from[free] = Tick(to.0.max(from.0 + 1));
            (TURNS_TRACK + 1 + free, lane)
        };
        lanes.map(place).collect()
    }

    fn call(&self, track: usize, lane: &Lane, out: &mut Vec<Entry>) {
        let (from, to) = extent(lane);
        out.push(self.slice(lane.label.clone(), "call", track, from, to, self.args(lane)));
        for (number, phase) in lane.phases.iter().enumerate() {
            let (from, to) = (phase.from.at, phase.to.at);
            let who = if phase.who.is_empty() { Value::Null } else { json!({"who": phase.who}) };
            let name = match phase.activity {
                Activity::Hook => {
                    let id = format!("{}-{}-{number}", self.pid, lane.call);
                    let entry = |ph, at| Entry {
                        id: Some(id.clone()),
                        ..self.entry(format!("hook {}", phase.who), "hook", ph, track, at)
                    };
                    out.extend([entry("b", from), entry("e", to)]);
                    continue;
                }
                Activity::Line => "waits in line",
                Activity::Question => "waits for an answer",
                Activity::Body => "runs",
                Activity::Order => "waits for calls before it",
            };
            // What somebody was asked, and what ran, is seen even where it took no time.
            let is_telling = matches!(phase.activity, Activity::Question | Activity::Body);
            if from < to || is_telling {
                out.push(self.slice(name.to_owned(), "phase", track, from, to, who));
            }
        }
        if let Some((mark, decided)) = &lane.decided {
            let verdict = format!("{:?} by {}", decided.decision, decided.by).to_lowercase();
            let args = serde_json::to_value(decided).expect("decisions serialise");
            let entry = self.entry(verdict, "decision", "i", track, mark.at);
            out.push(Entry { s: Some("t"), args, ..entry });
        }
    }

    fn args(&self, lane: &Lane) -> Value {
        json!({
            "call": lane.call,
            "tool": lane.tool,
            "state": lane.state().word(),
            "batch": lane.batch + 1,
            "input": self.case.inputs.get(&lane.call),
            "refused": lane.refused.as_ref().map(|(_, _, reason)| reason),
            "result": lane.result.as_ref().map(|(_, _, result)| &result.head),
            "cancelled_by": lane.cause,
        })
    }

    /// From the end of each call that failed to the end of those that it cancelled.
    fn arrows(&self, placed: &[(usize, &Lane)], out: &mut Vec<Entry>) {
        let at = |track: usize, lane: &Lane| Some((track, lane.ended()?.at, extent(lane)));
        for (track, lane) in placed {
            let Some(cause) = &lane.cause else { continue };
            let from = placed.iter().find(|(_, other)| other.call == *cause);
            let from = from.and_then(|(track, lane)| at(*track, lane));
            let (Some(from), Some(to)) = (from, at(*track, lane)) else { continue };
            for (ph, (track, ended, (began, _)), bp) in [("s", from, None), ("f", to, Some("e"))] {
                // An arrow belongs to the slice that its time lies in, and the end of a slice does not.
                let within = Tick(ended.0.saturating_sub(1).max(began.0));
                let id = Some(format!("{}-{}", self.pid, lane.call));
                let entry = self.entry("cancels".to_owned(), "cancel", ph, track, within);
                out.push(Entry { id, bp, ..entry });
            }
        }
    }

    fn metadata(&self, name: &str, track: usize, args: Value) -> Entry {
        Entry { args, ..self.entry(name.to_owned(), "__metadata", "M", track, Tick(0)) }
    }

    fn slice(
        &self,
        name: String,
        cat: &'static str,
        track: usize,
        from: Tick,
        to: Tick,
        args: Value,
    ) -> Entry {
        let dur = Some(micros(Tick(to.0.saturating_sub(from.0))));
        Entry { dur, args, ..self.entry(name, cat, "X", track, from) }
    }

    fn entry(&self, name: String, cat: &'static str, ph: &'static str, tid: usize, at: Tick) -> Entry {
        let args = Value::Null;
        Entry {
            name,
            cat,
            ph,
            pid: self.pid,
            tid,
            ts: micros(at),
            dur: None,
            id: None,
            bp: None,
            s: None,
            args,
        }
    }
}

/// From the beginning of a call to the last that happened in its lane.
fn extent(lane: &Lane) -> (Tick, Tick) {
    let from = lane.planned.at;
    let to = lane.phases.iter().map(|phase| phase.to.at).max().unwrap_or(from);
    (from, to.max(from))
}

/// Nanoseconds as microseconds, exact to 104 days.
fn micros(tick: Tick) -> f64 {
    tick.0 as f64 / 1_000.0
}
