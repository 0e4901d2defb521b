//! Servers as others wrote them. `TOOLWRIGHT_PEERS` names the folder that they are installed in; without it these tests
//! are skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use toolwright::event::{Event, EventSink, Recorder};
use toolwright::message::Content;
use toolwright::session::Session;
use toolwright_tools::mcp::client::{Servers, Status};

use super::{call, env, names, program, session};

fn peers() -> Option<PathBuf> {
    let folder = std::env::var_os("TOOLWRIGHT_PEERS").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: `TOOLWRIGHT_PEERS` names no folder with servers");
    }
    folder
}

fn node(peers: &Path, name: &str) -> PathBuf {
    peers.join("node_modules/.bin").join(name)
}

fn python(peers: &Path, name: &str) -> PathBuf {
    peers.join("py/bin").join(name)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().canonicalize().expect("it is there");
    (folder, path)
}

/// Calls every tool that a server lists; each is expected to succeed or to fail, as said.
async fn call_each(session: &Session, server: &str, calls: &[(&str, String, bool)]) {
    let prefix = format!("mcp__{server}__");
    let listed: BTreeSet<String> =
        names(session).iter().filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned).collect();
    let called: BTreeSet<String> = calls.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(listed, called, "every tool is called, and nothing else");
    for (name, input, is_error) in calls {
        let result = call(session, &format!("{prefix}{name}"), input).await;
        assert_eq!(result.is_error, *is_error, "{name} {input}: {result:?}");
    }
}

fn ok(name: &str, input: impl Into<String>) -> (&str, String, bool) {
    (name, input.into(), false)
}

