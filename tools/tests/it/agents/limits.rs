//! The limits of agents: which tools they have, how deep and how many they may be, and whom they may write to.

use std::num::NonZeroUsize;

use serde_json::json;
use toolwright_tools::agents::{AgentDefinition, AgentStatus, Todo, TodoStatus};

use crate::catalogue::{BY_ITSELF, IN_EVERY_SESSION, kept_with};

use super::world::{Plan, Script, call, calls, says, task};

fn agent(tools: Option<&[&str]>, without: &[&str]) -> AgentDefinition {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    AgentDefinition {
        tools: tools.map(owned),
        disallowed_tools: owned(without),
        ..AgentDefinition::new("worker", "Works.", "You work.")
    }
}

#[tokio::test]
async fn an_agent_has_the_tools_it_may_have_and_never_those_it_may_not() {
    let these = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all_but = |without: &[&str]| {
        let mut names = kept_with(&[BY_ITSELF, IN_EVERY_SESSION]);
        names.extend(["Agent", "SendMessage", "Skill"].map(str::to_owned));
        names.sort();
        names.retain(|name| name != "TaskOutput" && !without.contains(&&**name));
        names
    };
    let in_background =
        ["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "SendMessage", "Skill", "TaskStop", "Write"];
    let rows = [
        (agent(None, &[]), false, all_but(&[])),
        (agent(None, &[]), true, these(&in_background)),
        (agent(Some(&["Read", "Glob"]), &[]), false, these(&["Glob", "Read"])),
        (agent(Some(&["Read", "Glob"]), &["Read"]), false, these(&["Glob"])),
        (agent(Some(&["Bash(git:*)", "NoSuchTool"]), &[]), false, these(&["Bash"])),
        (agent(None, &["Bash(rm:*)", "Task", "mcp__*"]), false, all_but(&["Agent", "Bash"])),
    ];
    for (agent, in_background, expected) in rows {
        let world = Plan::new(Script::forever(says("x")))
            .agents(|agents| agents.agent(agent.clone()))
            .build(|session| session);
        let mut input = task("worker");
        input["run_in_background"] = json!(in_background);
        world.run(vec![call("a", "Agent", &input)]).await;
        world.agents.running().end_of(&world.only()).await;
        assert_eq!(world.child.tools(), expected, "{agent:?}");
    }
}

#[tokio::test]
async fn an_agent_without_any_tool_is_an_error() {
    for none in [
        agent(Some(&[]), &[]),
        agent(Some(&["NoSuchTool"]), &[]),
        agent(Some(&["Read"]), &["Read"]),
        agent(None, &["*"]),
    ] {
        let world =
            Plan::new(Script::new(vec![])).agents(|agents| agents.agent(none)).build(|session| session);
        world.run(vec![call("a", "Agent", &task("worker"))]).await;
        let (text, is_error) = world.result();
        assert!(is_error && text.contains("no tool is left for the agent `worker`"), "{text}");
    }
}

#[tokio::test]
async fn an_agent_that_starts_itself_comes_to_an_end() {
    for depth in [0, 1, 3] {
        let child = Script::forever(call("again", "Agent", &task("worker")));
        let own = AgentDefinition { turns_max: NonZeroUsize::new(1), ..agent(None, &[]) };
        let world =
            Plan::new(child).agents(|agents| agents.agent(own).depth_max(depth)).build(|session| session);
        world.run(vec![call("a", "Agent", &task("worker"))]).await;
        assert_eq!(world.agents.running().all().len(), depth, "one within another, and no more");
        assert!(world.result().1, "{:?}", world.result());
        let last = world.child.asked().pop();
        let has_agent =
            last.is_some_and(|last| last.tools.iter().any(|tool| tool.contains(r#""name":"Agent""#)));
        assert!(!has_agent, "the deepest one has no tool for it");
    }
}

#[tokio::test]
async fn a_call_knows_which_agents_it_is_within_and_which_calls_started_them() {
    let inner = AgentDefinition::new("inner", "Works.", "Inner.");
    let child = Script::new(vec![
        calls(&[("w1", "WhereAmI", json!({})), ("a2", "Agent", task("inner"))]),
        call("w2", "WhereAmI", &json!({})),
        says("x"),
        says("y"),
    ]);
    let world = Plan::new(child).where_am_i().agents(|agents| agents.agent(inner)).build(|session| session);
    world.run(vec![calls(&[("w0", "WhereAmI", json!({})), ("a1", "Agent", task("general-purpose"))])]).await;
    let place = |results: Vec<toolwright::message::ToolResult>| -> serde_json::Value {
        serde_json::from_str(&results[0].content.to_text()).expect("it is JSON")
    };
    let of = |index: usize| {
        let id = world.agents.running().all()[index].0.clone();
        place(super::world::results(&world.agents.running().conversation(&id).expect("it is known")))
    };
    assert_eq!(place(world.results()), json!({"depth": 0, "parent": null, "calls": [], "is_agent": false}));
    assert_eq!(of(0), json!({"depth": 1, "parent": "a1", "calls": ["a1"], "is_agent": true}));
    assert_eq!(of(1), json!({"depth": 2, "parent": "a2", "calls": ["a1", "a2"], "is_agent": true}));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_agents_run_at_a_time_than_may() {
    let child = Script::forever(call("b", "Bash", &json!({"command": "sleep 0.2"})));
    let own = AgentDefinition { turns_max: NonZeroUsize::new(1), ..agent(None, &[]) };
    let world = Plan::new(child)
        .agents(|agents| agents.agent(own).concurrent_max(NonZeroUsize::new(2).expect("two")))
        .build(|session| session.mode(toolwright::permission::Mode::BypassPermissions));
    let mut input = task("worker");
    input["run_in_background"] = json!(true);
    let three = ["a", "b", "c"].map(|id| (id, "Agent", input.clone()));
    world.run(vec![calls(&three)]).await;
    let refused = world.results().into_iter().filter(|result| result.is_error).collect::<Vec<_>>();
    assert_eq!(refused.len(), 1);
    assert!(refused[0].content.to_text().contains("concurrent subagent limit reached"));
    for (id, _status) in world.agents.running().all() {
        world.agents.running().end_of(&id).await;
    }
    world.run(vec![call("d", "Agent", &input)]).await;
    assert!(!world.results()[3].is_error, "a place is free again");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_was_stopped_goes_on_no_more() {
    let world = Plan::new(Script::forever(call("b", "Bash", &json!({"command": "tail -f /dev/null"}))))
        .build(|session| session.mode(toolwright::permission::Mode::BypassPermissions));
    let mut input = task("general-purpose");
    input["run_in_background"] = json!(true);
    world.run(vec![call("a", "Agent", &input)]).await;
    let id = world.only();
    assert!(world.agents.running().stop(&id));
    assert_eq!(world.agents.running().end_of(&id).await, Some(AgentStatus::Stopped));
    assert!(!world.agents.running().stop(&id));
    world.run(vec![call("s", "SendMessage", &json!({"to": id, "message": "go on"}))]).await;
    assert!(world.results()[1].content.to_text().contains("was stopped"));
}

#[tokio::test]
async fn an_agent_writes_to_those_it_started_and_to_nobody_else() {
    let child = Script::new(vec![
        says("first"),
        call("s", "SendMessage", &json!({"to": "one", "message": "do more"})),
        says("x"),
    ]);
    let world = Plan::new(child).build(|session| session);
    let mut one = task("general-purpose");
    one["name"] = json!("one");
    world.run(vec![call("a", "Agent", &one), call("b", "Agent", &task("general-purpose"))]).await;
    let second = world.agents.running().all().remove(1).0;
    let results = super::world::results(&world.agents.running().conversation(&second).expect("it is known"));
    assert!(
        results[0].is_error && results[0].content.to_text().contains("was not started by this one"),
        "{results:?}"
    );
}

#[tokio::test]
async fn what_an_agent_cannot_do_is_refused_before_it_starts() {
    let hooked = AgentDefinition::read(b"---\nname: worker\ndescription: d\nisolation: remote\n---\nx")
        .expect("it is one");
    let world = Plan::new(Script::new(vec![])).agents(|agents| agents.agent(hooked)).build(|session| session);
    for (input, word) in [
        (task("worker"), "`isolation` is not available"),
        (json!({"description": "d", "prompt": " "}), "`prompt` is empty"),
        (json!({"description": "d", "prompt": "p", "isolation": "remote"}), "`isolation` cannot be `remote`"),
        (json!({"description": "d", "prompt": "p", "name": "../x"}), "is no name"),
    ] {
        world.run(vec![call(&input.to_string(), "Agent", &input)]).await;
        let last = world.results().pop().expect("it has a result");
        assert!(last.is_error && last.content.to_text().contains(word), "{input}: {last:?}");
    }
    assert!(world.agents.running().all().is_empty());
}

#[test]
fn the_list_of_things_to_do_is_one_for_all() {
    let world_free = toolwright_tools::agents::Todos::default();
    let other = world_free.clone();
    let todo = Todo { content: "a".into(), status: TodoStatus::Pending, active_form: "doing a".into() };
    assert!(other.replace(vec![todo.clone()]).is_empty());
    assert_eq!(world_free.now(), [todo]);
}
