//! On a full disk each call gets one clear error, and what was there stays whole.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::pipeline::FolderStore;
use toolwright::session::Session;

/// A small disk, which goes when this is dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    /// One of 64 KiB. Where this process may mount nothing, there is none, and the test says so.
    fn new() -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            println!("skipped: no disk can be mounted here");
        }
        mounted.then_some(Disk(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("it exists").join(name)
    }

    /// Fills it to the last byte.
    fn fill(&self) {
        let filled = std::fs::write(self.path("filler"), vec![b'x'; 128 * 1024]);
        assert!(filled.is_err(), "the disk is small");
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("")).expect("it is there").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn session(root: &Path, store: &Path) -> Session {
    Session::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(root))
        .mode(Mode::BypassPermissions)
        .store(FolderStore::new(store))
        .build()
}

async fn call(session: &Session, tool: &str, input: serde_json::Value) -> (bool, String) {
    let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
    let result = session.run_turn(turn).await.results.remove(0);
    (result.is_error, result.content.to_text())
}

#[tokio::test]
async fn files_stay_as_they_were_and_the_error_says_why() {
    let Some(disk) = Disk::new() else { return };
    let old = "old line\n".repeat(1_000);
    std::fs::write(disk.path("old"), &old).expect("there is room");
    let session = session(&disk.path(""), &disk.path("store"));
    let path = |name: &str| disk.path(name).display().to_string();
    assert!(!call(&session, "Read", json!({"file_path": path("old")})).await.0);
    disk.fill();
    let names = disk.names();
    let (ours, of_the_system) = ("the disk or the quota is full; make room first", "No space left on device");
    for (tool, input, why) in [
        ("Write", json!({"file_path": path("new"), "content": "new\n".repeat(5_000)}), ours),
        ("Write", json!({"file_path": path("old"), "content": "new\n".repeat(5_000)}), ours),
        (
            "Edit",
            json!({"file_path": path("old"), "old_string": "old line\n", "new_string": "new\n", "replace_all": true}),
            ours,
        ),
        ("Bash", json!({"command": "seq 1 9999 > out; status=$?; rm -f out; exit $status"}), of_the_system),
    ] {
        let (failed, text) = call(&session, tool, input).await;
        assert!(failed && text.contains(why), "{tool}: {text}");
        assert_eq!(std::fs::read_to_string(disk.path("old")).expect("it is there"), old, "{tool}");
        assert_eq!(disk.names(), names, "{tool} leaves nothing behind");
    }
}

#[tokio::test]
async fn a_large_result_that_cannot_be_kept_is_still_a_result() {
    let Some(disk) = Disk::new() else { return };
    disk.fill();
    let work = tempfile::tempdir().expect("a folder can be made");
    let session = session(work.path(), &disk.path("store"));
    let (failed, text) = call(&session, "Bash", json!({"command": "seq 1 100000"})).await;
    assert!(!failed && text.contains("it begins:\n1\n2\n"), "{text:.200}");
    assert!(text.contains("could not be stored: No space left on device"), "{text:.200}");
    assert!(text.chars().count() < 40_000, "{} characters", text.chars().count());
}
