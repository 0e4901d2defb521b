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
use toolwright::message::{self, CallId, Message};
use toolwright::permission::{Behavior, Files, Mode, RealFiles};
use toolwright::pipeline::ResultStore;
use toolwright::registry::{Catalogue, Deferral};
use toolwright::session::{Groundwork, Session};
use toolwright::settings::{Settings, SettingsFiles, Trust};
use toolwright_tools::{MONITOR, PROACTIVE, REPL};

use super::conditions::Conditions;
use super::options::{Abort, ModeChoice, Options};
use super::person::{Racer, RecordedDenials, RecordedPerson};
use super::recorded::{Calls, RecordedBodies, RecordedModel, thinking};
use super::report::Report;
use super::stand_in::StandIn;
use crate::check;
use crate::engine::{Simulation, Stuck};
use crate::faults::{Fault, Faulty, FaultyClassifier, FaultyHook, FaultyStore, stop_later};
use crate::transcript::{Call, Transcript, Turn};

/// Tools that hang on a feature switch, and the switch.
const SWITCHED: &[(&str, &str)] = &[("Monitor", MONITOR), ("REPL", REPL), ("Sleep", PROACTIVE)];

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
    /// What no run has to make anew.
    groundwork: Groundwork,
}

impl Prepared {
    /// A transcript, the tools it is replayed with, and how; the seed of the options is of no account here.
    #[must_use]
    pub fn new(transcript: &Transcript, catalogue: &Catalogue, options: &Options) -> Prepared {
        let (catalogue, stand_ins) = with_stand_ins(catalogue, transcript);
        let settings = settings(cwd(transcript), options);
        let calls: Calls = Arc::new(transcript.calls().map(|call| known_here(call, &settings)).collect());
        Prepared {
            settings,
            transcript: Arc::new(transcript.clone()),
            catalogue,
            stand_ins,
            calls,
            options: options.clone(),
            groundwork: Groundwork::new(),
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

    /// The names of tools that the catalogue does not have: calls of these meet stand-ins.
    #[must_use]
    pub fn stand_ins(&self) -> &BTreeSet<String> {
        &self.stand_ins
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
        let faulty = Faulty::new(env.clone(), self.options.faults.clone());
        let session = Arc::new(self.session(&env, &faulty));
        faulty.is_of(&session);
        let turns = run_turns(env, session, Arc::clone(&self.transcript), self.options.clone(), faulty);
        let ended = simulation.run(turns);
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

    fn session(&self, env: &Env, faulty: &Arc<Faulty>) -> Session {
        let (options, calls) = (&self.options, &self.calls);
        let faulty = || Arc::clone(faulty);
        let person = RecordedPerson { env: env.clone(), calls: Arc::clone(calls), faulty: faulty() };
        let mut builder = Session::builder(env.clone(), self.catalogue.clone())
            .context(Context::new(cwd(&self.transcript)))
            .settings(self.settings.clone())
            .profile(options.profile)
            .siblings(options.siblings)
            .cap(options.cap)
            .hook(RecordedDenials { env: env.clone(), calls: Arc::clone(calls) })
            .bodies(RecordedBodies { calls: Arc::clone(calls), faulty: faulty() })
            .deferral(Deferral::standard())
            .groundwork(&self.groundwork)
            .files(NoFiles);
        builder = if options.faults.has(Fault::DiskFull) {
            builder.store(FaultyStore(faulty()))
        } else {
            builder.store(NoStore)
        };
        if FaultyHook::FAULTS.iter().any(|fault| options.faults.has(*fault)) {
            builder = builder.hook(FaultyHook(faulty()));
        }
        if options.faults.has(Fault::ClassifierFails) {
            builder = builder.classifier(FaultyClassifier(faulty()));
        }
        if let Some(says) = options.racer {
            builder = builder.hook(Racer { says, person: person.clone() });
        }
        for (tool, switch) in SWITCHED {
            // A recording with such a call is one of a session with the switch on.
            if calls.values().any(|call| call.name == *tool) {
                builder = builder.feature(*switch);
            }
        }
        let builder = builder.prompter(person);
        match options.mode {
            ModeChoice::Fixed(mode) => builder.mode(mode).build(),
            ModeChoice::Recorded => builder.mode(Mode::Default).build(),
            ModeChoice::Settings => builder.build(),
        }
    }
}

async fn run_turns(
    env: Env,
    session: Arc<Session>,
    transcript: Arc<Transcript>,
    options: Options,
    faulty: Arc<Faulty>,
) {
    let (own, given) = (env.clone(), Arc::clone(&transcript));
    let model = RecordedModel::new(own, given, options.arrivals, Arc::clone(&faulty));
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
        let stop = faulty.stops(lasting(turn));
        let stop = stop.map(|(how, after)| stop_later(&env, &session, how, thinking(turn) + after));
        // A recorded model always answers, unless the fault is that it does not: then the next turn waits until the
        // calls of the broken message have ended, and a last one has to.
        let is_broken = session.step(&model).await.is_err();
        if is_broken && index + 1 == transcript.turns.len() {
            session.run_turn(message::Turn::new(Vec::new())).await;
        }
        // A turn that ended first has escaped its abort, which must not hit the next one.
        abort.iter().chain(&stop).for_each(Handle::abort);
    }
}

/// How long the calls of a turn take one after another, and a little more.
fn lasting(turn: &Turn) -> Duration {
    let ms: u64 = turn.calls.iter().filter_map(|call| call.service_ms).fold(1, u64::saturating_add);
    Duration::from_millis(ms.min(1 << 40))
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

/// A call under its identifier. Where the rule that let it run is in force here too, the rule says so itself.
fn known_here(call: &Call, settings: &Settings) -> (String, Call) {
    let mut call = call.clone();
    let is_here = |rule: &str| {
        let mut rules = settings.rules.iter().map(|known| &known.rule);
        rules.any(|known| known.behavior == Behavior::Allow && known.text == rule)
    };
    call.allowed = call.allowed.filter(|allowed| !allowed.rule.as_deref().is_some_and(is_here));
    (call.id.clone(), call)
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
