//! Agents with a working tree of their own: they work in it and in nothing else, and it is removed or kept.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::event::Event;
use toolwright::hooks::{HookConfig, HookLayer};
use toolwright::permission::{Behavior, Mode, RuleText, Source};
use toolwright::query::{Model, ModelStream, Request};
use toolwright_tools::agents::{AgentDefinition, AgentStatus, Agents, Isolation};
use toolwright_tools::hooks::RealHooks;

use super::world::{Answered, Plan, Script, World, call, calls, results, says, task};

/// Runs git for a test; gives what it prints.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(arguments);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let ran = command.current_dir(folder).stdin(Stdio::null()).output().expect("git is installed");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

/// A world whose folder is a repository with one commit.
fn repository(child: Vec<Answered>) -> Plan {
    let plan = Plan::new(Script::new(child));
    plan.put("a.txt", "first\n");
    plan.put("deep/b.txt", "second\n");
    git(&plan.root(), &["init", "-q", "-b", "main"]);
    git(&plan.root(), &["add", "-A"]);
    git(&plan.root(), &["commit", "-q", "-m", "first"]);
    plan
}

fn apart(kind: &str) -> Value {
    let mut input = task(kind);
    input["isolation"] = json!("worktree");
    input
}

fn start() -> Vec<Answered> {
    vec![call("a", "Agent", &apart("general-purpose"))]
}

/// The trees that are there besides the repository's own.
fn trees(root: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root.join(".claude/worktrees")).into_iter().flatten().flatten();
    folder.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// That nothing is left of any tree.
fn assert_nothing_left(root: &Path) {
    assert_eq!(trees(root), Vec::<PathBuf>::new());
    assert_eq!(git(root, &["worktree", "list"]).lines().count(), 1, "git knows of none");
    assert_eq!(git(root, &["branch", "--format=%(refname:short)"]), "main", "and of no branch");
    assert_eq!(git(root, &["status", "--porcelain"]), "", "and sees nothing new");
}

fn bypassing(plan: Plan) -> World {
    plan.build(|session| session.mode(Mode::BypassPermissions))
}

#[tokio::test]
async fn an_agent_works_in_a_tree_of_its_own_which_is_gone_when_nothing_in_it_was_changed() {
    let read = call("r", "Read", &json!({"file_path": "deep/b.txt"}));
    let world = repository(vec![read, says("it says second")]).build(|session| session);
    world.run(start()).await;
    let (text, is_error) = world.result();
    assert!(!is_error && text.starts_with("it says second") && !text.contains("kept"), "{text}");
    let of_child = world.results_of_child();
    assert!(!of_child[0].is_error && of_child[0].content.to_text().contains("second"), "{of_child:?}");
    let first = format!("{:?}", world.child.asked()[0].messages[0]);
    assert!(first.contains(".claude/worktrees/agent_") && first.contains("worktree-agent_"), "{first}");
    assert_nothing_left(&world.path(""));
}

#[tokio::test]
async fn a_tree_with_changes_is_kept_and_named_and_the_parents_files_stay_as_they_are() {
    let write = call("w", "Write", &json!({"file_path": "new.txt", "content": "x"}));
    let edit = call("e", "Bash", &json!({"command": "echo more >> a.txt && pwd"}));
    let world = bypassing(repository(vec![write, edit, says("done")]));
    world.run(start()).await;
    let (text, is_error) = world.result();
    let root = world.path("");
    let tree = trees(&root).pop().expect("it is kept");
    let branch = git(&tree, &["branch", "--show-current"]);
    assert!(!is_error && text.contains("has changes and was kept"), "{text}");
    assert!(text.contains(&tree.display().to_string()) && text.contains(&format!("`{branch}`")), "{text}");
    assert_eq!(std::fs::read_to_string(tree.join("a.txt")).expect("it is there"), "first\nmore\n");
    assert!(tree.join("new.txt").exists());
    let ran_in = world.results_of_child()[1].content.to_text();
    assert!(ran_in.contains(&tree.display().to_string()), "{ran_in}");
    assert_eq!(git(&root, &["status", "--porcelain"]), "", "nothing was changed here");
    let Some(AgentStatus::Finished(report)) = world.agents.running().status(&world.only()) else {
        panic!("it has finished")
    };
    assert_eq!((report.worktree_path, report.worktree_branch), (Some(tree), Some(branch)));
}

