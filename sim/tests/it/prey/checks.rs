//! What holds of the prey and not of every session; and witnesses: invariants of the library's checkers, told once more
//! from what the prey's own tools, person and model say of themselves, as notices.
//!
//! Each notice is an event like a hook's: who says it is in the place of the hook's name.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::env::Env;
use toolwright::event::{Event, Stamped, Verdict};
use toolwright::hooks::HookStage;
use toolwright::message::CallId;
use toolwright_sim::check::{Checker, Violation};

/// A body ran, with this input.
pub(crate) const RAN: &str = "prey: ran";
/// The person said yes to this input.
pub(crate) const APPROVED: &str = "prey: approved";
/// The model was given these tools.
pub(crate) const LISTED: &str = "prey: listed";
/// The mode of the session above is this one now.
pub(crate) const MODE_ABOVE: &str = "prey: mode above";

/// Says something of itself.
pub(crate) fn say(env: &Env, who: &str, call: Option<&CallId>, text: impl Into<String>) {
    let (call, hook, text) = (call.cloned(), who.to_owned(), text.into());
    env.emit(|| Event::HookNotice { call, hook, stage: HookStage::Notification, text });
}

/// What holds of the prey alone.
pub(crate) fn checkers() -> Vec<Box<dyn Checker>> {
    vec![Box::<HooksClose>::default()]
}

/// Who tells invariants of the library's checkers from other facts than they do.
pub(crate) fn witnesses() -> Vec<Box<dyn Checker>> {
    vec![
        Box::<RunsWhatWasDecided>::default(),
        Box::<Killswitch>::default(),
        Box::<ListStays>::default(),
        Box::<Narrower>::default(),
    ]
}

/// What each of them calls the invariant it tells.
pub(crate) const WITNESSED: [&str; 4] = ["decided input", "killswitch", "tool list", "child"];

fn broken(invariant: &'static str, call: Option<&CallId>, detail: impl Into<String>) -> Violation {
    Violation { invariant, call: call.cloned(), detail: detail.into() }
}

/// What a person said yes to is what runs, where it was the person who decided.
#[derive(Default)]
struct RunsWhatWasDecided {
    approved: BTreeMap<CallId, String>,
    decided: BTreeSet<CallId>,
}

impl Checker for RunsWhatWasDecided {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        if let Event::Decided(decided) = &event.event
            && decided.by == "person"
        {
            self.decided.insert(decided.call.clone());
        }
        let Event::HookNotice { call: Some(call), hook, text, .. } = &event.event else { return };
        match hook.as_str() {
            APPROVED => drop(self.approved.insert(call.clone(), text.clone())),
            RAN if self.decided.contains(call) => {
                if let Some(approved) = self.approved.get(call).filter(|approved| *approved != text) {
                    let detail = format!("{text} ran, and {approved} was decided on");
                    out.push(broken("decided input", Some(call), detail));
                }
            }
            _other => {}
        }
    }
}

/// What would remove everything never runs unless a person has said yes to it.
#[derive(Default)]
struct Killswitch(BTreeSet<(CallId, String)>);

impl Checker for Killswitch {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        let Event::HookNotice { call: Some(call), hook, text, .. } = &event.event else { return };
        let what = (call.clone(), text.clone());
        if hook == APPROVED {
            self.0.insert(what);
        } else if hook == RAN && text.contains(r#""deadly":true"#) && !self.0.contains(&what) {
            out.push(broken("killswitch", Some(call), "it ran, and no person had said yes to it"));
        }
    }
}

/// The model is given the same tools each time.
#[derive(Default)]
struct ListStays(Option<String>);

impl Checker for ListStays {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        if let Event::HookNotice { hook, text, .. } = &event.event
            && hook == LISTED
        {
            let first = self.0.get_or_insert_with(|| text.clone());
            if first != text {
                out.push(broken("tool list", None, "the model was given other tools than before"));
            }
        }
    }
}

/// No mode allows a call of a session within that the mode of the session above would not allow now.
#[derive(Default)]
struct Narrower(String);

impl Checker for Narrower {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::HookNotice { hook, text, .. } if hook == MODE_ABOVE => self.0.clone_from(text),
            Event::Decided(decided) if decided.call.as_str().starts_with("child") => {
                let is_by_mode = decided.by == "mode" && decided.decision == Verdict::Allow;
                if is_by_mode && self.0 != "bypassPermissions" {
                    let detail = format!("its mode allowed it while the one above was {}", self.0);
                    out.push(broken("child", Some(&decided.call), detail));
                }
            }
            _other => {}
        }
    }
}

/// A call whose hook failed before it never runs.
#[derive(Default)]
struct HooksClose(BTreeSet<CallId>);

impl Checker for HooksClose {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::HookFinished { call: Some(call), stage: HookStage::PreToolUse, answer, .. } => {
                if matches!(*answer, "failed" | "timed out") {
                    self.0.insert(call.clone());
                }
            }
            Event::Started { call, .. } if self.0.contains(call) => {
                out.push(broken("hooks close", Some(call), "it runs though a hook before it failed"));
            }
            _other => {}
        }
    }
}
