//! What agents may do: never more than whoever started them.

use serde_json::json;
use toolwright::permission::{Behavior, Mode, Profile, RuleText, Source};
use toolwright::session::SessionBuilder;
use toolwright_tools::agents::AgentDefinition;

use super::world::{Person, Plan, Script, call, says, task};

fn agent() -> AgentDefinition {
    AgentDefinition::new("worker", "Works.", "You work.")
}

fn write(path: &str) -> serde_json::Value {
    json!({"file_path": path, "content": "x"})
}

#[tokio::test]
async fn what_the_parents_rules_deny_is_denied_to_an_agent_whatever_it_wants() {
    let wider = AgentDefinition { mode: Some(Mode::BypassPermissions), ..agent() };
    let plan = Plan::new(Script::new(vec![
        call("r", "Read", &json!({"file_path": "secret.txt"})),
        call("w", "Write", &write("new.txt")),
        says("x"),
    ]));
    plan.put("secret.txt", "s3cr3t");
    let world = plan
        .agents(|agents| agents.agent(wider))
        .build(|session| session.rule(Behavior::Deny, Source::UserSettings, "Read(secret.txt)"));
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    let results = world.results_of_child();
    assert!(results.iter().all(|result| result.is_error), "{results:?}");
    assert!(!world.path("new.txt").exists(), "nobody is there to ask, and its mode is not what it wants");
}

#[tokio::test]
async fn what_the_parent_allows_by_path_an_agent_may_do_too_and_no_more() {
    let plan = Plan::new(Script::new(vec![
        call("i", "Write", &write("in/a")),
        call("o", "Write", &write("out/a")),
        says("x"),
    ]));
    let rule = RuleText::new(Behavior::Allow, Source::ProjectSettings, "Edit(/in/**)");
    let world = plan.agents(|agents| agents.agent(agent())).build(|session| session.rule_at(rule));
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    let results = world.results_of_child();
    assert_eq!(
        results.iter().map(|result| result.is_error).collect::<Vec<_>>(),
        [false, true],
        "{results:?}"
    );
    assert!(world.path("in/a").exists() && !world.path("out/a").exists());
}

#[tokio::test]
async fn an_agent_has_its_parents_mode_where_that_is_wider_or_narrower_than_its_own() {
    for (above, own, writes) in [
        (Mode::BypassPermissions, Some(Mode::Plan), true),
        (Mode::BypassPermissions, None, true),
        (Mode::AcceptEdits, Some(Mode::Default), true),
        (Mode::Plan, Some(Mode::BypassPermissions), false),
        (Mode::Plan, None, false),
        (Mode::Default, Some(Mode::AcceptEdits), false),
        (Mode::DontAsk, Some(Mode::Default), false),
    ] {
        let own_agent = AgentDefinition { mode: own, ..agent() };
        let world = Plan::new(Script::new(vec![call("w", "Write", &write("a")), says("x")]))
            .agents(|agents| agents.agent(own_agent))
            .build(|session| session.mode(above));
        world.run(vec![call("a", "Agent", &task("worker"))]).await;
        assert!(!world.result().1, "{above} {own:?}: {:?}", world.result());
        assert_eq!(world.path("a").exists(), writes, "{above} {own:?}");
    }
}

#[tokio::test]
async fn a_question_of_an_agent_goes_to_the_parents_person_with_its_name() {
    let person = Person::yes();
    let world = Plan::new(Script::new(vec![call("w", "Write", &write("a")), says("x")]))
        .agents(|agents| agents.agent(agent()))
        .build(|session| session.prompter(person.clone()));
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    let questions = person.questions();
    assert_eq!(questions.len(), 1, "the agent itself is not asked about: {questions:?}");
    assert_eq!(
        (questions[0].tool.as_str(), questions[0].agents.as_slice()),
        ("Write", &["worker".to_owned()][..])
    );
    assert!(world.path("a").exists());
}

#[tokio::test]
async fn rules_about_agents_are_about_the_kind_and_the_model() {
    for (rule, input, is_denied) in [
        ("Agent(worker)", task("worker"), true),
        ("Task(worker)", task("worker"), true),
        ("Agent(other)", task("worker"), false),
        ("Agent(model:opus)", json!({"description": "d", "prompt": "p", "model": "opus"}), true),
        ("Agent(model:opus)", json!({"description": "d", "prompt": "p"}), false),
    ] {
        let world = Plan::new(Script::forever(says("x")))
            .agents(|agents| agents.agent(agent()))
            .build(|session| session.rule(Behavior::Deny, Source::UserSettings, rule));
        world.run(vec![call("a", "Agent", &input)]).await;
        assert_eq!(world.result().1, is_denied, "{rule} {input}: {:?}", world.result());
        assert_eq!(world.child.asked().is_empty(), is_denied);
    }
}

#[tokio::test]
async fn an_agent_that_plans_looks_and_writes_nothing_whatever_rules_allow() {
    let bash = |id: &str, command: &str| call(id, "Bash", &json!({"command": command}));
    for profile in [Profile::V2_1_88, Profile::Current] {
        let plan = Plan::new(Script::new(vec![
            bash("l", "ls"),
            call("r", "Read", &json!({"file_path": "there.txt"})),
            bash("t", "touch new.txt"),
            bash("d", "rm there.txt"),
            call("w", "Write", &write("new.txt")),
            says("x"),
        ]));
        plan.put("there.txt", "there");
        let plans = AgentDefinition { mode: Some(Mode::Plan), ..agent() };
        let world = plan.agents(|agents| agents.agent(plans).profile(profile)).build(|session| {
            let allow = |session: SessionBuilder, rule| session.rule(Behavior::Allow, Source::CliArg, rule);
            ["Edit(**)", "Bash(touch *)", "Bash(rm *)"].into_iter().fold(session.profile(profile), allow)
        });
        world.run(vec![call("a", "Agent", &task("worker"))]).await;
        let errors: Vec<bool> = world.results_of_child().iter().map(|result| result.is_error).collect();
        assert_eq!(errors, [false, false, true, true, true], "{profile:?}: {:?}", world.results_of_child());
        assert!(world.path("there.txt").exists() && !world.path("new.txt").exists(), "{profile:?}");
    }
}
