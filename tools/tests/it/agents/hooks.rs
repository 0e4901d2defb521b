//! Hooks that an agent brings: for its span, below those of the session, and only where its folder is trusted.

use serde_json::json;
use toolwright::hooks::{HookConfig, HookLayer};
use toolwright::permission::{Behavior, Source};
use toolwright_tools::agents::AgentDefinition;
use toolwright_tools::hooks::RealHooks;

use super::world::{Plan, Script, call, says, task};

/// An agent whose hook says this before each command.
fn hooked(command: &str) -> AgentDefinition {
    with_tools("Bash, Read", command)
}

fn with_tools(tools: &str, command: &str) -> AgentDefinition {
    let text = format!(
        "---\nname: worker\ndescription: d\ntools: {tools}\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: {command}\n          timeout: 30\n---\nx"
    );
    let agent = AgentDefinition::read(text.as_bytes()).expect("it is an agent");
    assert_eq!((agent.warnings.as_slice(), &agent.unavailable), (&[][..], &None));
    agent
}

fn bash(id: &str, command: &str) -> Vec<toolwright::query::ModelEvent> {
    call(id, "Bash", &json!({"command": command}))
}

#[tokio::test]
async fn an_agents_hooks_see_its_calls_and_nobody_elses() {
    let child = Script::new(vec![bash("k1", "echo child"), says("done")]);
    let refuses = hooked("\"echo 'not in this agent' >&2; exit 2\"");
    let world = Plan::new(child).agents(|agents| agents.agent(refuses).trust_hooks()).build(|session| {
        session.hook_transport(RealHooks::new()).rule(Behavior::Allow, Source::CliArg, "Bash")
    });
    world
        .run(vec![bash("p1", "echo before"), call("a", "Agent", &task("worker")), bash("p2", "echo after")])
        .await;
    let of_child = world.results_of_child();
    assert!(
        of_child[0].is_error && of_child[0].content.to_text().contains("not in this agent"),
        "{of_child:?}"
    );
    let all = world.results();
    assert!(all.iter().all(|result| !result.is_error), "the others' calls ran: {all:?}");
}

#[tokio::test]
async fn a_hook_that_allows_everything_gives_an_agent_no_tool_that_it_has_not() {
    let child = Script::new(vec![bash("k1", "touch came"), says("done")]);
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let allows = with_tools("Read", &format!("echo '{answer}'"));
    let world = Plan::new(child).agents(|agents| agents.agent(allows).trust_hooks()).build(|session| {
        session.hook_transport(RealHooks::new()).rule(Behavior::Allow, Source::CliArg, "Bash")
    });
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    let of_child = world.results_of_child();
    assert!(of_child[0].is_error && of_child[0].content.to_text().contains("no tool `Bash`"), "{of_child:?}");
    assert!(!world.path("came").exists());
}

#[tokio::test]
async fn an_agents_hooks_lift_no_deny_of_the_session() {
    let child = Script::new(vec![bash("k1", "echo child"), says("done")]);
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let allows = hooked(&format!("echo '{answer}'"));
    let world = Plan::new(child).agents(|agents| agents.agent(allows).trust_hooks()).build(|session| {
        session.hook_transport(RealHooks::new()).rule(Behavior::Deny, Source::CliArg, "Bash(echo *)")
    });
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    assert!(world.results_of_child()[0].is_error, "{:?}", world.results_of_child());
}

#[tokio::test]
async fn an_agent_that_brings_hooks_is_not_run_where_nobody_trusts_them_or_they_cannot_be_read() {
    let unreadable = AgentDefinition::read(b"---\nname: odd\ndescription: d\nhooks: nonsense\n---\nx");
    let unreadable = unreadable.expect("it is an agent");
    assert_eq!(unreadable.warnings.len(), 1);
    let world = Plan::new(Script::new(vec![]))
        .agents(|agents| agents.agent(hooked("exit 0")).agent(unreadable))
        .build(|session| session.hook_transport(RealHooks::new()));
    world.run(vec![call("a", "Agent", &task("worker")), call("b", "Agent", &task("odd"))]).await;
    let results = world.results();
    for (result, words) in results.iter().zip(["only where its folder is trusted", "`hooks` cannot be read"])
    {
        assert!(result.is_error && result.content.to_text().contains(words), "{result:?}");
    }
    assert_eq!(results.len(), 2);
    assert!(world.agents.running().all().is_empty(), "none was started");
}

#[tokio::test]
async fn a_hook_that_allows_everything_gives_an_agent_in_the_background_nothing_more() {
    let ask = json!({"questions": [{"question": "q?", "header": "h", "options": [], "multiSelect": false}]});
    let child = Script::new(vec![
        call("q", "AskUserQuestion", &ask),
        call("a", "Agent", &task("worker")),
        call("r", "Read", &json!({"file_path": "there.txt"})),
        says("done"),
    ]);
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let all =
        json!({"PreToolUse": [{"hooks": [{"type": "command", "command": format!("echo '{answer}'")}]}]});
    let layer = HookLayer::new(Source::UserSettings, HookConfig::from_json(&all).0);
    let plan = Plan::new(child);
    plan.put("there.txt", "there");
    let world = plan
        .agents(|agents| agents.agent(AgentDefinition::new("worker", "Works.", "You work.")))
        .build(|session| session.hook_transport(RealHooks::new()).hooks_configured([layer]));
    let mut input = task("worker");
    input["run_in_background"] = json!(true);
    world.run(vec![call("s", "Agent", &input), says("gone on")]).await;
    world.agents.running().end_of(&world.only()).await;
    let of_child = world.results_of_child();
    let errors: Vec<bool> = of_child.iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [true, true, false], "{of_child:?}");
    assert!(of_child[..2].iter().all(|result| result.content.to_text().contains("no tool")), "{of_child:?}");
}
