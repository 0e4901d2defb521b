//! Commands in the background: nothing of them is lost, nothing hangs, and nothing of them stays.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::{Context, ToolForm};
use toolwright::env::Env;
use toolwright::message::{Block, Message, ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::query::{Budget, End, ModelEvent, Scripted};
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_tools::catalogue_with;
use toolwright_tools::shell::{Bash, ShellState};
use toolwright_tools::tasks::output::TaskOutput;
use toolwright_tools::tasks::stop::TaskStop;
use toolwright_tools::tasks::{Late, TaskLimits, Tasks};

use crate::living::{Living, id_in};
use crate::processes::{dies, lives, starts};

pub(crate) async fn begin(living: &Living, command: &str) -> String {
    living.begin("Bash", json!({"command": command, "run_in_background": true})).await
}

pub(crate) async fn output(living: &Living, id: &str) -> String {
    living.call("TaskOutput", json!({"task_id": id})).await.expect("the task is known")
}

pub(crate) async fn look(living: &Living, id: &str) -> String {
    living.call("TaskOutput", json!({"task_id": id, "block": false})).await.expect("the task is known")
}

async fn stop(living: &Living, id: &str) -> Result<String, String> {
    living.call("TaskStop", json!({"task_id": id})).await
}

/// The file that a task's output goes to.
fn file_in(text: &str) -> String {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.into_iter().find(|word| word.starts_with('/')).expect("it names a file").to_owned()
}

#[tokio::test]
async fn a_command_in_the_background_is_not_waited_for_and_its_end_is_told() {
    let living = Living::new();
    let began = Instant::now();
    let input = json!({"command": "echo begun; sleep 0.4; echo done; exit 3", "run_in_background": true});
    let text = living.call("Bash", input).await.expect("it begins");
    assert!(began.elapsed() < Duration::from_millis(390), "{:?}", began.elapsed());
    let id = id_in(&text);
    let note = living.noted("exit code 3").await;
    assert!(note.contains(&id) && note.contains("11 bytes"), "{note}");
    let shown = output(&living, &id).await;
    assert!(shown.contains("has ended with exit code 3") && shown.ends_with("begun\ndone"), "{shown}");
    let whole = std::fs::read_to_string(file_in(&text)).expect("the file is there");
    assert_eq!(whole, "begun\ndone\n");
    let read =
        living.call("Read", json!({"file_path": file_in(&text)})).await.expect("the model may read it");
    assert!(read.contains("begun"), "{read}");
}

#[tokio::test]
async fn each_look_shows_what_is_new_and_the_end_is_waited_for_when_it_is_asked() {
    let living = Living::new();
    let id = begin(&living, "echo one; until [ -e go ]; do sleep 0.02; done; echo two").await;
    let mut first = String::new();
    while !first.contains("\none") {
        first = look(&living, &id).await;
    }
    assert!(first.contains("runs"), "{first}");
    assert!(look(&living, &id).await.ends_with("(nothing new)"));
    let waited = living.call("TaskOutput", json!({"task_id": id, "timeout": 50})).await.expect("it is known");
    assert!(waited.contains("waited for in vain"), "{waited}");
    std::fs::write(living.path("go"), "").expect("files can be written");
    let last = output(&living, &id).await;
    assert!(last.contains("exit code 0"), "{last}");
    assert_eq!(last.lines().skip(1).collect::<Vec<_>>(), ["two"], "{last}");
    assert!(living.session.take_notes().is_empty(), "what was shown is not told again");
}

#[tokio::test]
async fn a_task_is_stopped_with_everything_that_it_started() {
    let living = Living::new();
    let id = begin(&living, "trap '' TERM; echo up; (setsid sleep 81.25 >/dev/null 2>&1 &) ; sleep 81.25 & while :; do sleep 0.05; done").await;
    starts("sleep 81.25").await;
    let said = stop(&living, &id).await.expect("it runs");
    assert!(said.contains("was stopped: it was asked for"), "{said}");
    assert!(dies("sleep 81.25").await, "also what has left the group");
    let again = stop(&living, &id).await.expect_err("it has ended");
    assert!(again.contains("does not run any more") && again.contains("TaskOutput"), "{again}");
    assert!(output(&living, &id).await.contains("up"), "what it wrote is still there");
    assert!(living.session.take_notes().is_empty(), "whoever stopped it knows");
}

#[tokio::test]
async fn the_end_of_the_session_is_the_end_of_its_tasks() {
    let living = Living::new();
    begin(&living, "trap '' TERM INT HUP; sleep 82.25 & sleep 82.25; sleep 82.25").await;
    begin(&living, "(setsid sleep 82.5 >/dev/null 2>&1 &); echo gone").await;
    starts("sleep 82.25").await;
    starts("sleep 82.5").await;
    let tasks = living.tasks.clone();
    drop(living);
    assert!(dies("sleep 82.25").await && dies("sleep 82.5").await, "also where the tasks are still held");
    drop(tasks);
}

#[tokio::test]
async fn the_end_of_the_executor_is_the_end_of_tasks_too() {
    let outcome = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("it starts");
        let living = runtime.block_on(async {
            let living = Living::new();
            begin(&living, "sleep 83.25; sleep 83.25").await;
            starts("sleep 83.25").await;
            living
        });
        // Nobody is left who could run what stops it with patience.
        runtime.shutdown_background();
        drop(living);
    });
    outcome.join().expect("nothing panics");
    assert!(dies("sleep 83.25").await);
}

