//! Code in interpreters that stay is confined as commands are.

use std::net::TcpListener;

use serde_json::json;
use toolwright::permission::Mode;
use toolwright::session::Session;
use toolwright::settings::{SandboxSettings, Settings};
use toolwright_tools::shell::ShellState;
use toolwright_tools::shell::sandbox::{Backend, Unavailable};

use super::world::{KEPT, World, backends, call_tool};
use crate::processes::{dies, starts};
use crate::repl::has;

async fn python(session: &Session, code: &str) -> (bool, String) {
    call_tool(session, "REPL", json!({"code": code})).await
}

async fn node(session: &Session, code: &str) -> (bool, String) {
    call_tool(session, "REPL", json!({"code": code, "language": "node"})).await
}

#[tokio::test]
async fn code_writes_nothing_outside_and_nothing_that_steers_and_the_report_names_the_path() {
    if !has("python3") {
        return;
    }
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        for name in ["outside/new", "outside/kept", "repo/.git/config", "repo/.git/hooks/post-commit"] {
            let path = world.path(name);
            let before = world.text(name);
            let (failed, text) =
                python(&session, &format!("open({:?}, 'a').write('x')", path.display())).await;
            assert!(failed && text.contains(&format!("`{}`", path.display())), "{backend}: {name}: {text}");
            assert!(text.contains("the sandbox refused") && text.contains("have Bash do it"), "{text}");
            assert_eq!(world.text(name), before, "{backend}: {name}");
        }
        let inside = "open('src/a.txt', 'a').write('more\\n')\nopen('src/a.txt').read()";
        assert_eq!(python(&session, inside).await, (false, "'kept\\nmore\\n'".to_owned()), "{backend}");
        let started = "import os\nos.system('echo x > ../outside/new; echo x >> .envrc') != 0";
        let (failed, text) = python(&session, started).await;
        assert!(!failed && text.contains("True"), "{backend}: what it starts is confined too: {text}");
        assert_eq!((world.text("outside/new"), world.text("repo/.envrc").as_deref()), (None, Some(KEPT)));
        if has("node") {
            let path = world.path("outside/new");
            let (failed, text) =
                node(&session, &format!("require('fs').writeFileSync({:?}, 'x')", path.display())).await;
            assert!(failed && text.contains(&format!("`{}`", path.display())), "{backend}: {text}");
            assert!(!path.exists(), "{backend}");
        }
    }
}

#[tokio::test]
async fn what_code_keeps_stays_also_when_it_is_interrupted() {
    if !has("python3") {
        return;
    }
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        assert!(!python(&session, "x = 'kept'\nimport os, tempfile").await.0, "{backend}");
        let slow = json!({"code": "import time\nwhile True: time.sleep(0.01)", "timeout": 300});
        let (failed, text) = call_tool(&session, "REPL", slow).await;
        assert!(
            failed && text.contains("was interrupted") && text.contains("still there"),
            "{backend}: {text}"
        );
        assert_eq!(python(&session, "x").await, (false, "'kept'".to_owned()), "{backend}");
        let temporary = "os.path.dirname(tempfile.mkstemp()[1]) == os.environ['TMPDIR']";
        assert_eq!(python(&session, temporary).await, (false, "True".to_owned()), "{backend}");
        let (failed, text) = python(&session, "os._exit(7)").await;
        assert!(failed && text.contains("exit code 7"), "{backend}: {text}");
        if has("node") {
            assert!(!node(&session, "globalThis.y = 'kept'").await.0, "{backend}");
            let slow = json!({"code": "for (;;) {}", "timeout": 300, "language": "node"});
            let (failed, text) = call_tool(&session, "REPL", slow).await;
            assert!(failed && text.contains("was interrupted"), "{backend}: {text}");
            assert_eq!(node(&session, "y").await, (false, "'kept'".to_owned()), "{backend}");
        }
    }
}

