//! The checkers of inputs, the killswitch, tools and agents find what they are there for, in events made by hand, and
//! nothing in events that are as they should be.

use serde_json::json;
use toolwright::env::Tick;
use toolwright::event::{Decided, Digest, Event, Outcome, SentTools, Stamped, Verdict};
use toolwright::message::{CallId, Content, TurnId};
use toolwright::permission::Mode;
use toolwright::schema::Coercion;
use toolwright_sim::check;

use super::world::number;

const CALL: &str = "c";
const AGENT: &str = "helper-1";

fn id() -> CallId {
    CallId::new(CALL)
}

fn turn(agent: Option<&str>) -> Event {
    let agent = agent.map(str::to_owned);
    Event::TurnStarted { turn: TurnId(0), calls: Some(1), batches: Some(1), agent }
}

fn planned(deferred: Option<&str>) -> Event {
    let (turn, tool, label) = (TurnId(0), "T".to_owned(), "T".to_owned());
    let deferred = deferred.map(str::to_owned);
    Event::Planned { turn, call: id(), index: 0, batch: 0, tool, safe: true, label, deferred }
}

fn asked(input: &str) -> Event {
    Event::Asked {
        call: id(),
        reason: String::new(),
        racers: vec!["person".to_owned()],
        input: Digest::of(input),
    }
}

fn killswitch(input: &str) -> Event {
    Event::Killswitch { call: id(), input: Digest::of(input), reason: "it removes `/`".to_owned() }
}

fn allowed(by: &str, input: Option<&str>, is_rewritten: bool) -> Event {
    Event::Decided(Decided {
        call: id(),
        decision: Verdict::Allow,
        by: by.to_owned(),
        rule: None,
        source: None,
        reason: String::new(),
        input: input.map(Digest::of),
        is_rewritten,
    })
}

fn coerced() -> Event {
    let coercion = Coercion { path: "n".to_owned(), from: json!("1"), to: json!(1) };
    Event::Coerced { call: id(), coercion }
}

/// The body begins with this input, and everything that follows.
fn ran(input: &str) -> Vec<Event> {
    let content = Content::from("");
    vec![
        Event::Started { call: id(), input: Digest::of(input) },
        Event::Finished { call: id(), outcome: Outcome::Ok },
        Event::Result { turn: TurnId(0), call: id(), is_error: false, content },
    ]
}

fn sent(agent: Option<&str>, tools: &[&str]) -> Event {
    let definitions = tools.iter().map(|tool| (*tool).into()).collect();
    Event::Requested { agent: agent.map(str::to_owned), tools: SentTools::new(definitions) }
}

fn loaded(agent: Option<&str>) -> Event {
    Event::ToolsLoaded { agent: agent.map(str::to_owned), tools: vec!["T".to_owned()] }
}

fn changed(boundary: &'static str) -> Event {
    let none = Vec::new;
    Event::ToolsChanged { added: vec!["T".to_owned()], removed: none(), renewed: none(), boundary }
}

fn agent(mode: Mode, mode_above: Mode, tools: &[&str]) -> Event {
    Event::AgentStarted {
        agent: AGENT.to_owned(),
        kind: "helper".to_owned(),
        call: None,
        above: None,
        mode,
        mode_above,
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        tools_above: vec!["T".to_owned(), "U".to_owned()],
    }
}

fn entered(agent: Option<&str>, mode: Mode) -> Event {
    Event::ModeChanged { agent: agent.map(str::to_owned), mode }
}

fn found(events: Vec<Event>) -> Vec<&'static str> {
    let stamp = |(at, event)| Stamped { at: Tick(at), event };
    let events: Vec<Stamped> = (0..).zip(events).map(stamp).collect();
    check::all(&events, number(2)).into_iter().map(|broken| broken.invariant).collect()
}

fn joined(first: Vec<Event>, then: Vec<Event>) -> Vec<Event> {
    first.into_iter().chain(then).collect()
}