#[tokio::test]
async fn an_aborted_turn_leaves_the_tasks_of_others_alone() {
    let living = Living::new();
    let id = begin(&living, "until [ -e go ]; do sleep 0.02; done; echo survived").await;
    let waiting = living.call("TaskOutput", json!({"task_id": id, "timeout": 600_000}));
    let abort = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        living.session.abort();
    };
    let (waited, ()) = futures_util::future::join(waiting, abort).await;
    assert!(waited.is_err(), "the waiting is stopped");
    std::fs::write(living.path("go"), "").expect("files can be written");
    assert!(output(&living, &id).await.ends_with("survived"));
}

#[tokio::test]
async fn unknown_tasks_are_refused_with_those_there_are() {
    let living = Living::new();
    let none = living.call("TaskOutput", json!({"task_id": "bash_1"})).await.expect_err("there is none");
    assert!(none.contains("there is no task `bash_1`, and no other either"), "{none}");
    let id = begin(&living, "true").await;
    let near = format!("{}x", &id[..id.len() - 1]);
    for tool in ["TaskOutput", "TaskStop"] {
        let said = living.call(tool, json!({"task_id": near})).await.expect_err("there is none");
        assert!(said.contains(&format!("did you mean `{id}`")), "{said}");
    }
    let both = json!({"task_id": id, "shell_id": "another"});
    assert!(living.call("TaskStop", both).await.expect_err("which?").contains("two tasks"));
    assert!(living.call("TaskStop", json!({})).await.expect_err("which?").contains("no task is named"));
    living.end_of(&id).await;
    let old = living.call("KillBash", json!({"shell_id": id})).await.expect_err("it has ended");
    assert!(old.contains("has ended with exit code 0"), "{old}");
    let old = living.call("BashOutput", json!({"bash_id": id})).await.expect("older names find it");
    assert!(old.contains("exit code 0"), "{old}");
}

