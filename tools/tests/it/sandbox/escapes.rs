//! Ways out that others have found, each tried for real. The person says yes to all of them: what holds is the sandbox.

use std::io::Write;
use std::os::unix::net::UnixListener;

use super::world::{KEPT, World, backends, run};

/// Ways to change what is outside, or what steers. `@PID` is this process, `@OUT` the folder outside.
const WAYS: &[(&str, &str)] = &[
    ("a link to a folder", "ln -s ../../outside src/l && echo x > src/l/kept"),
    ("a link to a file", "ln -s ../../outside/kept src/k && echo x >> src/k"),
    ("a link in place of an own file", "ln -sf ../../outside/kept src/a.txt && echo x >> src/a.txt"),
    ("a hard link from outside", "ln ../outside/kept src/h && echo x >> src/h"),
    ("a hard link from what steers", "ln .git/config src/c && echo x >> src/c"),
    ("a rename over what steers", "echo x > src/n && mv -f src/n .git/config"),
    ("a rename over a file outside", "echo x > src/n && mv -f src/n ../outside/kept"),
    ("a rename out of what steers", "mv .git/config src/c && echo x >> src/c; mv src/c .git/config"),
    ("an exchange", "mv .git/hooks src/hooks; cp -r src .git/hooks; echo x > .git/hooks/pre-commit"),
    ("the way up", "echo x > src/../../outside/kept"),
    ("the root of a process", "echo x > /proc/self/root@OUT/kept"),
    ("the root of another process", "echo x > /proc/@PID/root@OUT/kept; echo x > /proc/1/root@OUT/kept"),
    ("the directory of another process", "cd /proc/@PID/cwd && echo x > @OUT/kept"),
    (
        "a file that another process has open",
        "for f in /proc/[0-9]*/fd/*; do case $(readlink $f) in @OUT/*) echo x >> $f;; esac; done",
    ),
    ("inherited files", "for f in /proc/self/fd/*; do n=${f##*/}; [ $n -gt 2 ] && echo x >&$n; done; true"),
    ("a child in the background", "(sleep 0.05; echo x > ../outside/kept; echo x > .git/config) & wait"),
    ("a session of its own", "setsid -w sh -c 'echo x > ../outside/kept; echo x > .git/config'"),
    ("a cleared environment", "env -i /bin/sh -c 'echo x > ../outside/kept; echo x > .git/config'"),
    ("the folder that steers, moved away", "mv .git .git2; mkdir -p .git; echo x > .git/config"),
    (
        "a folder above it, moved away",
        "mv src src2; mkdir -p src/vendor/.git; echo x > src/vendor/.git/config",
    ),
    (
        "the folder that steers, removed",
        "rm -rf .git .claude src/vendor/.git; mkdir -p .git; echo x > .git/config",
    ),
    (
        "the whole repository, moved away",
        "cd .. && mv repo repo2; mkdir repo; mkdir repo/.git; echo x > repo/.git/config",
    ),
    (
        "a mount undone",
        "umount .git; umount $PWD; mount -o remount,rw /; mount -o remount,bind,rw $PWD/.git; echo x > .git/config; echo x > ../outside/kept",
    ),
    (
        "a mount undone in a namespace",
        "unshare -Urm sh -c 'umount .git; mount -o remount,bind,rw $PWD/.git; mount -o remount,rw /; echo x > .git/config; echo x > ../outside/kept'",
    ),
    (
        "a mount over it",
        "unshare -Urm sh -c 'mount --bind src .git; mount --bind src ../outside; echo x > .git/a.txt'; true",
    ),
    (
        "another root",
        "chroot / sh -c 'echo x > @OUT/kept'; chroot /proc/@PID/root sh -c 'echo x > @OUT/kept'",
    ),
    ("truncating", "truncate -s 0 ../outside/kept .git/config"),
    ("a copy that keeps its name", "cp -f src/a.txt ../outside/folder/kept; cp -f /dev/null .git/config"),
    (
        "a device",
        "mknod src/disk b 254 0 && dd if=/dev/zero of=src/disk count=0 && echo x > src/made-a-device; ls src/disk && echo x > ../outside/kept",
    ),
    (
        "a program that is written and run",
        "printf '#!/bin/sh\\necho x > ../outside/kept\\necho x > .git/config\\n' > src/p; chmod +x src/p; src/p",
    ),
];

/// What every way out left behind, if any.
fn changed(world: &World) -> Vec<String> {
    let kept = [
        "repo/.git/config",
        "repo/.git/HEAD",
        "repo/.git/hooks/pre-commit",
        "repo/.claude/settings.json",
        "repo/.envrc",
        "repo/src/vendor/.git/config",
        "outside/kept",
        "outside/folder/kept",
        "outside/open",
    ];
    let mut changed: Vec<String> = kept
        .iter()
        .filter(|name| world.text(name).as_deref() != Some(KEPT))
        .map(ToString::to_string)
        .collect();
    let listed = std::fs::read_dir(world.path("outside")).expect("it is there").flatten();
    let names: Vec<String> = listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    changed.extend(names.into_iter().filter(|name| !["kept", "folder", "open"].contains(&name.as_str())));
    changed
}

#[tokio::test]
async fn no_way_out_changes_anything_outside_or_what_steers() {
    for backend in backends() {
        for (what, way) in WAYS {
            let world = World::new();
            let session = world.session(&backend);
            world.put("outside/open", KEPT);
            let mut open =
                std::fs::OpenOptions::new().append(true).open(world.path("outside/open")).expect("it exists");
            open.write_all(b"").expect("it can be written");
            let out = world.path("outside").display().to_string();
            let command = way.replace("@PID", &std::process::id().to_string()).replace("@OUT", &out);
            let (_failed, text) = run(&session, &command).await;
            assert_eq!(changed(&world), Vec::<String>::new(), "{backend}: {what}: {text}");
            assert!(!text.contains("permission denied: "), "{backend}: {what} was not tried: {text}");
        }
    }
}

#[tokio::test]
async fn other_processes_and_sockets_are_out_of_reach() {
    for backend in backends() {
        let world = World::new();
        let session = world.session(&backend);
        let socket = world.path("repo/src/agent.sock");
        let listener = UnixListener::bind(&socket).expect("a socket can be made");
        let pid = std::process::id();
        let connect = format!(
            "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die $!; connect(S, sockaddr_un($ARGV[0])) or die $!; print qq(reached)' {}",
            socket.display()
        );
        for (what, command) in [
            ("memory", format!("exec 5<>/proc/{pid}/mem && echo reached")),
            ("environment", format!("cat /proc/{pid}/environ > /dev/null && echo reached")),
            (
                "the kernel's settings",
                "v=$(cat /proc/sys/kernel/core_pattern); echo \"$v\" > /proc/sys/kernel/core_pattern && echo reached"
                    .to_owned(),
            ),
            ("signals", format!("kill -0 {pid} && echo reached")),
            ("sockets", connect),
            (
                "abstract sockets",
                "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) and print qq(reached)'".to_owned(),
            ),
            ("raw sockets", "perl -MSocket -e 'socket(S, 17, SOCK_RAW, 0) and print qq(reached)'".to_owned()),
            ("the kernel", "perl -e 'syscall(425, 8, 0) >= 0 and print qq(reached)'".to_owned()),
        ] {
            let (_failed, text) = run(&session, &command).await;
            assert!(!text.contains("reached"), "{backend}: {what}: {text}");
        }
        drop(listener);
    }
}
