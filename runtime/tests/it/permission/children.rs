//! Sub-agents' sessions: they have what the session above has, and never more.

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::{Cancellation, Cause};
use toolwright::event::Event;
use toolwright::hooks::{HookLayer, HookStage};
use toolwright::message::{Message, ToolUse, Turn};
use toolwright::permission::{Answer, Behavior, Destination, Grant, Mode, Source};
use toolwright::query::{Budget, End, ModelEvent, Scripted};

use super::probe::{Dialogs, Probes, yes};
use super::world::{MODES, Person, context};
use crate::hooks_fake::{Fake, at, layer, pre};

#[tokio::test]
async fn a_sub_agent_has_the_rules_of_its_parent_also_those_granted_later_on_either_side() {
    let grant =
        |rule: &str| Answer::Always { input: None, grants: vec![Grant::allow(rule, Destination::Session)] };
    let parent = Probes::new(|builder, env| {
        let answers = vec![("make", 0, grant("Bash(make *)")), ("test", 0, grant("Bash(test *)"))];
        builder
            .prompter(Dialogs::new(env, answers))
            .rule(Behavior::Allow, Source::UserSettings, "Bash(ls *)")
            .rule(Behavior::Deny, Source::UserSettings, "Bash(curl *)")
    });
    let child = parent.child(|child| child);
    let grandchild = child.child(|child| child);
    assert_eq!(child.run(&["ls a"]).await.by(), ["rule"]);
    let denied = child.run(&["curl x"]).await;
    assert_eq!((denied.ran(), denied.by()), (0, vec!["rule"]));
    assert_eq!(child.run(&["make a"]).await.by(), ["person"]);
    assert_eq!(parent.run(&["make b"]).await.by(), ["rule"], "a grant counts for the whole session");
    assert_eq!(parent.run(&["test a"]).await.by(), ["person"]);
    assert_eq!(grandchild.run(&["test b"]).await.by(), ["rule"]);
    assert_eq!(grandchild.session.depth(), 2);
}

#[tokio::test]
async fn a_sub_agents_rules_hang_on_the_directories_of_its_parent() {
    let parent = Probes::new(|builder, _| builder);
    parent.session.change(|context| context.cwd = "/w/p/deep".into());
    let child = parent.child(|child| child);
    let (above, below) = (parent.session.context(), child.session.context());
    assert_eq!(*above, *below);
    child.session.change(|context| context.cwd = "/w/p/deeper".into());
    assert_eq!(parent.session.context().cwd, std::path::Path::new("/w/p/deep"));
    assert_eq!(child.session.context().root, std::path::Path::new("/w/p"));
}

/// What comes of each mode that an agent may want, below each mode, in the order of [`MODES`]: `=` is the parent's.
const CHILD_MODES: &[(Mode, &str)] = &[
    (Mode::Default, "yy==y=y"),
    (Mode::Plan, "======="),
    (Mode::AcceptEdits, "======="),
    (Mode::BypassPermissions, "======="),
    (Mode::DontAsk, "======="),
    (Mode::Auto, "======="),
    (Mode::Bubble, "yy==y=y"),
];

#[tokio::test]
async fn a_sub_agents_mode_is_never_wider_whatever_it_wants_and_however_it_gets_there() {
    for (above, row) in CHILD_MODES {
        for (wanted, gets) in MODES.into_iter().zip(row.chars()) {
            let expected = if gets == 'y' { wanted } else { *above };
            let parent = Probes::new(|builder, _| builder.context(context(*above)));
            let child = parent.child(|child| child.mode(wanted));
            assert_eq!(child.session.context().mode, expected, "built: {wanted} below {above}");
            let child = parent.child(|child| child);
            assert_eq!(child.session.context().mode, *above);
            child.session.change(|context| context.mode = wanted);
            assert_eq!(child.session.context().mode, expected, "changed: {wanted} below {above}");
            let parent = Probes::new(|builder, _| builder.context(context(wanted)));
            let grandchild = parent.child(|child| child).child(|child| child.mode(wanted));
            parent.session.change(|context| context.mode = *above);
            assert_eq!(grandchild.session.context().mode, expected, "followed: {wanted} below {above}");
        }
    }
}

