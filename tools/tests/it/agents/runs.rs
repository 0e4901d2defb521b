//! Agents from their start to their last word.

use serde_json::json;
use toolwright::env::Cause;
use toolwright::event::Event;
use toolwright::message::{Message, RawInput};
use toolwright::permission::Profile;
use toolwright::query::{End, ModelEvent, Usage};
use toolwright_tools::agents::{AgentDefinition, AgentStatus};

use super::world::{Plan, Script, call, calls, is_answered, says, task};

fn reader() -> AgentDefinition {
    AgentDefinition::new("reader", "Reads files.", "You read files.")
}

#[tokio::test]
async fn an_agent_runs_a_loop_of_its_own_and_only_its_last_word_comes_back() {
    let usage = Usage { input: 70, output: 30, ..Usage::default() };
    let last = vec![ModelEvent::text(0, "it says hello"), ModelEvent::Usage(usage)];
    let plan = Plan::new(Script::new(vec![call("r", "Read", &json!({"file_path": "a.txt"})), last]));
    plan.put("a.txt", "hello");
    let world = plan.agents(|agents| agents.agent(reader())).build(|session| session);
    let end = world.run(vec![call("a", "Agent", &task("reader")), says("done")]).await;
    assert_eq!(end, End::Answered("done".to_owned()));
    let (text, is_error) = world.result();
    assert!(!is_error && text.starts_with("it says hello\n"), "{text}");
    assert!(text.contains("1 calls, 100 tokens"), "{text}");
    assert!(!format!("{:?}", world.session.conversation()).contains("file_path"), "its course stays its own");
    let asked = world.child.asked();
    assert_eq!(asked[0].system.as_deref(), Some("You read files."));
    assert_eq!(
        *asked[0].messages,
        vec![Message::user("do it")],
        "it knows nothing of the conversation above"
    );
    let Some(AgentStatus::Finished(report)) = world.agents.running().status(&world.only()) else {
        panic!("it has finished")
    };
    assert_eq!((report.total_tool_use_count, report.total_tokens), (1, 100));
}

#[tokio::test]
async fn its_messages_are_the_progress_of_the_call() {
    let plan = Plan::new(Script::new(vec![call("r", "Read", &json!({"file_path": "a.txt"})), says("hello")]));
    plan.put("a.txt", "hello");
    let world = plan.build(|session| session);
    world.run(vec![call("a", "Agent", &task("general-purpose"))]).await;
    let shown = world.events.all().into_iter().filter_map(|event| match event {
        Event::Progress { call, data, .. } => Some((call.to_string(), data["message"]["role"].clone())),
        _other => None,
    });
    let roles = ["user", "assistant", "user", "assistant"].map(|role| ("a".to_owned(), json!(role)));
    assert_eq!(shown.collect::<Vec<_>>(), roles);
}

#[tokio::test]
async fn an_agent_that_does_not_exist_is_an_error_with_the_nearest_names() {
    let world =
        Plan::new(Script::new(vec![])).agents(|agents| agents.agent(reader())).build(|session| session);
    world.run(vec![call("a", "Agent", &task("raeder"))]).await;
    let (text, is_error) = world.result();
    assert!(is_error && text.contains("there is no agent `raeder`; did you mean `reader`?"), "{text}");
    let world = Plan::new(Script::new(vec![])).build(|session| session);
    world.run(vec![call("a", "Agent", &task("zzzzzz"))]).await;
    assert!(world.result().0.contains("there are `general-purpose`"), "{:?}", world.result());
}

#[tokio::test]
async fn what_it_says_is_cut_and_kept_whole() {
    let long = "ä".repeat(40_000);
    let world = Plan::new(Script::new(vec![says(&long)])).build(|session| session);
    world.run(vec![call("a", "Agent", &task("general-purpose"))]).await;
    let (text, is_error) = world.result();
    assert!(!is_error && text.chars().count() < 32_000, "{}", text.chars().count());
    let stored = text.split('`').find(|word| word.ends_with(".txt")).expect("the place is told");
    assert!(std::fs::read_to_string(stored).expect("it is kept").starts_with(&long));
}

