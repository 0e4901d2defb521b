//! The program at work: `toolwright run` against a provider on the loopback, what it recorded, and what a replay of that
//! comes to.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::cli::{Folder, out, said, toolwright};
use super::provider::Provider;

/// How long a test waits for something that happens at once unless it never does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder to work in, a home and a place for the recording.
pub(super) struct Place(Folder);

impl Place {
    pub(super) fn new(name: &str) -> Place {
        let folder = Folder::new(&format!("run-{name}"));
        for part in ["work", "home"] {
            std::fs::create_dir_all(folder.0.join(part)).expect("the folder can be written");
        }
        Place(folder)
    }

    pub(super) fn put(&self, name: &str, content: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(path, content).expect("the folder can be written");
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.0.canonicalize().expect("the folder exists").join(name)
    }

    pub(super) fn recording(&self) -> PathBuf {
        self.path("session.twt.jsonl")
    }

    /// The program with this provider, recording.
    pub(super) fn command(&self, provider: &Provider, more: &[&str]) -> Command {
        let mut command = self.bare(&["--model", "m-1", "--base-url", &provider.url()]);
        command.arg("--record").arg(self.recording()).args(more);
        command
    }

    /// The program with these arguments, in this place.
    pub(super) fn bare(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
        command.args(["run", "do it", "--cwd"]).arg(self.path("work")).args(more);
        command.env("HOME", self.path("home")).env_remove("CLAUDE_CONFIG_DIR");
        command.env_remove("ANTHROPIC_API_KEY").env_remove("ANTHROPIC_BASE_URL");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn run(&self, provider: &Provider, more: &[&str]) -> Output {
        self.command(provider, more).output().expect("the program was built for this test")
    }

    pub(super) fn start(&self, provider: &Provider, more: &[&str]) -> Started {
        let mut child = self.command(provider, more).spawn().expect("the program was built for this test");
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        Started { child, stderr, heard: String::new() }
    }

    /// What was recorded.
    pub(super) fn recorded(&self) -> Recorded {
        let text = std::fs::read_to_string(self.recording()).expect("there is a recording");
        Recorded(text.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect())
    }

    /// Replays the recording: its line of counts, and what each call came to.
    pub(super) fn replayed(&self) -> (Value, Results) {
        let file = self.recording().display().to_string();
        let counts = toolwright(&["replay", "--json", &file]);
        assert_eq!(counts.status.code(), Some(0), "{}{}", out(&counts), said(&counts));
        let events = toolwright(&["replay", "--events", &file]);
        let parsed = out(&events)
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect::<Vec<Value>>();
        let results = parsed.iter().filter(|event| event["event"] == "result");
        let result =
            |event: &Value| (word(&event["call"]), (event["content"].clone(), event["is_error"] == true));
        (serde_json::from_str(&out(&counts)).expect("JSON"), results.map(result).collect())
    }
}

/// What calls came to: content, and whether it is an error.
pub(super) type Results = BTreeMap<String, (Value, bool)>;

/// The lines of a recording.
pub(super) struct Recorded(pub(super) Vec<Value>);

impl Recorded {
    pub(super) fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|line| line["type"] == kind).collect()
    }

    pub(super) fn results(&self) -> Results {
        let answered = self.of_type("tool_result").into_iter();
        let answered =
            answered.map(|line| (word(&line["id"]), (line["content"].clone(), line["is_error"] == true)));
        let refused = self.of_type("permission").into_iter();
        answered.chain(refused.map(|line| (word(&line["id"]), (line["text"].clone(), true)))).collect()
    }

    /// Asserts that the recording is whole: it begins and ends as it should, and each call has its one answer.
    pub(super) fn assert_whole(&self) {
        let kinds: Vec<&str> = self.0.iter().map(|line| line["type"].as_str().unwrap_or_default()).collect();
        assert_eq!((kinds.first(), kinds.last()), (Some(&"header"), Some(&"end")), "{:#?}", self.0);
        let made: Vec<String> = self.of_type("tool_use").iter().map(|line| word(&line["id"])).collect();
        let results = self.results();
        assert!(made.iter().all(|id| results.contains_key(id)), "{:#?}", self.0);
        let answers = self.of_type("tool_result").len() + self.of_type("permission").len();
        assert_eq!(answers, made.len(), "{:#?}", self.0);
        let end = self.0.last().expect("it has lines");
        assert_eq!((&end["calls"], &end["turns"]), (&made.len().into(), &self.of_type("turn").len().into()));
        assert_eq!(end["counts"]["calls_without_result"], 0);
    }
}

/// What the provider was told of results, in all requests: each must be told the same way each time.
pub(super) fn told(provider: &Provider) -> Results {
    let mut told = Results::new();
    for body in provider.asked() {
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let blocks =
            messages.iter().flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
        for block in blocks.filter(|block| block["type"] == "tool_result") {
            let result = (block["content"].clone(), block["is_error"] == true);
            let before = told.insert(word(&block["tool_use_id"]), result.clone());
            assert!(before.is_none_or(|before| before == result), "{block}");
        }
    }
    told
}

fn word(value: &Value) -> String {
    value.as_str().expect("identifiers are texts").to_owned()
}

/// The program while it runs.
pub(super) struct Started {
    child: Child,
    stderr: BufReader<ChildStderr>,
    heard: String,
}

impl Started {
    /// Waits until it has said this on standard error.
    pub(super) fn until_said(&mut self, words: &str) {
        let mut line = String::new();
        while !self.heard.contains(words) {
            line.clear();
            let bytes = self.stderr.read_line(&mut line).expect("it says text");
            assert!(bytes > 0, "it ended without `{words}`: {}", self.heard);
            self.heard.push_str(&line);
        }
    }

    /// Presses Ctrl-C.
    pub(super) fn interrupt(&self) {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(killed.expect("there is `kill`").success());
    }

    /// Waits for its end: its exit code, and all it said on standard error.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        self.stderr.read_to_string(&mut self.heard).expect("it says text");
        let status = self.child.wait().expect("it ends");
        (status.code(), self.heard)
    }
}

/// Waits for a file that a command of the program writes.
pub(super) fn until_there(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < PATIENCE, "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}