#[tokio::test]
async fn a_sub_agent_plans_while_its_parent_plans_and_no_longer() {
    let parent = Probes::new(|builder, _| builder);
    let child = parent.child(|child| child.mode(Mode::DontAsk));
    let enter = |mode| move |context: &mut Context| context.mode = mode;
    parent.session.change(enter(Mode::Plan));
    assert_eq!(child.session.context().mode, Mode::Plan);
    parent.session.change(enter(Mode::Default));
    assert_eq!(child.session.context().mode, Mode::DontAsk);
    drop(child);
    parent.session.change(enter(Mode::Plan));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_sub_agent_is_judged_anew_when_its_parent_closes() {
    let mut dialogs = None;
    let parent = Probes::new(|builder, env| {
        builder.prompter(dialogs.insert(Dialogs::new(env, vec![("make", 5, yes())])).clone())
    });
    let child = parent.child(|child| child);
    let close = async {
        parent.session.env().sleep(std::time::Duration::from_secs(1)).await;
        parent.session.change(|context| context.mode = Mode::DontAsk);
    };
    let (done, ()) = futures_util::future::join(child.run(&["make"]), close).await;
    assert_eq!((done.ran(), done.by()), (0, vec!["mode"]));
    assert_eq!(dialogs.expect("the session was built").withdrawn().len(), 1);
}

#[tokio::test]
async fn a_sub_agents_questions_say_whose_they_are_and_stop_with_it() {
    let person = Person::yes();
    let parent = Probes::new(|builder, _| builder.prompter(person.clone()));
    let cancellation = Cancellation::new();
    let child = parent.session.child("a1", "reviewer", cancellation.clone()).build();
    let inner = child.child("a2", "tester", Cancellation::new()).build();
    let turn = || {
        let call = ToolUse::new("c", "Bash", r#"{"command":"make"}"#);
        Turn::new(vec![call])
    };
    assert!(!inner.run_turn(turn()).await.results[0].is_error);
    let agents = person.asked.lock().expect("nothing panics while it is held")[0].agents.clone();
    assert_eq!(agents, ["reviewer", "tester"]);
    cancellation.cancel(Cause::Aborted);
    assert!(inner.run_turn(turn()).await.results[0].is_error);
    assert_eq!(person.count(), 1);
}

#[tokio::test]
async fn a_sub_agent_keeps_tools_and_gets_none_and_their_definitions_stay_byte_for_byte() {
    let parent = Probes::new(|builder, _| builder);
    let child = parent.child(|child| child.keep(|form| form.name == "Bash"));
    let names = |probes: &Probes| {
        let pool = probes.session.pool();
        let tools = pool.tools();
        tools.iter().map(|tool| tool.form().name.clone().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&child), ["Bash"]);
    let grandchild = child.child(|child| child.keep(|_all| true));
    assert_eq!(names(&grandchild), ["Bash"]);
    assert_eq!(grandchild.session.pool().definitions(), parent.session.pool().definitions()[..1]);
    let refused = grandchild.turn(vec![("Stream", json!({"text": "x"}))]).await;
    assert_eq!((refused.ran(), refused.by()), (0, vec![]));
    assert!(child.child(|child| child.keep(|form| form.name != "Bash")).session.pool().tools().is_empty());
}

fn inputs(fake: &Fake, event: &str) -> Vec<Value> {
    let all =
        fake.ran().into_iter().map(|hook| serde_json::from_str::<Value>(&hook.input).expect("it is JSON"));
    all.filter(|input| input["hook_event_name"] == event).collect()
}

#[tokio::test]
async fn hooks_see_a_sub_agents_calls_and_whose_they_are() {
    let deny = pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "not here"}));
    let fake = Fake::new(&[("guard", 0, &deny, "")]);
    let parent = Probes::new(|builder, _| {
        let hooks = layer(at("PreToolUse", &["guard"]));
        builder.mode(Mode::BypassPermissions).hooks_configured([hooks]).hook_transport(fake.clone())
    });
    let own = Fake::default();
    let child = parent.child(|child| child.hooks_configured([layer(at("PreToolUse", &["own"]))]));
    let done = child.run(&["make"]).await;
    assert_eq!(done.ran(), 0);
    assert!(done.texts[0].contains("not here"), "{:?}", done.texts);
    let seen = inputs(&fake, "PreToolUse");
    assert_eq!(seen.len(), 2, "the agent's own hook runs behind: {:?}", own.names());
    assert!(seen.iter().all(|input| input["agent_id"] == "a1" && input["agent_type"] == "reviewer"));
    parent.run(&["make"]).await;
    let seen = inputs(&fake, "PreToolUse");
    assert_eq!((seen.len(), seen[2].get("agent_id")), (3, None), "the parent has no hook of its agent's");
}

