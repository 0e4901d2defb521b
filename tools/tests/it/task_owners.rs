//! Whose a task is: sessions do not see each other's, agents only their own, and each ends with its owner.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::query::{Budget, End, ModelEvent, Scripted};
use toolwright::session::Session;
use toolwright_tools::agents::Agents;
use toolwright_tools::skills::SkillState;
use toolwright_tools::tasks::Tasks;
use toolwright_tools::{add_agents, catalogue_with};

use crate::background::{begin, look, notes_in, output};
use crate::living::{Living, id_in};
use crate::processes::{dies, starts};

#[tokio::test]
async fn sessions_do_not_see_each_others_tasks() {
    let tasks = Tasks::new();
    let (one, other) = (Living::with(tasks.clone()), Living::with(tasks));
    let id = begin(&one, "sleep 84.25").await;
    for tool in ["TaskOutput", "TaskStop"] {
        let said = other.call(tool, json!({"task_id": id})).await.expect_err("it is not its own");
        assert!(said.contains("there is no task") && !said.contains("mean"), "{said}");
    }
    drop(other);
    starts("sleep 84.25").await;
    assert!(look(&one, &id).await.contains("runs"), "the end of another session is not its end");
    drop(one);
    assert!(dies("sleep 84.25").await);
}

#[tokio::test]
async fn sessions_within_that_share_a_conversation_share_its_tasks_and_others_do_not() {
    let living = Living::new();
    let call = async |shares: bool, tool: &str, input: Value| {
        let stop = toolwright::env::Cancellation::new();
        let within = living.session.child("client", "client", stop);
        let within = if shares { within.share_files() } else { within }.build();
        let turn = Turn::new(vec![ToolUse::new("t", tool, input.to_string())]);
        within.run_turn(turn).await.results.remove(0).content.to_text()
    };
    let begun = call(true, "Bash", json!({"command": "echo shared", "run_in_background": true})).await;
    let ask = json!({"task_id": id_in(&begun)});
    assert!(call(false, "TaskOutput", ask.clone()).await.contains("there is no task"));
    assert!(
        call(true, "TaskOutput", ask.clone()).await.ends_with("shared"),
        "its session is over, and it is not"
    );
    let own = call(false, "Bash", json!({"command": "echo own", "run_in_background": true})).await;
    assert!(output(&living, &id_in(&own)).await.ends_with("own"), "the outermost sees all");
}

/// A session with agents, and what it shares with them.
fn with_agents(child: Vec<Vec<ModelEvent>>) -> (Session, Agents, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("the folder exists");
    let tasks = Tasks::new();
    let agents = Agents::builder(Arc::new(Scripted::new(child))).tasks(tasks.clone()).build();
    let mut catalogue = catalogue_with(&tasks);
    add_agents(&mut catalogue, &agents, SkillState::default());
    let session = Session::builder(Env::tokio().expect("tests run on tokio"), catalogue)
        .context(Context::new(root))
        .mode(Mode::BypassPermissions)
        .build();
    (session, agents, folder)
}

fn calls(id: &str, tool: &str, input: &Value) -> Vec<ModelEvent> {
    vec![ModelEvent::call(0, ToolUse::new(id, tool, input.to_string()))]
}

#[tokio::test]
async fn the_tasks_of_an_agent_end_with_it() {
    let input = json!({"command": "sleep 98.25", "run_in_background": true});
    let (session, agents, _folder) =
        with_agents(vec![calls("b", "Bash", &input), vec![ModelEvent::text(0, "it runs")]]);
    let order = json!({"description": "a test", "prompt": "do it"});
    let model = Scripted::new(vec![calls("a", "Agent", &order), vec![ModelEvent::text(0, "done")]]);
    assert_eq!(session.run(&model, "go", Budget::default()).await, End::Answered("done".to_owned()));
    assert!(dies("sleep 98.25").await);
    for id in agents.tasks().running_in(session.ties()) {
        agents.tasks().end_of(&id).await;
    }
    assert!(notes_in(&session.conversation()).is_empty(), "what an agent left is no news for another");
}

#[tokio::test]
async fn an_agent_in_the_background_is_a_task_too() {
    let (session, agents, _folder) = with_agents(vec![vec![ModelEvent::text(0, "it is found")]]);
    let order = json!({"description": "a test", "prompt": "do it", "run_in_background": true});
    let model = Scripted::new(vec![calls("a", "Agent", &order), vec![ModelEvent::text(0, "done")]]);
    session.run(&model, "go", Budget::default()).await;
    let (id, _status) = agents.running().all().remove(0);
    let ask = async |tool: &str| {
        let turn = Turn::new(vec![ToolUse::new("t", tool, json!({"task_id": id}).to_string())]);
        session.run_turn(turn).await.results.remove(0).content.to_text()
    };
    let shown = ask("TaskOutput").await;
    assert!(shown.starts_with(&format!("the agent `{id}`")) && shown.ends_with("it is found"), "{shown}");
    assert!(agents.running().take_notices().is_empty(), "what was shown is not told again");
    assert!(ask("TaskStop").await.contains("does not run any more"));
}