#[tokio::test]
async fn a_flood_is_bounded_in_memory_on_disk_and_before_the_model() {
    let limits =
        TaskLimits { file_bytes_max: 1_000_000, output_bytes_max: 40_000_000, ..TaskLimits::default() };
    let living = Living::with(Tasks::builder().limits(limits).build());
    let input = json!({"command": "yes 85.25", "run_in_background": true});
    let text = living.call("Bash", input).await.expect("it begins");
    let id = id_in(&text);
    let seen = look(&living, &id).await;
    assert!(seen.len() < 31_000, "{} bytes", seen.len());
    let shown = output(&living, &id).await;
    assert!(shown.contains("was stopped: it wrote more than 40000000 bytes"), "{}", &shown[..300]);
    assert!(shown.contains("bytes before this are new too"), "{}", &shown[..300]);
    assert!(shown.contains("it has the first 1000000 bytes, and takes no more"), "{}", &shown[..500]);
    assert!(shown.len() < 31_000 && shown.trim_end().ends_with("85.25"), "{} bytes", shown.len());
    assert_eq!(std::fs::metadata(file_in(&text)).expect("the file is there").len(), 1_000_000);
    assert!(dies("yes 85.25").await);
}

#[tokio::test]
async fn what_is_no_text_is_kept_as_it_is_and_shown_as_far_as_it_can_be() {
    let living = Living::new();
    let input = json!({"command": "printf 'a\\0b\\377c\\303\\274'", "run_in_background": true});
    let text = living.call("Bash", input).await.expect("it begins");
    let shown = output(&living, &id_in(&text)).await;
    assert!(shown.ends_with("a\0b\u{FFFD}cü"), "{shown:?}");
    assert_eq!(std::fs::read(file_in(&text)).expect("the file is there"), b"a\0b\xFFc\xC3\xBC");
}

#[tokio::test]
async fn a_task_runs_as_long_as_anything_holds_its_output() {
    let living = Living::new();
    let id = begin(&living, "(sleep 0.5; echo late) & echo early").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(look(&living, &id).await.contains("runs"));
    assert!(output(&living, &id).await.ends_with("late"));
    let closed = begin(&living, "exec >/dev/null 2>&1; sleep 0.3; exit 4").await;
    let shown = output(&living, &closed).await;
    assert!(shown.contains("exit code 4") && shown.ends_with("(nothing new)"), "{shown}");
}

#[tokio::test]
async fn ten_at_once_are_kept_apart_and_one_too_many_is_refused() {
    let limits = TaskLimits { running_max: 10, ended_max: 10, ..TaskLimits::default() };
    let living = Living::with(Tasks::builder().limits(limits).build());
    let mut ids = Vec::new();
    for number in 0..10 {
        let command = format!("until [ -e go ]; do sleep 0.05; done; echo number {number}");
        ids.push(begin(&living, &command).await);
    }
    let input = json!({"command": "sleep 86.25", "run_in_background": true});
    let refused = living.call("Bash", input).await.expect_err("one too many");
    assert!(refused.contains("10 tasks run in the background already"), "{refused}");
    assert!(dies("sleep 86.25").await, "and it is ended");
    std::fs::write(living.path("go"), "").expect("files can be written");
    for (number, id) in ids.iter().enumerate() {
        assert!(output(&living, id).await.ends_with(&format!("number {number}")), "{number}");
    }
    begin(&living, "true").await;
    let forgotten = living.call("TaskOutput", json!({"task_id": ids[0]})).await;
    assert!(
        forgotten.is_err_and(|text| text.contains("there is no task")),
        "the first that ended goes first"
    );
}

/// What the descriptors of this process are open on.
fn open_on() -> Vec<String> {
    let all = std::fs::read_dir("/proc/self/fd").expect("there are descriptors").flatten();
    let links = all.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.map(|link| link.display().to_string()).collect()
}

#[tokio::test]
async fn a_task_leaves_no_descriptor_behind() {
    let living = Living::new();
    for command in ["readlink /proc/$$/fd/1", "readlink /proc/$$/fd/1; sleep 87.25"] {
        let input = json!({"command": command, "run_in_background": true});
        let text = living.call("Bash", input).await.expect("it begins");
        let (id, file) = (id_in(&text), file_in(&text));
        let mut shown = look(&living, &id).await;
        while !shown.contains("pipe:[") {
            shown = look(&living, &id).await;
        }
        let pipe = shown.lines().last().expect("it wrote a line").to_owned();
        if command.contains("sleep") {
            assert!(open_on().contains(&pipe) && open_on().contains(&file), "while it runs");
            stop(&living, &id).await.expect("it runs");
        } else {
            living.end_of(&id).await;
        }
        let is_closed = async {
            while open_on().iter().any(|link| *link == pipe || *link == file) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(10), is_closed).await;
        assert!(closed.is_ok(), "{command}: {pipe} or {file} stays open");
    }
    assert!(dies("sleep 87.25").await);
}