#[tokio::test]
async fn an_agent_that_goes_on_for_ever_is_stopped_by_its_budget() {
    let child = Script::forever(call("g", "Glob", &json!({"pattern": "*"})));
    let looping = AgentDefinition { turns_max: std::num::NonZeroUsize::new(3), ..reader() };
    let world = Plan::new(child).agents(|agents| agents.agent(looping)).build(|session| session);
    world.run(vec![call("a", "Agent", &task("reader"))]).await;
    let (text, is_error) = world.result();
    assert!(is_error && text.contains("used up what it may spend"), "{text}");
    assert_eq!(world.child.asked().len(), 3);
    assert!(is_answered(&world.agents.running().conversation(&world.only()).expect("it is known")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_of_the_parent_ends_its_agents_with_every_call_answered() {
    let child = Script::forever(call("b", "Bash", &json!({"command": "tail -f /dev/null"})));
    let world =
        Plan::new(child).build(|session| session.mode(toolwright::permission::Mode::BypassPermissions));
    let run = world.run(vec![call("a", "Agent", &task("general-purpose"))]);
    let abort = async {
        while world.child.asked().is_empty() {
            world.session.env().sleep(std::time::Duration::from_millis(5)).await;
        }
        world.session.env().sleep(std::time::Duration::from_millis(100)).await;
        world.session.abort();
    };
    let (end, ()) = futures_util::future::join(run, abort).await;
    assert_eq!(end, End::Aborted);
    assert!(is_answered(&world.session.conversation()));
    let id = world.only();
    assert_eq!(world.agents.running().status(&id), Some(AgentStatus::Stopped));
    assert!(is_answered(&world.agents.running().conversation(&id).expect("it is known")));
    assert_eq!(world.child.asked().len(), 1, "it does not go on");
    let text = world.result().0;
    assert!(text.contains(&Cause::Aborted.to_string()), "{text}");
}

#[tokio::test]
async fn an_agent_in_the_background_is_not_waited_for_and_told_of_at_its_end() {
    let world = Plan::new(Script::new(vec![says("found it"), says("more")])).build(|session| session);
    let mut input = task("general-purpose");
    input["run_in_background"] = json!(true);
    input["name"] = json!("finder");
    world.run(vec![call("a", "Agent", &input), says("gone on")]).await;
    let (text, is_error) = world.result();
    let id = world.only();
    assert!(!is_error && text.contains(&id) && !text.contains("found it"), "{text}");
    let end = world.agents.running().end_of(&id).await;
    assert!(matches!(&end, Some(AgentStatus::Finished(report)) if report.text == "found it"), "{end:?}");
    let notices = world.agents.running().take_notices();
    assert!(notices.len() == 1 && notices[0].is_meta && format!("{notices:?}").contains("found it"));
    assert!(world.agents.running().take_notices().is_empty(), "once");

    let message = json!({"to": "finder", "message": "and then?"});
    world.run(vec![call("s", "SendMessage", &message), says("sent")]).await;
    let end = world.agents.running().end_of(&id).await;
    assert!(matches!(&end, Some(AgentStatus::Finished(report)) if report.text == "more"), "{end:?}");
    let last = world.child.asked().pop().expect("it was asked");
    assert_eq!(last.messages.len(), 3, "it knows what it did before: {:?}", last.messages);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_an_agent_that_runs_is_next_and_one_that_was_stopped_gets_none() {
    let child =
        Script::new(vec![call("b", "Bash", &json!({"command": "sleep 0.3"})), says("one"), says("two")]);
    let world =
        Plan::new(child).build(|session| session.mode(toolwright::permission::Mode::BypassPermissions));
    let mut input = task("general-purpose");
    input["run_in_background"] = json!(true);
    world.run(vec![call("a", "Agent", &input)]).await;
    let id = world.only();
    let message = json!({"to": id, "message": "and this"});
    world.run(vec![call("s", "SendMessage", &message)]).await;
    let end = world.agents.running().end_of(&id).await;
    assert!(matches!(&end, Some(AgentStatus::Finished(report)) if report.text == "two"), "{end:?}");
    let message = json!({"to": "nobody", "message": "hello"});
    world.run(vec![call("n", "SendMessage", &message)]).await;
    assert!(
        world.results()[2].is_error && world.results()[2].content.to_text().contains("no agent `nobody`")
    );
}

#[tokio::test]
async fn agents_run_beside_each_other_in_the_profile_that_says_so() {
    for (profile, is_safe) in [(Profile::V2_1_88, false), (Profile::Current, true)] {
        let world =
            Plan::new(Script::new(vec![])).agents(|agents| agents.profile(profile)).build(|session| session);
        let agent = world.session.pool().find("Agent").expect("it is there").clone();
        let input = RawInput::new(task("general-purpose").to_string());
        let parsed = agent.parse(&input, toolwright::contract::Origin::Model).expect("it fits");
        assert_eq!(parsed.call.flags().concurrency_safe, is_safe, "{profile:?}");
        assert!(!parsed.call.flags().read_only);
        assert!(agent.tool().form().aliases.contains(&"Task".into()));
    }
    let world = Plan::new(Script::forever(says("x"))).build(|session| session);
    let both = [("a", "Agent", task("general-purpose")), ("b", "Agent", task("general-purpose"))];
    world.run(vec![calls(&both)]).await;
    assert_eq!(world.results().iter().filter(|result| !result.is_error).count(), 2);
}

#[tokio::test]
async fn the_model_and_the_first_words_are_the_definitions_and_the_call_comes_first() {
    let agent = AgentDefinition {
        model: Some("opus".to_owned()),
        initial_prompt: Some("Read the rules first.".to_owned()),
        ..reader()
    };
    for (asked, expected) in [(None, "big-model"), (Some("haiku"), "haiku")] {
        let world = Plan::new(Script::new(vec![says("x")]))
            .agents(|agents| agents.agent(agent.clone()).model_name("opus", "big-model"))
            .build(|session| session);
        let mut input = task("reader");
        if let Some(model) = asked {
            input["model"] = json!(model);
        }
        world.run(vec![call("a", "Agent", &input)]).await;
        let first = world.child.asked().remove(0);
        assert_eq!(first.model.as_deref(), Some(expected));
        assert_eq!(*first.messages, vec![Message::user("Read the rules first.\n\ndo it")]);
    }
}
