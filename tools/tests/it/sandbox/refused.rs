//! What is refused and what is not, and what the report says.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;
use toolwright::permission::{Behavior, Source};
use toolwright::settings::{SandboxFiles, SandboxNetwork, SandboxSettings};
use toolwright_tools::shell::ShellState;
use toolwright_tools::shell::sandbox::Backend;

use super::world::{KEPT, World, backends, call, run};

#[tokio::test]
async fn a_write_outside_is_refused_and_the_report_names_the_path() {
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        for command in [
            "echo x > ../outside/new",
            "sh -c 'f=../outside/ne; echo x > ${f}w'",
            "(cd src && touch ../../outside/new)",
        ] {
            let (failed, text) = run(&session, command).await;
            let path = world.path("outside/new");
            assert!(
                failed && text.contains(&format!("`{}`", path.display())),
                "{backend}: {command}: {text}"
            );
            assert!(!text.contains("new'`"), "quotes are no part of a name: {text}");
            assert!(
                text.contains("the sandbox refused") && text.contains("dangerouslyDisableSandbox"),
                "{text}"
            );
            assert!(!path.exists(), "{backend}: {command}");
        }
        let (failed, text) =
            run(&session, "echo x > ../outside/kept; rm -f ../outside/folder/kept; true").await;
        assert!(
            !failed && text.contains(&world.path("outside/kept").display().to_string()),
            "{backend}: {text}"
        );
        assert_eq!(world.text("outside/kept").as_deref(), Some(KEPT));
        assert_eq!(world.text("outside/folder/kept").as_deref(), Some(KEPT));
    }
}

#[tokio::test]
async fn a_write_inside_is_made_without_a_question() {
    for backend in backends() {
        let world = World::new();
        std::fs::remove_dir_all(world.path("repo/.git")).expect("it can be removed");
        let state = ShellState::confined_by(Ok(backend.clone()));
        let session = world.builder(&world.path("repo/src"), &state, SandboxSettings::default()).build();
        std::fs::remove_dir_all(world.path("repo/src/vendor")).expect("it can be removed");
        let command = "echo new > made && mkdir -p deep/er && mv made deep/er/made && cat deep/er/made && sed -i s/kept/changed/ a.txt";
        assert_eq!(run(&session, command).await, (false, "new".to_owned()), "{backend}");
        assert_eq!(world.text("repo/src/a.txt").as_deref(), Some("changed\n"));
        assert_eq!(world.person.asked(), 0, "{backend}");
        // In the repository's root too, within what is there.
        let session = world.builder(&world.path("repo"), &state, SandboxSettings::default()).build();
        assert!(!run(&session, "echo more >> src/a.txt; echo w > .claude/worktrees/w/a").await.0);
        assert_eq!(world.text("repo/src/a.txt").as_deref(), Some("changed\nmore\n"));
        assert_eq!(world.text("repo/.claude/worktrees/w/a").as_deref(), Some("w\n"), "copies are worked in");
    }
}