#[tokio::test]
async fn a_call_that_is_given_up_while_it_begins_a_task_leaves_a_task_or_nothing() {
    let living = Living::new();
    for micros in (0..30).map(|step| step * 400) {
        let input = json!({"command": "sleep 99.25", "run_in_background": true});
        let given_up = tokio::time::timeout(Duration::from_micros(micros), living.call("Bash", input)).await;
        drop(given_up);
    }
    let mut are_dead = false;
    // One that begins in the last moment may come late to the list.
    for _ in 0..5 {
        for id in living.tasks.running_in(living.session.ties()) {
            stop(&living, &id).await.expect("it is a task like others");
        }
        are_dead = dies("sleep 99.25").await;
        if are_dead {
            break;
        }
    }
    assert!(are_dead, "whatever ran was a task that could be stopped");
}

#[tokio::test]
async fn a_late_command_goes_on_where_it_is_wanted_so() {
    let living = Living::with(Tasks::builder().late(Late::Move).build());
    let command = "echo begun; until [ -e go ]; do sleep 0.02; done; echo done";
    let text = living.call("Bash", json!({"command": command, "timeout": 300})).await.expect("it goes on");
    assert!(text.starts_with("begun\n") && text.contains("has run for 300 ms, and goes on"), "{text}");
    std::fs::write(living.path("go"), "").expect("files can be written");
    let shown = output(&living, &id_in(&text)).await;
    assert_eq!(shown.lines().skip(1).collect::<Vec<_>>(), ["done"], "what was shown is not new: {shown}");
    let whole = std::fs::read_to_string(file_in(&text)).expect("the file is there");
    assert_eq!(whole, "begun\ndone\n");
    for command in ["sleep 1.5; sleep 88.25", "git --version; sleep 88.25", "sleep 88.25; echo 'unclosed"] {
        let stopped = living.call("Bash", json!({"command": command, "timeout": 200})).await;
        assert!(stopped.is_err(), "{command}");
    }
    assert!(dies("sleep 88.25").await);
    assert!(living.tasks.running_in(living.session.ties()).is_empty());
}

#[tokio::test]
async fn what_memory_cannot_hold_of_a_command_in_the_foreground_is_whole_in_a_file() {
    let living = Living::new();
    let command = "head -c 9000000 /dev/zero | tr '\\0' x; echo end";
    for (command, fails) in [(command.to_owned(), false), (format!("{command}; exit 3"), true)] {
        let said = living.call("Bash", json!({"command": command})).await;
        assert_eq!(said.is_err(), fails);
        let text = said.unwrap_or_else(|error| error);
        assert!(
            text.len() < 29_500 && text.contains("(all 9000004 bytes of output are in `/"),
            "{}",
            text.len()
        );
        let whole = std::fs::read(file_in(&text[text.rfind("(all").expect("it is there")..]))
            .expect("there is a file");
        assert_eq!(whole.len(), 9_000_004);
        assert!(whole.ends_with(b"xxend\n"));
    }
}

#[tokio::test]
async fn where_it_is_not_a_late_command_is_stopped() {
    let living = Living::new();
    let late = living.call("Bash", json!({"command": "echo begun; sleep 89.25", "timeout": 200})).await;
    assert!(late.is_err_and(|text| text.starts_with("Exit code 143\nbegun")));
    assert!(dies("sleep 89.25").await);
}

#[test]
fn a_task_is_no_reason_to_ask_and_a_command_is_judged_as_ever() {
    for (tool, asks) in [(TaskOutput::form(), false), (TaskStop::form(), false), (Bash::form(), true)] {
        let default = tool.default_permission == toolwright::contract::DefaultPermission::Ask;
        assert_eq!(default, asks, "{}", tool.name);
    }
}

