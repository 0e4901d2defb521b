//! The public conformance package of the protocol against our server and our client. `TOOLWRIGHT_PEERS` names the folder
//! that it is installed in; without it these tests are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::contract::{CallContext, Context, ToolError};
use toolwright::env::Env;
use toolwright::message::Content;
use toolwright::permission::{Behavior, Source};
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_tools::described::DescribedTool;
use toolwright_tools::mcp::server::{Clients, ToolServer};

use super::super::cli::Folder;

/// What any server must pass, whatever its tools: tried on the program.
const OF_ANY_SERVER: &[&str] =
    &["server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"];
/// What needs tools of certain names: tried on a server of such tools.
const OF_CERTAIN_TOOLS: &[&str] = &[
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-elicitation",
    "json-schema-2020-12",
];
const NO_RESOURCES: &str = "we serve tools, and neither resources nor what completes their names";
const NO_PROMPTS: &str = "we serve tools, and no prompts";
const NO_LOG: &str = "what a tool has to say while it runs is its progress; we offer no log";
const OWN_FORM: &str = "a client is asked one thing, whether a call may run, with one box to tick; tools have no forms of their own";
/// What is left out, each with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("logging-set-level", NO_LOG),
    ("tools-call-with-logging", NO_LOG),
    ("tools-call-sampling", "tools here ask no client for its model"),
    ("elicitation-sep1034-defaults", OWN_FORM),
    ("elicitation-sep1330-enums", OWN_FORM),
    ("server-sse-polling", "it wants a tool that closes the stream of its own call, which no tool can reach"),
    ("completion-complete", NO_RESOURCES),
    ("resources-list", NO_RESOURCES),
    ("resources-read-text", NO_RESOURCES),
    ("resources-read-binary", NO_RESOURCES),
    ("resources-templates-read", NO_RESOURCES),
    ("resources-subscribe", NO_RESOURCES),
    ("resources-unsubscribe", NO_RESOURCES),
    ("prompts-list", NO_PROMPTS),
    ("prompts-get-simple", NO_PROMPTS),
    ("prompts-get-with-args", NO_PROMPTS),
    ("prompts-get-embedded-resource", NO_PROMPTS),
    ("prompts-get-with-image", NO_PROMPTS),
];

/// The package, and the Node that it wants.
struct Package {
    node: PathBuf,
    script: PathBuf,
}

fn package() -> Option<Package> {
    let peers = std::env::var_os("TOOLWRIGHT_PEERS").map(PathBuf::from);
    let found = peers.and_then(|peers| {
        let modules = peers.join("node_modules");
        let node = ["x64", "arm64"].map(|machine| modules.join(format!("node-linux-{machine}/bin/node")));
        let node = node.into_iter().find(|node| node.is_file())?;
        let script = modules.join("@modelcontextprotocol/conformance/dist/index.js");
        script.is_file().then_some(Package { node, script })
    });
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "`TOOLWRIGHT_PEERS` names no folder with the package");
        eprintln!("skipped: `TOOLWRIGHT_PEERS` names no folder with the conformance package");
    }
    found
}

impl Package {
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let ran = Command::new(&self.node).arg(&self.script).args(arguments).output().expect("Node starts");
        let said = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (ran.status.success(), said.concat())
    }

    /// All server scenarios at once: whether each passed, and all that was said.
    fn server(&self, url: &str, folder: &Path) -> (BTreeMap<String, bool>, String) {
        let folder = folder.display().to_string();
        let (_passed, said) = self.run(&["server", "--url", url, "--suite", "all", "-o", &folder]);
        let summary = said.split("=== SUMMARY ===").nth(1).unwrap_or_default();
        let line = |line: &str| {
            let (mark, rest) = line.split_once(' ')?;
            let passed = ["✓", "✗"].iter().position(|known| *known == mark)? == 0;
            Some((rest.split_once(':')?.0.to_owned(), passed))
        };
        (summary.lines().filter_map(line).collect(), said)
    }
}

/// Asserts that these scenarios pass; of others nothing is expected.
fn assert_pass(wanted: &[&str], url: &str, package: &Package) {
    let folder = Folder::new("conformance");
    let (passed, said) = package.server(url, &folder.0);
    let failed: Vec<&&str> = wanted.iter().filter(|name| passed.get(**name) != Some(&true)).collect();
    let why = failed.iter().map(|name| why(name, &folder.0)).collect::<String>();
    assert!(failed.is_empty(), "{failed:?} failed: {why}\n{said}");
}

/// The errors that the package has written down of a scenario.
fn why(name: &str, folder: &Path) -> String {
    let prefix = format!("server-{name}-");
    let runs = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_it = runs.filter(|run| run.file_name().to_string_lossy().starts_with(&prefix));
    let checks = of_it.filter_map(|run| std::fs::read_to_string(run.path().join("checks.json")).ok());
    let errors = checks.flat_map(|checks| {
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap_or_default();
        checks.into_iter().filter(|check| check["status"] == "FAILURE")
    });
    errors.map(|check| format!("{name}: {}\n", check["errorMessage"])).collect()
}