#[tokio::test]
async fn a_tree_with_commits_is_kept_also_where_every_file_is_as_it_was() {
    let commit = "git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m mine";
    let world = bypassing(repository(vec![call("b", "Bash", &json!({"command": commit})), says("done")]));
    world.run(start()).await;
    let text = world.result().0;
    assert_eq!(trees(&world.path("")).len(), 1, "{text}");
    assert!(text.contains("was kept"), "{text}");
    let branch = git(&trees(&world.path(""))[0], &["branch", "--show-current"]);
    assert_eq!(git(&world.path(""), &["log", "-1", "--format=%s", &branch]), "mine");
}

#[tokio::test]
async fn what_a_tree_ignores_does_not_keep_it_and_a_lock_does() {
    let plan = repository(vec![call("b", "Bash", &json!({"command": "touch x.log"})), says("done")]);
    plan.put(".gitignore", "*.log\n");
    git(&plan.root(), &["add", "-A"]);
    git(&plan.root(), &["commit", "-q", "-m", "second"]);
    let world = bypassing(plan);
    world.run(start()).await;
    assert_nothing_left(&world.path(""));
    let lock = call("b", "Bash", &json!({"command": "git worktree lock ."}));
    let world = bypassing(repository(vec![lock, says("done")]));
    world.run(start()).await;
    assert_eq!(trees(&world.path("")).len(), 1);
    assert!(world.result().0.contains("was kept"), "{:?}", world.result());
}

#[tokio::test]
async fn an_agent_in_a_tree_of_its_own_may_do_nothing_in_its_parents_directories() {
    let plan = repository(Vec::new());
    let (root, extra) = (plan.root(), tempfile::tempdir().expect("a folder can be made"));
    let there = extra.path().canonicalize().expect("it is there").join("c.txt");
    std::fs::write(&there, "c").expect("it can be written");
    let child = vec![
        call("o", "Read", &json!({"file_path": root.join("a.txt")})),
        call("x", "Read", &json!({"file_path": there})),
        call("w", "Write", &json!({"file_path": root.join("new.txt"), "content": "x"})),
        call("i", "Write", &json!({"file_path": "new.txt", "content": "x"})),
        says("done"),
    ];
    let world = plan.script(child).build(|session| session.mode(Mode::AcceptEdits));
    world.session.change(|context| context.additional_directories.push(extra.path().to_owned()));
    world.run(start()).await;
    let errors: Vec<bool> = world.results_of_child().iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [true, true, true, false], "{:?}", world.results_of_child());
    assert!(!root.join("new.txt").exists());
}

#[tokio::test]
async fn what_is_closed_in_the_repository_is_closed_in_the_tree() {
    let plan = repository(vec![
        call("r", "Read", &json!({"file_path": "a.txt"})),
        call("c", "Bash", &json!({"command": "cat a.txt"})),
        call("s", "Read", &json!({"file_path": "deep/b.txt"})),
        says("done"),
    ]);
    let root = plan.root();
    let anchored = RuleText::new(Behavior::Deny, Source::ProjectSettings, "Read(/a.txt)").in_folder(root);
    let world = plan.build(|session| session.rule_at(anchored).mode(Mode::BypassPermissions));
    world.run(start()).await;
    let errors: Vec<bool> = world.results_of_child().iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [true, true, false], "{:?}", world.results_of_child());
}

#[tokio::test]
async fn a_definition_asks_for_a_tree_and_a_call_for_one_that_its_definition_does_not() {
    let asks = AgentDefinition::read(b"---\nname: worker\ndescription: d\nisolation: worktree\n---\nx")
        .expect("it is one");
    assert_eq!((asks.isolation, asks.warnings.as_slice()), (Some(Isolation::Worktree), &[][..]));
    let world = repository(vec![says("done")]).agents(|agents| agents.agent(asks)).build(|session| session);
    world.run(vec![call("a", "Agent", &task("worker"))]).await;
    let first = format!("{:?}", world.child.asked()[0].messages);
    assert!(first.contains("a working tree of your own"), "{first}");
}