#[tokio::test]
async fn a_command_that_is_denied_is_denied_in_the_background_too() {
    use toolwright::permission::{Behavior, Source};
    let env = Env::tokio().expect("tests run on tokio");
    let session = Session::builder(env, catalogue_with(&Tasks::new()))
        .context(Context::new("/"))
        .rule(Behavior::Deny, Source::CliArg, "Bash(touch:*)")
        .build();
    let input = json!({"command": "cd /tmp && touch x", "run_in_background": true});
    let turn = Turn::new(vec![ToolUse::new("a", "Bash", input.to_string())]);
    assert!(session.run_turn(turn).await.results[0].is_error);
}

pub(crate) fn notes_in(conversation: &[Message]) -> Vec<String> {
    let metas = conversation.iter().filter(|message| message.is_meta);
    let texts = metas.flat_map(|message| &message.content).filter_map(|block| match block {
        Block::Text(text) => Some(text.clone()),
        _other => None,
    });
    texts.collect()
}

#[tokio::test]
async fn the_model_is_told_of_an_end_before_it_is_asked_next() {
    let living = Living::new();
    let call = |id: &str, command: &str, in_background: bool| {
        let input = json!({"command": command, "run_in_background": in_background});
        vec![ModelEvent::call(0, ToolUse::new(id, "Bash", input.to_string()))]
    };
    let says = |text: &str| vec![ModelEvent::text(0, text)];
    let model = Scripted::new(vec![
        call("a", "echo quick", true),
        call("b", "sleep 0.5", false),
        says("done"),
        says("never asked"),
    ]);
    let end = living.session.run(&model, "go", Budget::default()).await;
    assert_eq!(end, End::Answered("done".to_owned()));
    let conversation = living.session.conversation();
    let notes = notes_in(&conversation);
    assert!(notes.len() == 1 && notes[0].contains("has ended with exit code 0"), "{notes:?}");
    assert!(conversation.last().is_some_and(|last| !last.is_meta), "before the last answer");
}

#[tokio::test]
async fn the_examples_of_the_tools_do_what_they_show() {
    let living = Living::new();
    for example in Bash::form().examples.iter() {
        let input: Value = serde_json::from_str(example).expect("examples are JSON");
        assert!(living.call("Bash", input).await.is_ok(), "{example}");
    }
    for (form, tool) in [(TaskOutput::form(), "TaskOutput"), (TaskStop::form(), "TaskStop")] {
        assert!(form.examples.len() >= 3, "{tool}");
        for example in form.examples.iter() {
            let id = begin(&living, "sleep 90.25").await;
            let mut input: Value = serde_json::from_str(example).expect("examples are JSON");
            for field in ["task_id", "shell_id"] {
                if input.get(field).is_some() {
                    input[field] = json!(id);
                }
            }
            if input.get("timeout").is_some() || input.get("block").is_none() && tool == "TaskOutput" {
                input["timeout"] = json!(20);
            }
            let done = living.call(tool, input).await;
            assert!(done.as_ref().is_ok_and(|text| text.contains(&id)), "{example}: {done:?}");
        }
    }
    drop(living);
    assert!(dies("sleep 90.25").await && !lives("sleep 90.25"));
}

#[test]
fn models_see_the_same_bytes_of_the_tools_around_tasks_each_time() {
    let tasks = Tasks::new();
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Bash>(ShellState::of(tasks.clone())).add_with::<TaskOutput>(tasks.clone());
    catalogue.add_with::<TaskStop>(tasks);
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/tasks.jsonl");
}

/// Whoever is asked in this mode is nobody.
#[tokio::test]
async fn planning_lets_tasks_be_looked_at() {
    let living = Living::new();
    let id = begin(&living, "echo x").await;
    living.session.change(|context| context.mode = Mode::Plan);
    assert!(output(&living, &id).await.ends_with('x'));
}