#[tokio::test]
async fn the_switches_over_hooks_hold_for_those_of_a_sub_agent() {
    let fake = Fake::default();
    let parent = Probes::new(|builder, _| {
        let policy = json!({"allowManagedHooksOnly": true});
        let (policy, _none) = HookLayer::from_settings(Source::PolicySettings, &policy);
        builder.mode(Mode::BypassPermissions).hooks_configured([policy]).hook_transport(fake.clone())
    });
    let child = parent.child(|child| child.hooks_configured([layer(at("PreToolUse", &["own"]))]));
    assert_eq!(child.run(&["make"]).await.ran(), 1);
    assert!(fake.names().is_empty());
}

#[tokio::test]
async fn a_sub_agent_ends_as_an_agent_and_begins_as_none() {
    let fake = Fake::new(&[("blocks", 2, "", "not yet"), ("stops", 2, "", "no")]);
    let names = [HookStage::SessionStart, HookStage::UserPromptSubmit, HookStage::Stop];
    let parent = Probes::new(|builder, _| {
        let layers = names.iter().map(|stage| layer(at(stage.name(), &["stops"])));
        let ends = [layer(at("SubagentStop", &["blocks"]))];
        builder.hooks_configured(layers.chain(ends)).hook_transport(fake.clone())
    });
    let child = parent.child(|child| {
        child.hooks_configured([layer(at("Stop", &["own"]))]).history(vec![Message::user("before")])
    });
    let says = |text: &str| vec![ModelEvent::text(0, text)];
    let model = Scripted::new((0..20).map(|_| says("done")));
    let ended = child.session.run(&model, "task", Budget::default()).await;
    assert_eq!(ended, End::Answered("done".to_owned()), "blocks are counted");
    assert!(!fake.names().contains(&"stops".to_owned()));
    let ends = inputs(&fake, "SubagentStop");
    assert!(ends.len() > 2 && ends[0]["agent_id"] == "a1", "{ends:?}");
    assert!(fake.names().contains(&"own".to_owned()), "its own hook for the end hears of its end");
}

#[tokio::test]
async fn no_two_turns_of_a_session_and_its_agents_have_one_number() {
    let parent = Probes::new(|builder, _| builder.mode(Mode::BypassPermissions));
    let child = parent.child(|child| child);
    let mut turns = Vec::new();
    for probes in [&parent, &child, &parent] {
        let events = probes.run(&["make"]).await.events;
        turns.extend(events.into_iter().filter_map(|event| match event {
            Event::TurnStarted { turn, .. } => Some(turn),
            _other => None,
        }));
    }
    turns.dedup();
    assert_eq!(turns.len(), 3, "{turns:?}");
}