/// Each case by what it shows, with the invariant that it breaks, if it does.
fn judge(cases: Vec<(&str, Option<&'static str>, Vec<Event>)>) {
    for (case, invariant, events) in cases {
        assert_eq!(found(events), invariant.into_iter().collect::<Vec<_>>(), "{case}");
    }
}

#[test]
fn the_input_that_runs_is_the_one_that_was_shown_and_decided_on() {
    let broken = Some("decided input");
    let yes = |input, is_rewritten| allowed("person", Some(input), is_rewritten);
    judge(vec![
        ("as it should be", None, joined(vec![planned(None), asked("a"), yes("a", false)], ran("a"))),
        ("an answer with an input", None, joined(vec![planned(None), asked("a"), yes("b", true)], ran("b"))),
        (
            "an answer whose input is converted",
            None,
            joined(vec![planned(None), asked("a"), yes("b", true), coerced()], ran("c")),
        ),
        (
            "converted before it was decided on",
            broken,
            joined(vec![planned(None), coerced(), yes("a", false)], ran("b")),
        ),
        (
            "a question that was withdrawn and put anew",
            None,
            joined(
                vec![
                    planned(None),
                    asked("a"),
                    Event::Withdrawn { call: id(), reason: String::new() },
                    yes("b", false),
                ],
                ran("b"),
            ),
        ),
        ("another runs", broken, joined(vec![planned(None), asked("a"), yes("a", false)], ran("b"))),
        (
            "the answer's is not heeded",
            broken,
            joined(vec![planned(None), asked("a"), yes("b", true)], ran("a")),
        ),
        ("another was shown", broken, joined(vec![planned(None), asked("a"), yes("b", false)], ran("b"))),
        ("nobody says which", broken, joined(vec![planned(None), allowed("rule", None, false)], ran("a"))),
    ]);
}

#[test]
fn what_the_killswitch_speaks_of_runs_only_when_a_person_said_yes_to_it() {
    let broken = Some("killswitch");
    let yes = |by, input, is_rewritten| allowed(by, Some(input), is_rewritten);
    judge(vec![
        (
            "a person said yes",
            None,
            joined(vec![planned(None), killswitch("a"), asked("a"), yes("person", "a", false)], ran("a")),
        ),
        (
            "a person's own input, converted",
            None,
            joined(
                vec![planned(None), asked("a"), yes("person", "b", true), coerced(), killswitch("c")],
                ran("c"),
            ),
        ),
        (
            "it spoke of the input before",
            None,
            joined(vec![planned(None), killswitch("a"), yes("hook", "b", true)], ran("b")),
        ),
        ("a mode", broken, joined(vec![planned(None), killswitch("a"), yes("mode", "a", false)], ran("a"))),
        (
            "a hook's own input",
            broken,
            joined(vec![planned(None), asked("a"), yes("hook x", "b", true), killswitch("b")], ran("b")),
        ),
    ]);
}

#[test]
fn the_list_of_tools_stays_as_it_was_and_grows_only_behind() {
    let broken = Some("tool list");
    judge(vec![
        ("the same", None, vec![sent(None, &["a", "b"]), sent(None, &["a", "b"])]),
        ("loaded since", None, vec![sent(None, &["a"]), loaded(None), sent(None, &["a", "b"])]),
        ("came since", None, vec![sent(None, &["a"]), changed("arrival"), sent(None, &["a", "b"])]),
        ("made anew", None, vec![sent(None, &["a", "b"]), changed("compaction"), sent(None, &["b"])]),
        ("an agent's own", None, vec![sent(None, &["a", "b"]), sent(Some(AGENT), &["a"])]),
        ("another order", broken, vec![sent(None, &["a", "b"]), sent(None, &["b", "a"])]),
        ("shorter", broken, vec![sent(None, &["a", "b"]), sent(None, &["a"])]),
        ("longer for no reason", broken, vec![sent(None, &["a"]), sent(None, &["a", "b"])]),
        ("loaded by another", broken, vec![sent(None, &["a"]), loaded(Some(AGENT)), sent(None, &["a", "b"])]),
        ("in front", broken, vec![sent(None, &["a"]), loaded(None), sent(None, &["b", "a"])]),
        (
            "a boundary counts once",
            broken,
            vec![sent(None, &["a"]), changed("compaction"), sent(None, &["b"]), sent(None, &["a"])],
        ),
    ]);
}

#[test]
fn a_deferred_tool_runs_only_where_it_was_loaded_before_the_call() {
    let broken = Some("loaded first");
    let yes = || allowed("rule", Some("a"), false);
    let deferred = || planned(Some("T"));
    judge(vec![
        ("loaded", None, joined(vec![loaded(None), turn(None), deferred(), yes()], ran("a"))),
        ("not deferred", None, joined(vec![turn(None), planned(None), yes()], ran("a"))),
        ("never loaded", broken, joined(vec![turn(None), deferred(), yes()], ran("a"))),
        ("too late", broken, joined(vec![turn(None), deferred(), loaded(None), yes()], ran("a"))),
        (
            "loaded by the session above",
            broken,
            joined(vec![loaded(None), turn(Some(AGENT)), deferred(), yes()], ran("a")),
        ),
    ]);
}

#[test]
fn an_agent_is_never_wider_than_the_session_above() {
    let (default, edits, bypass) = (Mode::Default, Mode::AcceptEdits, Mode::BypassPermissions);
    let broken = Some("child");
    let call = |by| joined(vec![turn(Some(AGENT)), planned(None), allowed(by, Some("a"), false)], ran("a"));
    let narrowed = || vec![agent(bypass, bypass, &["T"]), entered(None, default)];
    judge(vec![
        ("as wide", None, joined(vec![agent(bypass, bypass, &["T", "U"])], call("mode"))),
        ("narrower", None, joined(vec![agent(Mode::Plan, edits, &["T"])], call("rule"))),
        (
            "it follows",
            None,
            joined(
                vec![agent(bypass, bypass, &["T"]), entered(None, edits), entered(Some(AGENT), edits)],
                call("mode"),
            ),
        ),
        ("another allows it", None, joined(narrowed(), call("rule"))),
        ("it begins wider", broken, vec![agent(edits, default, &["T"])]),
        ("it has more tools", broken, vec![agent(default, default, &["T", "V"])]),
        ("it keeps its mode", broken, joined(narrowed(), call("mode"))),
    ]);
}
