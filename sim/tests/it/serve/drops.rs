//! Clients that go in the middle of a call: what they began ends with the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::cli::Folder;

/// How long anything may take here.
const PATIENCE: Duration = Duration::from_secs(30);

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never happens");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn serve(folder: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(["serve", "--tools", "Bash", "--mode", "bypassPermissions", "--cwd"])
        .arg(folder)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test")
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

/// A call that says that it runs, and then runs for ever.
fn endless() -> Value {
    let input = json!({"command": "touch began && tail -f /dev/null"});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "Bash", "arguments": input}})
}

/// Waits until the server has ended by itself and nothing runs in its folder.
fn assert_gone(mut server: Child, folder: &Path) {
    let began = Instant::now();
    while server.try_wait().expect("it can be asked").is_none() {
        if began.elapsed() > PATIENCE {
            drop(server.kill());
            panic!("the server stays");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let works_there = |process: &std::fs::DirEntry| {
        std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
    };
    until("the end of what was started", || {
        std::fs::read_dir("/proc").map_or(0, |all| all.flatten().filter(works_there).count()) == 0
    });
}

/// A server over its streams, in the middle of a call.
fn amid_a_call(folder: &Path) -> (Child, ChildStdin) {
    let mut server = serve(folder, &[]);
    let mut input = server.stdin.take().expect("it is piped");
    for message in [hello(), json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), endless()] {
        writeln!(input, "{message}").expect("it reads");
    }
    until("the call", || folder.join("began").exists());
    (server, input)
}

fn signal(name: &str, server: &Child) {
    let told = Command::new("kill").args([name, &server.id().to_string()]).status();
    assert!(told.expect("there is `kill`").success());
}

#[test]
fn a_client_that_closes_its_stream_in_a_call_ends_the_server_and_what_the_call_started() {
    let kept = Folder::new("drops-stream");
    let folder = kept.0.canonicalize().expect("it is there");
    let (server, input) = amid_a_call(&folder);
    drop(input);
    assert_gone(server, &folder);
}

#[test]
fn a_signal_in_a_call_ends_the_server_and_what_the_call_started() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let kept = Folder::new(&format!("drops{name}"));
        let folder = kept.0.canonicalize().expect("it is there");
        let (server, _input) = amid_a_call(&folder);
        signal(name, &server);
        assert_gone(server, &folder);
    }
}

/// A connection that is gone does not say that nobody wants the result; the end of the server does.
#[test]
fn a_client_that_drops_its_connection_in_a_call_leaves_a_server_that_answers_others_and_ends_clean() {
    let kept = Folder::new("drops-http");
    let folder = kept.0.canonicalize().expect("it is there");
    let mut server = serve(&folder, &["--http", "127.0.0.1:0"]);
    let mut said = String::new();
    let mut errors = BufReader::new(server.stderr.take().expect("it is piped"));
    errors.read_line(&mut said).expect("it says where");
    let address = said.trim().trim_end_matches("/mcp").rsplit('/').next().expect("it says where").to_owned();
    let session = post(&address, "", &hello());
    let session = session
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("it has one")
        .to_owned();
    let of_session = format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-06-18\r\n");
    post(&address, &of_session, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let connection = send(&address, &of_session, &endless());
    until("the call", || folder.join("began").exists());
    drop(connection);
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert!(post(&address, &of_session, &ping).contains("200 ok"), "others are answered");
    signal("-TERM", &server);
    assert_gone(server, &folder);
}

/// The head of the answer to a request, in lower case.
fn post(address: &str, headers: &str, body: &Value) -> String {
    let mut head = vec![0; 4_096];
    let length = send(address, headers, body).read(&mut head).expect("it answers");
    String::from_utf8_lossy(&head[..length]).to_lowercase()
}

/// One request, written by hand.
fn send(address: &str, headers: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    stream
}