#[test]
fn every_server_scenario_is_tried_or_left_out_for_a_reason() {
    let Some(package) = package() else { return };
    let (_ok, said) = package.run(&["list"]);
    let section = said.split("Client scenarios").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(' ').next());
    let listed: BTreeSet<&str> = names.collect();
    let tried = OF_ANY_SERVER.iter().chain(OF_CERTAIN_TOOLS);
    let known: BTreeSet<&str> = tried.copied().chain(LEFT_OUT.iter().map(|(name, _why)| *name)).collect();
    assert_eq!(listed, known);
}

/// A program that serves, until the test ends.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn the_program_passes_what_any_server_must() {
    let Some(package) = package() else { return };
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(["serve", "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    let errors = program.stderr.take().expect("it is piped");
    let _serving = Serving(program);
    let mut line = String::new();
    BufReader::new(errors).read_line(&mut line).expect("it says text");
    let url = line.trim().rsplit(' ').next().expect("it says where");
    assert_pass(OF_ANY_SERVER, url, &package);
}

fn block(kind: &str, mime: &str, data: &str) -> Value {
    json!({"type": kind, "mimeType": mime, "data": data})
}

fn resource() -> Value {
    json!({"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "a resource"}})
}

async fn answer(name: &'static str, cx: Arc<CallContext>) -> Result<Content, ToolError> {
    const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": DOT}});
    Ok(match name {
        "test_image_content" => Content::Blocks(vec![image]),
        "test_audio_content" => Content::Blocks(vec![block("audio", "audio/wav", "UklGRg==")]),
        "test_embedded_resource" => Content::Blocks(vec![resource()]),
        "test_multiple_content_types" => {
            Content::Blocks(vec![json!({"type": "text", "text": "several"}), image, resource()])
        }
        "test_error_handling" => return Err(ToolError::new("it fails on purpose")),
        "test_tool_with_progress" => {
            for step in [0, 50, 100] {
                cx.progress(json!({"progress": step, "total": 100}), Vec::new());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Content::from("done")
        }
        _other => Content::from("a simple text"),
    })
}

/// The tools that the package asks for. All but one may run; of that one the client is asked.
fn own_tools() -> (Session, Clients) {
    let none = json!({"type": "object", "properties": {}});
    let message =
        json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]});
    let newest = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": false,
    });
    let mut catalogue = Catalogue::new();
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
    ];
    let all = plain.map(|name| (name, none.clone())).into_iter();
    let all = all.chain([("test_elicitation", message), ("json_schema_2020_12_tool", newest)]);
    let clients = Clients::new();
    let env = Env::tokio().expect("tests run on tokio").with_sink(clients.sink());
    for (name, schema) in all {
        let tool = DescribedTool::new(name, "For the test.", schema, move |_input, cx| answer(name, cx));
        catalogue.add_erased(Arc::new(tool.expect("the schema is one"))).expect("the name is one");
    }
    let mut builder = Session::builder(env, catalogue)
        .context(Context::new("/"))
        .prompter(clients.clone())
        .hook(clients.clone());
    for name in plain {
        builder = builder.rule(Behavior::Allow, Source::CliArg, name);
    }
    (builder.build(), clients)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_ones_own_tools_passes_what_is_asked_of_tools() {
    let Some(package) = package() else { return };
    let (session, clients) = own_tools();
    let listening = ToolServer::new(session, clients).serve_http("127.0.0.1:0").await.expect("it listens");
    let url = format!("http://{}/mcp", listening.address());
    let tried = tokio::task::spawn_blocking(move || assert_pass(OF_CERTAIN_TOOLS, &url, &package));
    tried.await.expect("all pass");
}

/// Our client, as the package starts it: the server's address comes last.
fn client(folder: &Folder, arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_toolwright");
    let here = folder.0.display();
    let script = format!(
        "#!/bin/sh\nexport HOME='{here}'\nexec '{program}' {arguments} --settings \
         \"{{\\\"mcpServers\\\":{{\\\"c\\\":{{\\\"type\\\":\\\"http\\\",\\\"url\\\":\\\"$1\\\"}}}}}}\"\n"
    );
    format!("sh {}", folder.put("client.sh", script))
}

#[test]
fn our_client_passes_initialize_and_tools_call() {
    let Some(package) = package() else { return };
    let folder = Folder::new("conformance-client");
    let lines = [
        json!({"type": "header", "version": 1, "source": {"format": "toolwright"}}),
        json!({"type": "turn", "id": "t1"}),
        json!({"type": "tool_use", "turn": "t1", "id": "c1", "name": "mcp__c__add_numbers", "input": {"a": "5", "b": 3}}),
    ];
    let calls = folder.put("calls.twt.jsonl", lines.map(|line| line.to_string() + "\n").concat());
    let run = format!("run go --headless --tool-search false --allow mcp__c --model 'script:{calls}'");
    for (scenario, arguments) in [("initialize", "tools"), ("tools_call", run.as_str())] {
        let command = client(&folder, arguments);
        let output = folder.0.display().to_string();
        let (passed, said) =
            package.run(&["client", "--command", &command, "--scenario", scenario, "-o", &output]);
        assert!(passed, "{scenario}: {said}");
    }
}
