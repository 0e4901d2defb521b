//! Servers that agents have: by name, or their own for as long as they run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::permission::Mode;
use toolwright::settings::McpServer;
use toolwright_tools::agents::{AgentDefinition, AgentServer};
use toolwright_tools::front_matter::Warning;
use toolwright_tools::mcp::client::{ServerConfig, Servers};

use super::world::{Plan, Script, World, call, says, task};
use crate::mcp::{PATIENCE, env, program};

/// A server of one tool, which says where it was started.
const SERVER: &str = r#"
import json, os, sys
open(sys.argv[1], "a").write(str(os.getpid()) + "\n")
LOOK = {"name": "look", "description": "Looks.", "inputSchema": {"type": "object", "properties": {}}}
def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "box", "version": "1"}}
    if method == "tools/list":
        return {"tools": [LOOK, dict(LOOK, name="other")]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "seen from " + os.getcwd()}]}
    return {} if method == "ping" else None
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = answer(asked["method"], asked.get("params"))
        said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"#;

fn has_python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "`python3` is missing");
    if !there {
        eprintln!("skipped: there is no `python3`");
    }
    there
}

/// Where the server of a test is written, and where it writes its number.
fn server(plan: &Plan) -> (PathBuf, PathBuf) {
    (plan.put("server.py", SERVER), plan.root().join("pids"))
}

fn agent(front: &str) -> AgentDefinition {
    let text = format!("---\nname: worker\ndescription: d\n{front}\n---\nx");
    let agent = AgentDefinition::read(text.as_bytes()).expect("it is an agent");
    assert_eq!(agent.warnings, []);
    agent
}

fn own(server: &Path, pids: &Path, more: &str) -> AgentDefinition {
    let (server, pids) = (server.display(), pids.display());
    agent(&format!(
        "mcpServers:\n  - box:\n      command: python3\n      args: [\"{server}\", \"{pids}\"]\n{more}"
    ))
}

/// Whether the servers that wrote their numbers are gone, before long.
fn are_gone(pids: &Path) -> bool {
    let all = std::fs::read_to_string(pids).expect("a server was started");
    let runs = || all.lines().any(|pid| Path::new("/proc").join(pid).join("cwd").exists());
    let begun = Instant::now();
    while runs() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    !runs()
}

