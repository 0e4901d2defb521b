//! Skills in use: as a note, by an agent, with rules for a while, and with commands that go through the gate.

use serde_json::{Value, json};
use toolwright::message::Message;
use toolwright::permission::{Behavior, Source};
use toolwright_tools::agents::AgentStatus;
use toolwright_tools::skills::{Skill, Skills};

use crate::agents::world::{Person, Plan, Script, World, call, calls, says, task};

fn skill(name: &str, front: &str, text: &str) -> Skill {
    let file = format!("---\ndescription: A test.\n{front}\n---\n{text}");
    Skill::read(file.as_bytes(), name).expect("it can be read")
}

fn plan(skills: impl IntoIterator<Item = Skill>, child: Vec<Vec<toolwright::query::ModelEvent>>) -> Plan {
    Plan::new(Script::new(child)).skills(Skills::new(skills))
}

fn uses(name: &str, args: &str) -> Value {
    json!({"skill": name, "args": args})
}

fn write(path: &str) -> Value {
    json!({"file_path": path, "content": "x"})
}

/// The notes in the parent's conversation.
fn notes(world: &World) -> Vec<String> {
    let conversation = world.session.conversation();
    let notes = conversation.iter().filter(|message| message.is_meta);
    notes.map(|note| format!("{:?}", note.content)).collect()
}

#[tokio::test]
async fn a_skill_comes_as_a_note_behind_its_result() {
    let world = plan([skill("greet", "arguments: who", "Greet $who, then $ARGUMENTS.")], vec![])
        .build(|session| session);
    world.run(vec![call("s", "Skill", &uses("greet", "Ann twice")), says("done")]).await;
    assert!(!world.result().1, "a text opens nothing, so nobody is asked: {:?}", world.result());
    let notes = notes(&world);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("Greet Ann, then Ann twice."), "{notes:?}");
    let conversation = world.session.conversation();
    assert!(conversation[3].is_meta && !conversation[2].is_meta, "{conversation:?}");
}

#[tokio::test]
async fn a_skill_that_the_model_may_not_use_or_that_does_not_exist_is_refused() {
    let all = [
        skill("greet", "", "x"),
        skill("secret", "disable-model-invocation: true", "x"),
        skill("hooked", "hooks: {a: b}", "x"),
    ];
    let world = plan(all, vec![]).build(|session| session);
    let asked = [("a", "secret"), ("b", "gret"), ("c", "hooked"), ("d", "../greet"), ("e", "zzzz")];
    let asked: Vec<_> = asked.iter().map(|(id, name)| (*id, "Skill", uses(name, ""))).collect();
    world.run(vec![calls(&asked)]).await;
    let texts: Vec<String> = world.results().iter().map(|result| result.content.to_text()).collect();
    assert!(world.results().iter().all(|result| result.is_error));
    for (text, word) in texts.iter().zip([
        "only a person may use it",
        "did you mean `greet`?",
        "`hooks` are not available yet",
        "no skill `../greet`",
        "there are `",
    ]) {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!texts[4].contains("secret") && notes(&world).is_empty());
}

#[tokio::test]
async fn what_a_skill_opens_is_open_until_the_person_says_something() {
    let world = plan([skill("edit", "allowed-tools: Edit(**), Bash(touch:*)", "Edit it.")], vec![])
        .build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill(edit)"));
    world.run(vec![call("w0", "Write", &write("a"))]).await;
    assert!(world.result().1, "nobody is there to ask");
    let touch = json!({"command": "touch c"});
    world
        .run(vec![
            call("s", "Skill", &uses("edit", "")),
            call("w1", "Write", &write("b")),
            call("t", "Bash", &touch),
        ])
        .await;
    let results = world.results();
    assert!(results[1..].iter().all(|result| !result.is_error), "{results:?}");
    assert!(world.path("b").exists() && world.path("c").exists());
    world.session.push(Message::note("a note ends nothing"));
    world.run(vec![call("w2", "Write", &write("d"))]).await;
    assert!(world.results()[4].is_error && !world.path("d").exists(), "{:?}", world.results());
}

#[tokio::test]
async fn what_a_skill_forbids_is_forbidden_until_the_person_says_something() {
    let world = plan([skill("careful", "disallowed-tools: Write", "Take care.")], vec![]).build(|session| {
        session
            .rule(Behavior::Allow, Source::UserSettings, "Skill(careful)")
            .mode(toolwright::permission::Mode::AcceptEdits)
    });
    world.run(vec![call("s", "Skill", &uses("careful", "")), call("w", "Write", &write("a"))]).await;
    assert!(world.results()[1].is_error && !world.path("a").exists(), "{:?}", world.results());
    world.run(vec![call("w2", "Write", &write("a"))]).await;
    assert!(!world.results()[2].is_error && world.path("a").exists(), "{:?}", world.results());
}