#[tokio::test]
async fn beside_what_is_closed_bubblewrap_makes_new_files_and_landlock_says_that_it_does_not() {
    for backend in backends() {
        let world = World::new();
        let (failed, text) = run(&world.session(&backend), "echo x > new.txt").await;
        match backend {
            Backend::Bubblewrap(_) => assert!(!failed && world.path("repo/new.txt").exists(), "{text}"),
            Backend::Landlock => {
                assert!(failed && text.contains("nor new files beside"), "{text}");
                assert!(text.contains(&world.path("repo/new.txt").display().to_string()), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn what_steers_git_the_shell_and_the_agent_is_closed_inside_too_and_named() {
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        for name in [
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/HEAD",
            ".claude/settings.json",
            ".envrc",
            "src/vendor/.git/config",
        ] {
            let (failed, text) = run(&session, &format!("echo x >> {name}")).await;
            let path = world.path("repo").join(name);
            assert!(failed && text.contains(&format!("`{}`", path.display())), "{backend}: {name}: {text}");
            assert_eq!(world.text(&format!("repo/{name}")).as_deref(), Some(KEPT), "{backend}: {name}");
        }
    }
}

#[tokio::test]
async fn what_steers_and_is_new_is_told() {
    for backend in backends() {
        let world = World::new();
        std::fs::create_dir(world.path("fresh")).expect("folders can be made");
        let state = ShellState::confined_by(Ok(backend.clone()));
        let session = world.builder(&world.path("fresh"), &state, SandboxSettings::default()).build();
        let (failed, text) = run(&session, "mkdir .git && echo x > .git/config").await;
        assert!(!failed, "{backend}: {text}");
        let path = world.path("fresh/.git");
        assert!(text.contains(&format!("the command made `{}`", path.display())), "{backend}: {text}");
        // From now on it is closed.
        let (failed, text) = run(&session, "echo y >> .git/config").await;
        assert!(failed && world.text("fresh/.git/config").as_deref() == Some("x\n"), "{backend}: {text}");
    }
}

#[tokio::test]
async fn the_network_is_closed_unless_settings_open_it_wholly() {
    for backend in backends() {
        let world = World::new();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let server = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().expect("one comes");
            peer.write_all(b"hello\n").expect("it listens");
            drop(peer.read(&mut [0]));
        });
        let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && head -1 <&3");
        let (failed, text) = run(&world.session(&backend), &command).await;
        assert!(failed && !text.contains("hello"), "{backend}: {text}");
        assert!(text.contains("the sandbox has no network"), "{backend}: {text}");
        let domains = |names: &[&str], denied: &[&str]| SandboxSettings {
            network: SandboxNetwork {
                allowed_domains: names.iter().map(ToString::to_string).collect(),
                denied_domains: denied.iter().map(ToString::to_string).collect(),
                ..SandboxNetwork::default()
            },
            ..SandboxSettings::default()
        };
        let state = ShellState::confined_by(Ok(backend.clone()));
        for said in [domains(&["localhost"], &[]), domains(&["*"], &["x.org"])] {
            let session = world.builder(&world.path("repo"), &state, said).build();
            assert!(session.settings_problems().iter().any(|problem| problem.message.contains("hosts")));
            let (failed, text) = run(&session, &command).await;
            assert!(failed && !text.contains("hello"), "{backend}: {text}");
        }
        let session = world.builder(&world.path("repo"), &state, domains(&["*"], &[])).build();
        assert_eq!(run(&session, &command).await, (false, "hello".to_owned()), "{backend}");
        server.join().expect("the server ends");
    }
}

#[tokio::test]
async fn what_rules_and_settings_close_is_neither_read_nor_written() {
    for backend in backends() {
        let world = World::new();
        let said = SandboxSettings {
            filesystem: SandboxFiles {
                deny_read: vec![world.path("outside/folder").display().to_string()],
                deny_write: vec!["src/a.txt".to_owned()],
                allow_write: vec![world.path("open").display().to_string()],
                ..SandboxFiles::default()
            },
            ..SandboxSettings::default()
        };
        world.put("open/a", "a\n");
        let state = ShellState::confined_by(Ok(backend.clone()));
        let session = world
            .builder(&world.path("repo"), &state, said)
            .rule(Behavior::Deny, Source::UserSettings, "Read(./secret.txt)")
            .build();
        // Nobody can tell what these do, so the person is asked, and says yes.
        for name in ["secret.txt", "../outside/folder/kept"] {
            let (_failed, text) = run(&session, &format!("f={name}; eval \"cat $f\"; cat ${{f}}")).await;
            assert!(!text.contains("kept\n") && !text.ends_with("kept"), "{backend}: {name}: {text}");
        }
        let (failed, text) = run(&session, "cat src/a.txt; echo x >> src/a.txt").await;
        assert!(failed && text.contains("kept"), "{backend}: {text}");
        assert_eq!(world.text("repo/src/a.txt").as_deref(), Some(KEPT), "{backend}");
        let open = world.path("open/a");
        let (failed, text) = run(&session, &format!("echo b >> {}", open.display())).await;
        assert!(!failed && world.text("open/a").as_deref() == Some("a\nb\n"), "{backend}: {text}");
    }
}

#[tokio::test]
async fn temporary_files_have_a_folder_of_the_sessions_own() {
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        let (failed, text) = run(&session, "echo kept > $TMPDIR/a && echo $TMPDIR").await;
        assert!(!failed, "{backend}: {text}");
        assert_eq!(run(&session, "cat \"$(mktemp -d)/../a\"").await, (false, "kept".to_owned()), "{backend}");
        let folder = std::path::PathBuf::from(text);
        assert!(folder.is_dir(), "{}", folder.display());
        drop(session);
        assert!(!folder.exists(), "{backend}: it goes with the session");
    }
}

#[tokio::test]
async fn a_confined_command_that_runs_too_long_is_ended_with_all_it_started() {
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        let command = "(env -i setsid sleep 74.25 >/dev/null 2>&1 &); echo begun; sleep 74.25";
        let (failed, text) = call(&session, json!({"command": command, "timeout": 400})).await;
        assert!(failed && text.contains("begun") && text.contains("400 ms"), "{backend}: {text}");
        assert!(crate::processes::dies("sleep 74.25").await, "{backend}");
    }
}