fn bypassing(plan: Plan) -> World {
    plan.build(|session| session.mode(Mode::BypassPermissions))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_own_server_runs_while_it_does_and_for_nobody_else() {
    if !has_python() {
        return;
    }
    let look = |id| call(id, "mcp__box__look", &json!({}));
    let plan = Plan::new(Script::new(vec![look("l"), says("one"), look("m"), says("two")]));
    let (server, pids) = server(&plan);
    let world =
        bypassing(plan.agents(|agents| agents.agent(own(&server, &pids, "tools: Read")).trust_hooks()));
    world.run(vec![call("a", "Agent", &task("worker")), look("p")]).await;
    let tools = world.child.tools();
    assert!(tools.contains(&"mcp__box__look".to_owned()) && tools.contains(&"Read".to_owned()), "{tools:?}");
    let seen = world.results_of_child()[0].content.to_text();
    assert!(
        seen.contains("seen from")
            && seen.contains(world.path("").display().to_string().trim_end_matches('/')),
        "{seen}"
    );
    let of_parent = world.results().pop().expect("it has a result");
    assert!(of_parent.is_error && of_parent.content.to_text().contains("no tool"), "{of_parent:?}");
    assert!(are_gone(&pids));
    let id = world.only();
    world.run(vec![call("s", "SendMessage", &json!({"to": id, "message": "again"}))]).await;
    world.agents.running().end_of(&id).await;
    assert!(!world.results_of_child()[1].is_error, "it has it again: {:?}", world.results_of_child());
    assert!(are_gone(&pids));
    assert_eq!(std::fs::read_to_string(&pids).expect("they were started").lines().count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_ends_an_agents_own_server() {
    if !has_python() {
        return;
    }
    let plan = Plan::new(Script::new(vec![call("b", "Bash", &json!({"command": "tail -f /dev/null"}))]));
    let (server, pids) = server(&plan);
    let world = bypassing(plan.agents(|agents| agents.agent(own(&server, &pids, "")).trust_hooks()));
    let run = world.run(vec![call("a", "Agent", &task("worker"))]);
    let abort = async {
        while world.child.asked().is_empty() {
            world.session.env().sleep(Duration::from_millis(5)).await;
        }
        world.session.abort();
    };
    futures_util::future::join(run, abort).await;
    assert!(are_gone(&pids));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_named_gives_its_tools_to_the_agents_that_name_it() {
    if !has_python() {
        return;
    }
    let plan =
        Plan::new(Script::new(vec![call("l", "mcp__box__look", &json!({})), says("done"), says("plain")]));
    let (script, pids) = server(&plan);
    let args = [script.display().to_string(), pids.display().to_string()];
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let config: ServerConfig = program("box", "python3".into(), &args, &plan.root());
    let servers = Servers::start(&env(), vec![config]).await;
    let names = agent("tools: Read\ndisallowedTools: mcp__box__other\nmcpServers: [box]");
    let plain = AgentDefinition { name: "plain".to_owned(), ..agent("tools: Read") };
    let known = servers.clone();
    let world = bypassing(plan.agents(|agents| agents.agent(names).agent(plain).servers(known)));
    world.run(vec![call("a", "Agent", &task("worker")), call("b", "Agent", &task("plain"))]).await;
    let first = world.child.asked();
    let listed = |at: usize| format!("{:?}", first[at].tools);
    assert!(listed(0).contains("mcp__box__look") && !listed(0).contains("mcp__box__other"), "{}", listed(0));
    assert!(!listed(2).contains("mcp__box"), "who does not name it has it not: {}", listed(2));
    let id = world.agents.running().all().remove(0).0;
    let said = world.agents.running().conversation(&id).expect("it is known");
    assert!(super::world::results(&said).iter().all(|result| !result.is_error), "{said:?}");
    servers.end(&env()).await;
    assert!(are_gone(&pids));
}

#[tokio::test]
async fn servers_that_are_unknown_untrusted_or_broken_are_told_and_the_agent_runs_without() {
    let untrusted = own(Path::new("/nonexistent"), Path::new("/nonexistent"), "");
    let mut named = agent("mcpServers: bix");
    named.check_servers(&["box".to_owned()]);
    assert_eq!(
        named.warnings,
        [Warning::UnknownServer { name: "bix".to_owned(), nearest: Some("box".to_owned()) }]
    );
    let broken = agent("mcpServers:\n  - box:\n      command: /nonexistent/server");
    for (agent, is_trusted, word) in [
        (untrusted, false, "not trusted"),
        (named, false, "no server `bix`"),
        (broken, true, "/nonexistent/server"),
    ] {
        let world = Plan::new(Script::new(vec![says("done")]))
            .agents(|agents| if is_trusted { agents.agent(agent).trust_hooks() } else { agents.agent(agent) })
            .build(|session| session);
        world.run(vec![call("a", "Agent", &task("worker"))]).await;
        assert!(!world.result().1, "{:?}", world.result());
        let told = format!("{:?}", world.child.asked()[0].messages);
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn servers_are_read_in_every_form_that_people_write() {
    let read = |front: &str| agent(front).servers;
    let box_ = || AgentServer::Named("box".to_owned());
    assert_eq!(read("mcpServers: [box]"), [box_()]);
    assert_eq!(read("mcpServers: box"), [box_()]);
    assert_eq!(read("mcpServers: box, other"), [box_(), AgentServer::Named("other".to_owned())]);
    let server = McpServer::from_json(&json!({"command": "x", "args": ["1"]})).expect("it is one");
    let own = AgentServer::Own { name: "mine".to_owned(), server };
    assert_eq!(read("mcpServers:\n  - box\n  - mine: {command: x, args: [\"1\"]}"), [box_(), own.clone()]);
    assert_eq!(read("mcpServers:\n  mine: {command: x, args: [\"1\"]}"), [own]);
    let bad =
        AgentDefinition::read(b"---\nname: a\ndescription: d\nmcpServers: {a: {url: x}, b: {}}\n---\nx");
    let bad = bad.expect("it is an agent");
    let told: Vec<String> = bad.warnings.iter().map(ToString::to_string).collect();
    assert!(told.len() == 2 && told[0].contains("`type`") && told[1].contains("no `command`"), "{told:?}");
    assert!(bad.servers.is_empty() && bad.unavailable.is_none());
}
