//! Processes of this machine, told by a text in their command line.

use std::time::Duration;

/// Whether a process with this text in its command line lives.
pub(crate) fn lives(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("there are processes").filter_map(Result::ok);
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(mark)
    })
}

pub(crate) async fn dies(mark: &str) -> bool {
    for _ in 0..100 {
        if !lives(mark) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

pub(crate) async fn starts(mark: &str) {
    for _ in 0..250 {
        if lives(mark) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("`{mark}` did not start");
}