#[tokio::test]
async fn every_tool_of_server_everything_is_listed_and_called_with_numbers_as_strings() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let servers =
        Servers::start(&env(), vec![program("every", node(&peers, "mcp-server-everything"), &[], &cwd)])
            .await;
    let session = session(&servers, &["mcp__every", "ListMcpResources", "ReadMcpResource"]);
    let calls = [
        ok("echo", r#"{"message":"hello"}"#),
        ok("get-annotated-message", r#"{"messageType":"error","includeImage":"true"}"#),
        ok("get-env", "{}"),
        ok("get-resource-links", r#"{"count":"2"}"#),
        ok("get-resource-reference", r#"{"resourceType":"Text","resourceId":"1"}"#),
        ok("get-roots-list", "{}"),
        ok("get-structured-content", r#"{"location":"Chicago"}"#),
        ok("get-sum", r#"{"a":"2","b":"40"}"#),
        ok("get-tiny-image", "{}"),
        ok(
            "gzip-file-as-resource",
            r#"{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}"#,
        ),
        // It is for clients that poll tasks, which this one does not offer to.
        ("simulate-research-query", r#"{"topic":"bees"}"#.to_owned(), true),
        ok("toggle-simulated-logging", "{}"),
        ok("toggle-subscriber-updates", "{}"),
        ok("trigger-long-running-operation", r#"{"duration":"1","steps":"4"}"#),
    ];
    call_each(&session, "every", &calls).await;
    let sum = call(&session, "mcp__every__get-sum", r#"{"a":"2","b":"40"}"#).await.content.to_text();
    assert!(sum.contains("42"), "{sum}");
    let roots = call(&session, "mcp__every__get-roots-list", "{}").await.content.to_text();
    assert!(roots.contains(&*cwd.to_string_lossy()), "it asks in the middle of the call: {roots}");
    let image = call(&session, "mcp__every__get-tiny-image", "{}").await.content;
    let Content::Blocks(blocks) = image else { panic!("{image:?}") };
    assert!(
        blocks.iter().any(|block| block["type"] == "image" && block["source"]["media_type"] == "image/png")
    );
    let data = call(&session, "mcp__every__get-structured-content", r#"{"location":"Chicago"}"#).await;
    assert!(data.content.to_text().contains("temperature"), "{data:?}");
    let listed = call(&session, "ListMcpResources", r#"{"server":"every"}"#).await.content.to_text();
    let first: serde_json::Value =
        serde_json::from_str(listed.lines().next().expect("there is one")).expect("JSON");
    let read = serde_json::json!({"server": "every", "uri": first["uri"]}).to_string();
    let read = call(&session, "ReadMcpResource", &read).await;
    assert!(!read.is_error && !read.content.to_text().is_empty(), "{read:?}");
    let wrong = call(&session, "ReadMcpResource", r#"{"server":"every","uri":"demo://none"}"#).await;
    assert!(wrong.is_error && wrong.content.to_text().contains("ListMcpResources"), "{wrong:?}");
}

#[tokio::test]
async fn every_tool_of_server_filesystem_is_listed_and_called() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    std::fs::write(cwd.join("a.txt"), "one\ntwo\nthree\n").expect("files can be written");
    std::fs::write(cwd.join("b.png"), [137, 80, 78, 71]).expect("files can be written");
    let at = |name: &str| cwd.join(name).display().to_string();
    let here = cwd.display().to_string();
    let servers =
        Servers::start(&env(), vec![program("fs", node(&peers, "mcp-server-filesystem"), &[&here], &cwd)])
            .await;
    let session = session(&servers, &["mcp__fs"]);
    let path = |name: &str| serde_json::json!({"path": at(name)}).to_string();
    let calls = [
        ok("read_file", serde_json::json!({"path": at("a.txt"), "head": "2"}).to_string()),
        ok("read_text_file", serde_json::json!({"path": at("a.txt"), "tail": "1"}).to_string()),
        ok("read_media_file", path("b.png")),
        ok("read_multiple_files", serde_json::json!({"paths": format!("[\"{}\"]", at("a.txt"))}).to_string()),
        ok("write_file", serde_json::json!({"path": at("c.txt"), "content": "10"}).to_string()),
        ok(
            "edit_file",
            serde_json::json!({"path": at("c.txt"), "edits": [{"oldText": "10", "newText": "11"}]})
                .to_string(),
        ),
        ok("create_directory", path("d")),
        ok("list_directory", path("")),
        ok("list_directory_with_sizes", path("")),
        ok("directory_tree", path("")),
        ok("move_file", serde_json::json!({"source": at("c.txt"), "destination": at("d/c.txt")}).to_string()),
        ok("search_files", serde_json::json!({"path": here, "pattern": "*.txt"}).to_string()),
        ok("get_file_info", path("a.txt")),
        ok("list_allowed_directories", "{}"),
    ];
    call_each(&session, "fs", &calls).await;
    assert_eq!(std::fs::read_to_string(cwd.join("d/c.txt")).expect("it was moved"), "11");
    let outside = call(&session, "mcp__fs__read_text_file", r#"{"path":"/etc/passwd"}"#).await;
    assert!(outside.is_error, "{outside:?}");
}

#[tokio::test]
async fn every_tool_of_server_memory_is_listed_and_called() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let servers =
        Servers::start(&env(), vec![program("memory", node(&peers, "mcp-server-memory"), &[], &cwd)]).await;
    let session = session(&servers, &["mcp__memory"]);
    let calls = [
        ok(
            "create_entities",
            r#"{"entities":"[{\"name\":\"a\",\"entityType\":\"t\",\"observations\":[]},{\"name\":\"b\",\"entityType\":\"t\",\"observations\":[\"x\"]}]"}"#,
        ),
        ok("create_relations", r#"{"relations":[{"from":"a","to":"b","relationType":"knows"}]}"#),
        ok("add_observations", r#"{"observations":[{"entityName":"a","contents":["y"]}]}"#),
        ok("search_nodes", r#"{"query":"a"}"#),
        ok("open_nodes", r#"{"names":["a"]}"#),
        ok("read_graph", "{}"),
        ok("delete_observations", r#"{"deletions":[{"entityName":"a","observations":["y"]}]}"#),
        ok("delete_relations", r#"{"relations":[{"from":"a","to":"b","relationType":"knows"}]}"#),
        ok("delete_entities", r#"{"entityNames":["b"]}"#),
    ];
    call_each(&session, "memory", &calls).await;
    let graph = call(&session, "mcp__memory__read_graph", "{}").await.content.to_text();
    assert!(graph.contains("\"a\"") && !graph.contains("\"b\""), "{graph}");
}

#[tokio::test]
async fn every_tool_of_the_python_servers_is_listed_and_called_with_numbers_as_strings() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let git = |args: &[&str]| {
        let identity =
            ["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "init.defaultBranch=main"];
        let ran = Command::new("git").args(identity).args(args).current_dir(&cwd).output();
        assert!(ran.as_ref().is_ok_and(|ran| ran.status.success()), "{args:?}: {ran:?}");
    };
    git(&["init", "-q"]);
    for (key, value) in [("user.name", "A"), ("user.email", "a@example.invalid")] {
        git(&["config", key, value]);
    }
    std::fs::write(cwd.join("a.txt"), "one\n").expect("files can be written");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    std::fs::write(cwd.join("a.txt"), "two\n").expect("files can be written");
    let configs = vec![
        program("time", python(&peers, "mcp-server-time"), &[], &cwd),
        program("git", python(&peers, "mcp-server-git"), &[], &cwd),
    ];
    let servers = Servers::start(&env(), configs).await;
    let session = session(&servers, &["mcp__time", "mcp__git"]);
    let calls = [
        ok("get_current_time", r#"{"timezone":"Etc/UTC"}"#),
        ok("convert_time", r#"{"source_timezone":"Etc/UTC","time":"12:00","target_timezone":"Asia/Tokyo"}"#),
    ];
    call_each(&session, "time", &calls).await;
    let here = cwd.display().to_string();
    let with = |more: serde_json::Value| {
        let mut input = serde_json::json!({"repo_path": here});
        input.as_object_mut().expect("it is one").extend(more.as_object().expect("it is one").clone());
        input.to_string()
    };
    let calls = [
        ok("git_status", with(serde_json::json!({}))),
        ok("git_diff_unstaged", with(serde_json::json!({"context_lines": "1"}))),
        ok("git_add", with(serde_json::json!({"files": ["a.txt"]}))),
        ok("git_diff_staged", with(serde_json::json!({"context_lines": "0"}))),
        ok("git_reset", with(serde_json::json!({}))),
        ok("git_diff", with(serde_json::json!({"target": "HEAD", "context_lines": "2"}))),
        ok("git_add", with(serde_json::json!({"files": ["a.txt"]}))),
        ok("git_commit", with(serde_json::json!({"message": "second"}))),
        ok("git_log", with(serde_json::json!({"max_count": "1"}))),
        ok("git_show", with(serde_json::json!({"revision": "HEAD"}))),
        ok("git_create_branch", with(serde_json::json!({"branch_name": "other"}))),
        ok("git_checkout", with(serde_json::json!({"branch_name": "other"}))),
        ok("git_branch", with(serde_json::json!({"branch_type": "local"}))),
    ];
    call_each(&session, "git", &calls).await;
}

#[tokio::test]
async fn a_server_that_is_killed_in_the_middle_of_a_call_gives_one_error_and_comes_back() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let servers =
        Servers::start(&env(), vec![program("every", node(&peers, "mcp-server-everything"), &[], &cwd)])
            .await;
    let session = Arc::new(session(&servers, &["mcp__every"]));
    let before = session.pool().definitions();
    let running = Arc::clone(&session);
    let long = tokio::spawn(async move {
        call(&running, "mcp__every__trigger-long-running-operation", r#"{"duration":30,"steps":30}"#).await
    });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let killed = in_folder(&cwd)
        .into_iter()
        .filter(|id| Command::new("kill").args(["-KILL", id]).status().is_ok_and(|status| status.success()));
    assert!(killed.count() > 0, "the server runs in its folder");
    let result = long.await.expect("it does not panic");
    assert!(result.is_error && result.content.to_text().contains("did not answer"), "{result:?}");
    let again = call(&session, "mcp__every__get-sum", r#"{"a":1,"b":2}"#).await;
    assert!(!again.is_error && again.content.to_text().contains('3'), "{again:?}");
    assert_eq!(session.pool().definitions(), before, "a reconnect changes no byte");
    servers.stop();
    drop(servers);
    for _ in 0..100 {
        if in_folder(&cwd).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("a stopped server still runs: {:?}", in_folder(&cwd));
}

/// The processes that work in a folder.
fn in_folder(folder: &Path) -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let works_there = |process: &std::fs::DirEntry| {
        std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
    };
    processes
        .flatten()
        .filter(works_there)
        .map(|process| process.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Which era a server is of is asked for ten seconds; programs that are fetched first take longer to start.
#[tokio::test]
async fn a_server_that_is_slow_to_start_is_no_fault() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let slow = format!("sleep 11; exec '{}'", python(&peers, "mcp-server-time").display());
    let servers = Servers::start(&env(), vec![program("time", "sh".into(), &["-c", &slow], &cwd)]).await;
    assert!(servers.problems().is_empty(), "{:?}", servers.problems());
    assert_eq!(servers.tools().len(), 2);
}

#[tokio::test]
async fn progress_of_a_remote_call_is_told_while_it_runs() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let recorder = Arc::new(Recorder::default());
    let servers =
        Servers::start(&env(), vec![program("every", node(&peers, "mcp-server-everything"), &[], &cwd)])
            .await;
    let mut catalogue = toolwright::registry::Catalogue::new();
    servers.add_to(&mut catalogue).expect("the names are names");
    let heard = env().with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
    let session = Session::builder(heard, catalogue)
        .deferral(toolwright::registry::Deferral::standard())
        .rule(toolwright::permission::Behavior::Allow, toolwright::permission::Source::CliArg, "mcp__every")
        .build();
    call(&session, "mcp__every__trigger-long-running-operation", r#"{"duration":1,"steps":4}"#).await;
    let told: Vec<f64> = recorder
        .take()
        .into_iter()
        .filter_map(|stamped| match stamped.event {
            Event::Progress { data, .. } => data["progress"].as_f64(),
            _other => None,
        })
        .collect();
    assert!(
        !told.is_empty() && told.is_sorted() && told.iter().all(|step| (1.0..=4.0).contains(step)),
        "{told:?}"
    );
}

#[tokio::test]
async fn remote_tools_ask_whatever_their_server_says_of_them() {
    let Some(peers) = peers() else { return };
    let (_kept, cwd) = folder();
    let servers =
        Servers::start(&env(), vec![program("every", node(&peers, "mcp-server-everything"), &[], &cwd)])
            .await;
    let session = session(&servers, &[]);
    let result = call(&session, "mcp__every__echo", r#"{"message":"hello"}"#).await;
    assert!(result.is_error, "its hint says that it only reads: {result:?}");
    assert!(matches!(servers.status()["every"], Status::Connected(_)));
}