#[tokio::test]
async fn a_skill_used_by_an_agent_opens_nothing_and_one_that_forbids_is_refused() {
    let all = [skill("open", "allowed-tools: Edit", "x"), skill("careful", "disallowed-tools: Read", "x")];
    let child = vec![
        call("s", "Skill", &uses("open", "")),
        call("w", "Write", &write("a")),
        call("c", "Skill", &uses("careful", "")),
        says("x"),
    ];
    let world =
        plan(all, child).build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill"));
    world.run(vec![call("a", "Agent", &task("general-purpose")), call("w2", "Write", &write("b"))]).await;
    let results = world.results_of_child();
    assert!(
        !results[0].is_error && results[0].content.to_text().contains("`Edit` asks as before"),
        "{results:?}"
    );
    assert!(results[1].is_error && results[2].is_error && !world.path("a").exists(), "{results:?}");
    assert!(world.results()[1].is_error && !world.path("b").exists(), "nor for who started it");
}

#[tokio::test]
async fn a_fork_is_done_by_an_agent() {
    for (front, in_background) in [("context: fork\nbackground: false", false), ("context: fork", true)] {
        let world = plan([skill("study", front, "Study $0.")], vec![says("studied")])
            .build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill(study *)"));
        world.run(vec![call("s", "Skill", &uses("study", "birds"))]).await;
        let (text, is_error) = world.result();
        assert!(!is_error && notes(&world).is_empty(), "{text}");
        assert_eq!(text.contains("studied"), !in_background, "{text}");
        let end = world.agents.running().end_of(&world.only()).await;
        assert!(matches!(&end, Some(AgentStatus::Finished(report)) if report.text == "studied"), "{end:?}");
        let first = format!("{:?}", world.child.asked()[0].messages);
        assert!(first.contains("Study birds."), "{first}");
    }
    let world = plan([skill("study", "context: fork\nagent: nobody", "x")], vec![])
        .build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill"));
    world.run(vec![call("s", "Skill", &uses("study", ""))]).await;
    assert!(world.result().1 && world.result().0.contains("there is no agent `nobody`"));
}

#[tokio::test]
async fn the_commands_of_a_skill_run_through_the_gate_and_stay_text_where_it_is_closed() {
    let text = "One: !`echo one`\nTwo: !`touch made`\n```!\necho $ARGUMENTS\n```\nEnd: !`grep -q x nothing`";
    let world = plan([skill("look", "", text)], vec![])
        .build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill"));
    world.run(vec![call("s", "Skill", &uses("look", "a; touch injected"))]).await;
    assert!(!world.result().1, "{:?}", world.result());
    let note = notes(&world).remove(0);
    assert!(note.contains("One: one") && note.contains("`touch made` gave nothing"), "{note}");
    assert!(note.contains("`echo a; touch injected` gave nothing"), "{note}");
    assert!(!world.path("made").exists() && !world.path("injected").exists());

    let world =
        plan([skill("look", "allowed-tools: Bash(touch:*), Edit(**)", "!`touch made` !`pwd`")], vec![])
            .build(|session| session.rule(Behavior::Allow, Source::UserSettings, "Skill(look *)"));
    world.run(vec![call("s", "Skill", &uses("look", "!`touch injected`"))]).await;
    let note = notes(&world).remove(0);
    assert!(world.path("made").exists() && !world.path("injected").exists(), "{note}");
    assert!(note.contains("ARGUMENTS: !`touch injected`"), "{note}");
}

#[tokio::test]
async fn a_skill_that_does_more_than_speak_asks_and_says_what_it_opens() {
    let person = Person::yes();
    let world = plan([skill("edit", "allowed-tools: Edit", "!`echo hi`")], vec![])
        .build(|session| session.prompter(person.clone()));
    world.run(vec![call("s", "Skill", &uses("edit", "now"))]).await;
    let questions = person.questions();
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert!(questions[0].description.contains("may then use Edit without a question"), "{questions:?}");
    // A command is more than a text, also where there is nothing else.
    for text in ["!`echo hi`", "```!\necho hi\n```", "now !`echo hi`"] {
        let person = Person::yes();
        let world = plan([skill("run", "", text)], vec![]).build(|session| session.prompter(person.clone()));
        world.run(vec![call("s", "Skill", &uses("run", ""))]).await;
        assert_eq!(person.questions().len(), 1, "{text}");
    }
    let open = || skill("edit", "allowed-tools: Edit", "x");
    for (behavior, rule, args, is_error) in [
        (Behavior::Allow, "Skill(edit)", "", false),
        (Behavior::Allow, "Skill(edit)", "now", true),
        (Behavior::Allow, "Skill(edit *)", "now", false),
        (Behavior::Allow, "Skill(edit:*)", "now", false),
        (Behavior::Allow, "Skill(editor)", "", true),
        (Behavior::Allow, "Skill", "now", false),
    ] {
        let world =
            plan([open()], vec![]).build(|session| session.rule(behavior, Source::UserSettings, rule));
        world.run(vec![call("s", "Skill", &uses("edit", args))]).await;
        assert_eq!(world.result().1, is_error, "{rule} {args}: {:?}", world.result());
    }
    for rule in ["Skill(plain)", "Skill(plain *)", "Skill"] {
        let world = plan([skill("plain", "", "x")], vec![])
            .build(|session| session.rule(Behavior::Deny, Source::UserSettings, rule));
        world.run(vec![call("s", "Skill", &uses("/plain", "with arguments"))]).await;
        assert!(world.results().iter().all(|result| result.is_error), "{rule}");
        assert!(notes(&world).is_empty(), "{rule}");
    }
}