#[tokio::test]
async fn where_no_tree_can_be_made_the_call_says_why_and_no_agent_starts() {
    let none = Plan::new(Script::new(vec![])).build(|session| session);
    none.run(start()).await;
    let (text, is_error) = none.result();
    assert!(is_error && text.contains("no working tree of a git repository"), "{text}");
    assert!(text.contains("leave `isolation` out"), "{text}");

    let empty = Plan::new(Script::new(vec![]));
    git(&empty.root(), &["init", "-q"]);
    let empty = empty.build(|session| session);
    empty.run(start()).await;
    assert!(empty.result().1 && empty.result().0.contains("no commit"), "{:?}", empty.result());

    let linked = repository(vec![]);
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    std::fs::create_dir(linked.root().join(".claude")).expect("it can be made");
    std::os::unix::fs::symlink(elsewhere.path(), linked.root().join(".claude/worktrees"))
        .expect("links can be made");
    let linked = linked.build(|session| session);
    linked.run(start()).await;
    assert!(linked.result().0.contains("is a link to somewhere else"), "{:?}", linked.result());
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("it is there").count(), 0);

    for world in [none, empty, linked] {
        assert!(world.agents.running().all().is_empty(), "none was started");
        assert!(world.child.asked().is_empty());
    }
}

/// Where the test below is run once more, without git.
const WITHOUT_GIT: &str = "TOOLWRIGHT_TEST_WITHOUT_GIT";

#[tokio::test]
async fn without_git_the_call_says_what_to_install() {
    if std::env::var_os(WITHOUT_GIT).is_none() {
        let me = std::env::current_exe().expect("a test knows its program");
        let name = "agents::worktrees::without_git_the_call_says_what_to_install";
        let mut again = Command::new(me);
        again.args(["--exact", name]).env(WITHOUT_GIT, "1").env("PATH", "/nonexistent");
        let ran = again.output().expect("it can be run again");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        return;
    }
    let world = Plan::new(Script::new(vec![])).build(|session| session);
    world.run(start()).await;
    assert!(world.result().1 && world.result().0.contains("no program `git`"), "{:?}", world.result());
}

