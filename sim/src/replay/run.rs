//! One replay, from transcript to report.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::contract::Context;
use toolwright::env::{Env, Handle, TaskName};
use toolwright::event::Recorder;
use toolwright::message::{CallId, Message};
use toolwright::permission::{Files, Mode, RealFiles};
use toolwright::pipeline::ResultStore;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright::settings::{Settings, SettingsFiles, Trust};

use super::options::{Abort, ModeChoice, Options};
use super::person::{RecordedDenials, RecordedPerson};
use super::recorded::{Calls, RecordedBodies, RecordedModel, thinking};
use super::report::Report;
use super::stand_in::StandIn;
use crate::check::{self, Violation};
use crate::engine::{Simulation, Stuck};
use crate::transcript::Transcript;

/// Replays a transcript with the tools of a catalogue. Nothing of this machine is read, and no tool runs for real.
#[must_use]
pub fn replay(transcript: &Transcript, catalogue: &Catalogue, options: &Options) -> Report {
    let simulation = Simulation::new(options.seed);
    let recorder = Arc::new(Recorder::default());
    let env = simulation.env().with_sink(Arc::clone(&recorder) as Arc<dyn toolwright::event::EventSink>);
    #[cfg(feature = "mutants")]
    let env = match options.mutant {
        Some(mutant) => env.with_mutant(mutant),
        None => env,
    };
    let (catalogue, stand_ins) = with_stand_ins(catalogue, transcript);
    let session = Arc::new(session(&env, catalogue, transcript, options));
    let model = RecordedModel::new(env.clone(), transcript, options.arrivals);
    let ended =
        simulation.run(run_turns(env, Arc::clone(&session), model, transcript.clone(), options.clone()));
    let events = recorder.take();
    let mut violations = check::all(&events, options.cap);
    violations.extend(ended.err().map(|stuck| stuck_violation(&stuck)));
    Report::new(events, violations, transcript.header.counts, &stand_ins, simulation.now().millis())
}

async fn run_turns(
    env: Env,
    session: Arc<Session>,
    model: RecordedModel,
    transcript: Transcript,
    options: Options,
) {
    for (index, turn) in transcript.turns.iter().enumerate() {
        if let ModeChoice::Recorded = options.mode {
            let recorded = turn.mode.as_deref().and_then(|mode| mode.parse().ok()).unwrap_or(Mode::Default);
            session.change(|context| context.mode = recorded);
        }
        if let Some(prompt) = &turn.prompt {
            session.push(Message::user(prompt));
        }
        let abort = options.abort.filter(|abort| abort.turn == index);
        let abort = abort.map(|abort| abort_later(&env, &session, abort, thinking(turn)));
        // A recorded model always answers.
        drop(session.step(&model).await);
        // A turn that ended first has escaped its abort, which must not hit the next one.
        abort.iter().for_each(Handle::abort);
    }
}

/// Aborts the turn some time after its message has come.
fn abort_later(env: &Env, session: &Arc<Session>, abort: Abort, thinking: Duration) -> Handle {
    let wait = env.sleep(thinking.saturating_add(Duration::from_millis(abort.after_ms)));
    let session = Arc::downgrade(session);
    env.spawn(TaskName { kind: "abort", index: abort.turn }, async move {
        wait.await;
        if let Some(session) = session.upgrade() {
            session.abort();
        }
    })
}

/// The catalogue, and a stand-in for each name in the recording that it does not have.
fn with_stand_ins(catalogue: &Catalogue, transcript: &Transcript) -> (Catalogue, BTreeSet<String>) {
    let mut catalogue = catalogue.clone();
    let known: BTreeSet<String> = catalogue
        .built_in()
        .iter()
        .chain(catalogue.remote())
        .flat_map(|tool| std::iter::once(&tool.form().name).chain(tool.form().aliases.iter()))
        .map(|name| name.clone().into_owned())
        .collect();
    let named: BTreeSet<String> = transcript.calls().map(|call| call.name.clone()).collect();
    let missing: BTreeSet<String> = named.difference(&known).cloned().collect();
    for name in &missing {
        // A name that no provider takes stays unknown: its calls get an unknown-tool error.
        drop(catalogue.add_erased(Arc::new(StandIn::new(name))));
    }
    (catalogue, missing)
}

fn session(env: &Env, catalogue: Catalogue, transcript: &Transcript, options: &Options) -> Session {
    let calls: Calls = Arc::new(transcript.calls().map(|call| (call.id.clone(), call.clone())).collect());
    let cwd = transcript.header.cwd.as_deref().filter(|cwd| cwd.starts_with('/')).unwrap_or("/recorded");
    let builder = Session::builder(env.clone(), catalogue)
        .context(Context::new(cwd))
        .settings(settings(cwd, options))
        .profile(options.profile)
        .siblings(options.siblings)
        .cap(options.cap)
        .hook(RecordedDenials { env: env.clone(), calls: Arc::clone(&calls) })
        .prompter(RecordedPerson { env: env.clone(), calls: Arc::clone(&calls) })
        .bodies(RecordedBodies(calls))
        .files(NoFiles)
        .store(NoStore);
    match options.mode {
        ModeChoice::Fixed(mode) => builder.mode(mode).build(),
        ModeChoice::Recorded => builder.mode(Mode::Default).build(),
        ModeChoice::Settings => builder.build(),
    }
}

/// The settings that were asked for, and no others: of this machine nothing else is read. They are the person's who
/// replays, so they are trusted; what they would start is left out.
fn settings(cwd: &str, options: &Options) -> Settings {
    let places = SettingsFiles { extra: options.settings.clone(), ..SettingsFiles::none(cwd) };
    let settings = Settings::load(&places, &RealFiles, Trust::Trusted);
    Settings { hooks: Vec::new(), mcp_servers: BTreeMap::new(), ..settings }
}

/// A world without links: every path leads where its name says.
struct NoFiles;

impl Files for NoFiles {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

/// A world without disks.
struct NoStore;

#[async_trait]
impl ResultStore for NoStore {
    async fn keep(&self, _env: &Env, _call: &CallId, _text: String) -> io::Result<String> {
        Err(io::Error::other("a replay stores nothing"))
    }
}

fn stuck_violation(stuck: &Stuck) -> Violation {
    Violation { invariant: "progress", call: None, detail: stuck.to_string() }
}
