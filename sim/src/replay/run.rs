//! One replay, from transcript to report.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::contract::Context;
use toolwright::env::{Access, Env, Handle, Object, TaskName};
use toolwright::event::{EventSink, Recorder, Stamped};
use toolwright::message::{CallId, Message};
use toolwright::permission::{Files, Mode, RealFiles};
use toolwright::pipeline::ResultStore;
use toolwright::registry::{Catalogue, Deferral};
use toolwright::session::Session;
use toolwright::settings::{Settings, SettingsFiles, Trust};

use super::conditions::Conditions;
use super::options::{Abort, ModeChoice, Options};
use super::person::{Racer, RecordedDenials, RecordedPerson};
use super::recorded::{Calls, RecordedBodies, RecordedModel, thinking};
use super::report::Report;
use super::stand_in::StandIn;
use crate::check;
use crate::engine::{Simulation, Stuck};
use crate::transcript::Transcript;

/// Replays a transcript with the tools of a catalogue. Nothing of this machine is read, and no tool runs for real.
#[must_use]
pub fn replay(transcript: &Transcript, catalogue: &Catalogue, options: &Options) -> Report {
    Prepared::new(transcript, catalogue, options).report(&Simulation::new(options.seed))
}

/// A transcript that is ready to be replayed any number of times.
#[derive(Clone, Debug)]
pub struct Prepared {
    transcript: Arc<Transcript>,
    catalogue: Catalogue,
    stand_ins: BTreeSet<String>,
    calls: Calls,
    settings: Settings,
    options: Options,
}

impl Prepared {
    /// A transcript, the tools it is replayed with, and how; the seed of the options is of no account here.
    #[must_use]
    pub fn new(transcript: &Transcript, catalogue: &Catalogue, options: &Options) -> Prepared {
        let (catalogue, stand_ins) = with_stand_ins(catalogue, transcript);
        let calls: Calls = Arc::new(transcript.calls().map(|call| (call.id.clone(), call.clone())).collect());
        Prepared {
            settings: settings(cwd(transcript), options),
            transcript: Arc::new(transcript.clone()),
            catalogue,
            stand_ins,
            calls,
            options: options.clone(),
        }
    }

    /// What is replayed.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// How it is replayed.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same transcript under other conditions. Settings stay as they were read.
    #[must_use]
    pub fn under(&self, conditions: &Conditions) -> Prepared {
        let mut prepared = self.clone();
        conditions.change(&mut prepared.options);
        prepared
    }

    /// Replays it in a world, and tells what happened and whether it came to its end.
    pub fn run(&self, simulation: &Simulation) -> (Vec<Stamped>, Result<(), Stuck>) {
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
        #[cfg(feature = "mutants")]
        let env = match self.options.mutant {
            Some(mutant) => env.with_mutant(mutant),
            None => env,
        };
        let session = Arc::new(self.session(&env));
        let ended =
            simulation.run(run_turns(env, session, Arc::clone(&self.transcript), self.options.clone()));
        (recorder.take(), ended)
    }

    /// Replays it in a world, checks what must hold, and counts.
    #[must_use]
    pub fn report(&self, simulation: &Simulation) -> Report {
        let (events, ended) = self.run(simulation);
        let mut violations = check::all(&events, self.options.cap);
        violations.extend(ended.err().as_ref().map(check::progress));
        let counts = self.transcript.header.counts;
        Report::new(events, violations, counts, &self.stand_ins, simulation.now().millis())
    }

    fn session(&self, env: &Env) -> Session {
        let (options, calls) = (&self.options, &self.calls);
        let person = RecordedPerson { env: env.clone(), calls: Arc::clone(calls) };
        let mut builder = Session::builder(env.clone(), self.catalogue.clone())
            .context(Context::new(cwd(&self.transcript)))
            .settings(self.settings.clone())
            .profile(options.profile)
            .siblings(options.siblings)
            .cap(options.cap)
            .hook(RecordedDenials { env: env.clone(), calls: Arc::clone(calls) })
            .bodies(RecordedBodies(Arc::clone(calls)))
            .deferral(Deferral::standard())
            .files(NoFiles)
            .store(NoStore);
        if let Some(says) = options.racer {
            builder = builder.hook(Racer { says, person: person.clone() });
        }
        let builder = builder.prompter(person);
        match options.mode {
            ModeChoice::Fixed(mode) => builder.mode(mode).build(),
            ModeChoice::Recorded => builder.mode(Mode::Default).build(),
            ModeChoice::Settings => builder.build(),
        }
    }
}

async fn run_turns(env: Env, session: Arc<Session>, transcript: Arc<Transcript>, options: Options) {
    let model = RecordedModel::new(env.clone(), Arc::clone(&transcript), options.arrivals);
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
    let (own, session) = (env.clone(), Arc::downgrade(session));
    env.spawn(TaskName { kind: "abort", index: abort.turn }, async move {
        wait.await;
        own.point(Object::Stop, Access::Write).await;
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

fn cwd(transcript: &Transcript) -> &str {
    transcript.header.cwd.as_deref().filter(|cwd| cwd.starts_with('/')).unwrap_or("/recorded")
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