#[tokio::test]
async fn a_tree_begins_with_the_last_commit_and_the_agent_is_told_what_is_missing() {
    let plan = repository(vec![call("r", "Read", &json!({"file_path": "a.txt"})), says("done")]);
    plan.put("a.txt", "changed\n");
    plan.put("new.txt", "new\n");
    let world = plan.build(|session| session);
    world.run(start()).await;
    let first = format!("{:?}", world.child.asked()[0].messages[0]);
    assert!(first.contains("2 changed or new files that are not committed"), "{first}");
    assert!(world.results_of_child()[0].content.to_text().contains("first"));
    assert_eq!(trees(&world.path("")), Vec::<PathBuf>::new(), "what is dirty there is not its change");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_removes_a_tree_and_keeps_one_with_changes_which_is_told() {
    for (command, is_kept) in [("tail -f /dev/null", false), ("echo x > x; tail -f /dev/null", true)] {
        let world = bypassing(repository(vec![call("b", "Bash", &json!({"command": command}))]));
        let root = world.path("");
        let run = world.run(start());
        let abort = async {
            let has_begun = || {
                world
                    .events
                    .all()
                    .iter()
                    .any(|event| matches!(event, Event::Started { call, .. } if call.as_str() == "b"))
            };
            while !has_begun() || (is_kept && !trees(&root).iter().any(|tree| tree.join("x").exists())) {
                world.session.env().sleep(Duration::from_millis(5)).await;
            }
            world.session.abort();
        };
        futures_util::future::join(run, abort).await;
        let notices = format!("{:?}", world.agents.running().take_notices());
        if is_kept {
            let tree = trees(&root).pop().expect("it is kept");
            assert!(notices.contains(&tree.display().to_string()), "{notices}");
        } else {
            assert_nothing_left(&root);
            assert_eq!(notices, "[]", "nobody waited for it in the background");
        }
    }
}

/// A model that panics.
struct Panics;

impl Model for Panics {
    fn respond(&self, _request: Request) -> ModelStream {
        panic!("the model is broken")
    }
}

#[tokio::test]
async fn a_panic_leaves_no_tree_behind() {
    let plan = repository(vec![]).agents(|_| Agents::builder(std::sync::Arc::new(Panics)));
    let world = plan.build(|session| session);
    world.run(start()).await;
    assert!(world.result().1, "{:?}", world.result());
    assert_nothing_left(&world.path(""));
}

#[tokio::test]
async fn an_agent_that_goes_on_has_its_tree_again() {
    let read = |id| call(id, "Read", &json!({"file_path": "a.txt"}));
    let write = call("w", "Write", &json!({"file_path": "new.txt", "content": "x"}));
    let world = bypassing(repository(vec![read("r1"), says("one"), write, says("two")]));
    world.run(start()).await;
    assert_nothing_left(&world.path(""));
    let id = world.only();
    world.run(vec![call("s", "SendMessage", &json!({"to": id, "message": "go on"}))]).await;
    world.agents.running().end_of(&id).await;
    assert!(world.results_of_child().iter().all(|result| !result.is_error), "{:?}", world.results_of_child());
    let tree = trees(&world.path("")).pop().expect("it is there again, and kept");
    assert!(tree.join("new.txt").exists());
    let notices = format!("{:?}", world.agents.running().take_notices());
    assert!(notices.contains(&tree.display().to_string()), "{notices}");
}

#[tokio::test]
async fn agents_beside_and_within_each_other_have_a_tree_each() {
    let inner = call("i", "Agent", &apart("general-purpose"));
    let write = |id| call(id, "Write", &json!({"file_path": "new.txt", "content": "x"}));
    let child =
        vec![inner, write("w1"), says("inner"), write("w2"), says("outer"), write("w3"), says("other")];
    let world = bypassing(repository(child));
    let both = [("a", "Agent", apart("general-purpose")), ("b", "Agent", apart("general-purpose"))];
    world.run(vec![calls(&both)]).await;
    assert!(world.results().iter().all(|result| !result.is_error), "{:?}", world.results());
    let root = world.path("");
    assert_eq!(trees(&root).len(), 3);
    assert!(trees(&root).iter().all(|tree| tree.join("new.txt").exists() && trees(tree).is_empty()));
    for (id, _status) in world.agents.running().all() {
        let said = world.agents.running().conversation(&id).expect("it is known");
        assert!(results(&said).iter().all(|result| !result.is_error), "{said:?}");
    }
}

#[tokio::test]
async fn a_session_in_a_folder_of_the_repository_has_the_same_folder_of_the_tree() {
    let plan = repository(vec![
        call("r", "Read", &json!({"file_path": "b.txt"})),
        call("u", "Read", &json!({"file_path": "../a.txt"})),
        says("done"),
    ]);
    let deep = plan.root().join("deep");
    let world = plan.build(|session| session.context(toolwright::contract::Context::new(deep)));
    world.run(start()).await;
    let errors: Vec<bool> = world.results_of_child().iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [false, true], "what its parent may not read it may not either");
    assert_nothing_left(&world.path(""));
}

#[tokio::test]
async fn hooks_see_a_tree_made_and_removed_and_may_keep_it_from_being_made() {
    let seen = tempfile::tempdir().expect("a folder can be made");
    let file = seen.path().join("seen").display().to_string();
    let hooks = |create: &str| {
        let hook = |command: String| json!([{"hooks": [{"type": "command", "command": command}]}]);
        let all = json!({
            "WorktreeCreate": hook(create.to_owned()),
            "WorktreeRemove": hook(format!("cat >> {file}")),
        });
        HookLayer::new(Source::UserSettings, HookConfig::from_json(&all).0)
    };
    let world = repository(vec![says("done")])
        .build(|session| session.hook_transport(RealHooks::new()).hooks_configured([hooks("exit 0")]));
    world.run(start()).await;
    assert!(!world.result().1, "{:?}", world.result());
    let told = std::fs::read_to_string(seen.path().join("seen")).expect("a hook was told of the removal");
    assert!(told.contains("worktree_path") && told.contains(".claude/worktrees/agent_"), "{told}");
    let world = repository(vec![]).build(|session| {
        session.hook_transport(RealHooks::new()).hooks_configured([hooks("echo 'not here' >&2; exit 1")])
    });
    world.run(start()).await;
    assert!(world.result().1 && world.result().0.contains("not here"), "{:?}", world.result());
    assert_nothing_left(&world.path(""));
}