#[tokio::test]
async fn what_confined_code_starts_ends_with_the_session() {
    if !has("python3") {
        return;
    }
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        let starting = "import subprocess\n_p = subprocess.Popen(['sleep', '98.25'], start_new_session=True)";
        assert!(!python(&session, starting).await.0, "{backend}");
        starts("sleep 98.25").await;
        drop(session);
        assert!(dies("sleep 98.25").await, "{backend}");
    }
}

#[tokio::test]
async fn code_has_no_network_unless_settings_open_it() {
    if !has("python3") {
        return;
    }
    for backend in backends() {
        let world = World::new();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let code = format!(
            "import socket\nsocket.create_connection(('127.0.0.1', {}), timeout=5)\n'connected'",
            address.port()
        );
        let (failed, text) = python(&world.session(&backend), &code).await;
        assert!(failed && text.contains("the sandbox has no network"), "{backend}: {text}");
    }
}

#[tokio::test]
async fn what_code_makes_that_steers_is_told_once() {
    if !has("python3") {
        return;
    }
    for backend in backends() {
        let world = World::new();
        std::fs::create_dir(world.path("fresh")).expect("folders can be made");
        let state = ShellState::confined_by(Ok(backend.clone()));
        let session = world.builder(&world.path("fresh"), &state, SandboxSettings::default()).build();
        let (failed, text) = python(&session, "import os\nos.mkdir('.git')").await;
        let told = format!("the command made `{}`", world.path("fresh/.git").display());
        assert!(!failed && text.contains(&told), "{backend}: {text}");
        assert_eq!(python(&session, "1").await, (false, "1".to_owned()), "{backend}");
    }
}

#[tokio::test]
async fn an_interpreter_that_began_elsewhere_does_not_go_on() {
    let Some(backend) = backends().into_iter().next().filter(|_| has("python3")) else { return };
    let world = World::new();
    let state = ShellState::confined_by(Ok(backend));
    let builder = world.builder(&world.path("repo"), &state, SandboxSettings::default());
    let confined = world.session(&Backend::Landlock).context().sandbox.clone();
    let session = builder.settings(Settings::default()).build();
    let outside = format!("x = open({:?}, 'w').write('x')", world.path("outside/new").display());
    assert!(!python(&session, &outside).await.0, "nothing confines it yet");
    session.change(|context| context.sandbox = confined);
    let (failed, text) = python(&session, "x").await;
    assert!(failed && text.contains("have changed") && text.contains("NameError"), "{text}");
    assert!(python(&session, &outside).await.0, "it is confined from now on");
    assert!(!python(&session, "kept = 1").await.0);
    assert_eq!(python(&session, "kept").await, (false, "1".to_owned()), "said once");
    session.change(|context| context.additional_directories.push(world.path("outside")));
    let (failed, text) = python(&session, &outside).await;
    assert!(!failed && text.contains("have changed"), "a folder more is open only to a new one: {text}");
}

#[tokio::test]
async fn a_sandbox_answers_no_question_about_code_and_where_there_must_be_one_nothing_runs_without() {
    let Some(backend) = backends().into_iter().next().filter(|_| has("python3")) else { return };
    let world = World::new();
    let session = world.session(&backend);
    assert!(!python(&session, "1").await.0);
    assert_eq!(world.person.asked(), 1, "settings let it answer for commands");
    let unavailable = ShellState::confined_by(Err(Unavailable::new("for a test")));
    let root = world.path("repo");
    let said = SandboxSettings { fail_if_unavailable: Some(true), ..SandboxSettings::default() };
    let session = world.builder(&root, &unavailable, said).mode(Mode::BypassPermissions).build();
    let (failed, text) = python(&session, "1").await;
    assert!(failed && text.contains("let no command run without one"), "{text}");
    let session = world.builder(&root, &unavailable, SandboxSettings::default()).build();
    let (failed, text) = python(&session, "1").await;
    assert!(!failed && text.contains("no sandbox works here: for a test"), "{text}");
}
