//! Sessions that share what begins alike are the same as sessions that share nothing.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::event::Stamped;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{
    Answer, Behavior, Destination, Files, Grant, Profile, Prompter, Question, RuleText, Source,
};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Groundwork, Session, SessionBuilder};
use toolwright_sim::engine::Simulation;
use toolwright_sim::explore::{Scene, Subject};
use toolwright_sim::replay::Conditions;

/// Writes a file.
#[tool(concurrency_safe = false)]
struct Put {
    /// Where.
    path: PathBuf,
    /// How many lines.
    lines: u32,
}

impl Tool for Put {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Write(self.path.clone()))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("{} lines", self.lines))
    }
}

/// Links, which somebody may change between two sessions.
#[derive(Clone, Default)]
struct Links(Arc<Mutex<BTreeMap<PathBuf, PathBuf>>>);

impl Files for Links {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let links = self.0.lock().expect("nobody panics");
        let link = links.iter().find_map(|(from, to)| Some(to.join(path.strip_prefix(from).ok()?)));
        Ok(link.unwrap_or_else(|| path.to_path_buf()))
    }
}

/// Says yes, and always to the like.
struct Generous;

#[async_trait]
impl Prompter for Generous {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        let grant = Grant {
            behavior: Behavior::Allow,
            rule: "Edit(//granted/**)".to_owned(),
            destination: Destination::Session,
        };
        Some(Answer::Always { input: None, grants: vec![grant] })
    }
}

/// Rules of every kind of trouble: broken ones, ones that name nothing, ones that a higher source lifts.
fn rules() -> Vec<RuleText> {
    let rule = |behavior, source, text: &str| RuleText::new(behavior, source, text);
    vec![
        rule(Behavior::Deny, Source::UserSettings, "Edit(//closed/**)"),
        rule(Behavior::Allow, Source::Session, "Edit(//closed/but/**)"),
        rule(Behavior::Ask, Source::UserSettings, "Edit(//asked/**)"),
        rule(Behavior::Allow, Source::UserSettings, "Edit(notes.md)"),
        rule(Behavior::Deny, Source::ProjectSettings, "Putt(x)"),
        rule(Behavior::Ask, Source::ProjectSettings, "Glob(a)(b)"),
        rule(Behavior::Allow, Source::UserSettings, "Bash"),
    ]
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Put>();
    catalogue
}

fn builder(env: Env, catalogue: Catalogue, links: &Links) -> SessionBuilder {
    Session::builder(env, catalogue)
        .context(Context::new("/work"))
        .rules(rules())
        .files(links.clone())
        .prompter(Generous)
}

/// One of each: denied, lifted, asked, granted before, allowed by its place, mended, and no input at all.
fn turns() -> Vec<Turn> {
    let inputs = [
        r#"{"path":"/closed/x","lines":1}"#,
        r#"{"path":"/closed/but/x","lines":1}"#,
        r#"{"path":"/granted/x","lines":1}"#,
        r#"{"path":"/granted/y","lines":1}"#,
        r#"{"path":"/asked/x","lines":1}"#,
        r#"{"path":"/work/notes.md","lines":"12"}"#,
        r#"{"lines":true}"#,
    ];
    let call = |(index, input): (usize, &&str)| ToolUse::new(format!("c{index}"), "Put", *input);
    vec![Turn::new(inputs.iter().enumerate().map(call).collect())]
}

fn scene() -> Scene {
    let catalogue = catalogue();
    Scene::turns("alike", turns(), move |env| builder(env, catalogue.clone(), &Links::default()))
}

fn events(scene: &Scene, seed: u64) -> Vec<Stamped> {
    let ran = scene.run(&Simulation::new(Some(seed)), &Conditions::default());
    assert_eq!(ran.ended, Ok(()));
    ran.events
}

#[test]
fn a_run_is_the_same_however_many_were_before_it() {
    let shared = scene();
    for seed in [0, 1, 2, 1, 0] {
        let (again, alone) = (events(&shared, seed), events(&scene(), seed));
        assert_eq!(again, alone, "seed {seed}");
    }
}

/// What a session says of its rules, and what becomes of one call in it.
fn session(groundwork: Option<&Groundwork>, change: impl FnOnce(SessionBuilder) -> SessionBuilder) -> String {
    let simulation = Simulation::new(None);
    let mut builder = change(builder(simulation.env(), catalogue(), &Links::default()));
    if let Some(groundwork) = groundwork {
        builder = builder.groundwork(groundwork);
    }
    let session = Arc::new(builder.build());
    let problems = format!("{:?} {:?}", session.rule_problems(), session.settings_problems());
    let outcome = simulation.run(async move {
        let mut results = Vec::new();
        for turn in turns() {
            results.extend(session.run_turn(turn).await.results);
        }
        results
    });
    format!("{problems} {outcome:?}")
}

#[test]
fn a_session_that_begins_otherwise_takes_nothing_that_is_not_its_own() {
    type Change = fn(SessionBuilder) -> SessionBuilder;
    let home = |builder: SessionBuilder| {
        builder.context(Context { home: Some("/home/me".into()), ..Context::new("/work") })
    };
    let linked = |builder: SessionBuilder| {
        let links = Links::default();
        links.0.lock().expect("nobody panics").insert("/granted".into(), "/closed".into());
        links.0.lock().expect("nobody panics").insert("/asked".into(), "/elsewhere".into());
        builder.files(links)
    };
    let changes: Vec<(&str, Change)> = vec![
        ("the same", |builder| builder),
        ("the same again", |builder| builder),
        ("one rule more", |builder| builder.rule(Behavior::Deny, Source::CliArg, "Edit(//granted/y)")),
        ("another directory", |builder| builder.context(Context::new("/elsewhere"))),
        ("a home", home),
        ("the other profile", |builder| builder.profile(Profile::Current)),
        ("links", linked),
        ("no links", |builder| builder),
    ];
    let groundwork = Groundwork::new();
    let mut seen = Vec::new();
    for (name, change) in changes {
        let (shared, alone) = (session(Some(&groundwork), change), session(None, change));
        assert_eq!(shared, alone, "{name}");
        seen.push(alone);
    }
    assert_eq!((&seen[0], &seen[1], seen.last()), (&seen[1], &seen[0], seen.first()));
    assert!(seen[2] != seen[0] && seen[6] != seen[0], "rules and links count");
}
