//! What the tables are made of: one call before the gate by itself, and one call in a session.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;
use toolwright::contract::{Context, Effect, Effects, Flags, Form, Opinion};
use toolwright::env::Env;
use toolwright::event::{Decided, Event, Recorder};
use toolwright::message::{RawInput, ToolUse, Turn};
use toolwright::permission::{
    Answer, Behavior, HookSays, Mode, Profile, Prompter, Question, RuleProblem, RuleSet, Ruling, Source,
    Subject, Who, judge,
};
use toolwright::session::{Session, SessionBuilder};
use toolwright::settings::MemoryFiles;

use super::tools::catalogue;

pub(super) const PROFILES: [Profile; 2] = [Profile::V2_1_88, Profile::Current];

pub(super) const MODES: [Mode; 7] = [
    Mode::Default,
    Mode::Plan,
    Mode::AcceptEdits,
    Mode::BypassPermissions,
    Mode::DontAsk,
    Mode::Auto,
    Mode::Bubble,
];

/// Where all tables are set: a project, another directory, and a home.
pub(super) fn context(mode: Mode) -> Context {
    Context {
        mode,
        home: Some("/home/me".into()),
        additional_directories: vec!["/w/more".into()],
        ..Context::new("/w/p")
    }
}

/// Files of which nothing is known but where these links lead.
pub(super) fn with_links(links: &[(&str, &str)]) -> MemoryFiles {
    let files = MemoryFiles::default();
    links.iter().for_each(|(from, to)| files.link(from, to));
    files
}

/// One call before the gate, with everything that has a say in it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) context: Context,
    pub(super) profile: Profile,
    pub(super) has_person: bool,
    pub(super) rules: Vec<(Behavior, Source, &'static str)>,
    pub(super) hook: HookSays,
    pub(super) opinion: Opinion,
    pub(super) form: Form,
    pub(super) flags: Flags,
    pub(super) effects: Effects,
    pub(super) inputs: Vec<RawInput>,
    pub(super) links: MemoryFiles,
}

impl Case {
    /// A call of a tool that only does this, in the default mode, with a person there.
    pub(super) fn new(effect: Effect) -> Case {
        Case {
            context: context(Mode::Default),
            profile: Profile::V2_1_88,
            has_person: true,
            rules: Vec::new(),
            hook: HookSays::Nothing,
            opinion: Opinion::Pass,
            form: Form::closed(Cow::Borrowed("Some")),
            flags: Flags::default(),
            effects: Effects::one(effect),
            inputs: vec![RawInput::new("{}")],
            links: MemoryFiles::default(),
        }
    }

    pub(super) fn unknown(raw: &str) -> Case {
        let effects = Effects::Unknown { reason: "it was not understood".to_owned(), raw: raw.to_owned() };
        Case { effects, ..Case::new(Effect::Name("x".to_owned())) }
    }

    pub(super) fn mode(mut self, mode: Mode) -> Case {
        self.context.mode = mode;
        self
    }

    pub(super) fn rule(mut self, behavior: Behavior, source: Source, rule: &'static str) -> Case {
        self.rules.push((behavior, source, rule));
        self
    }

    pub(super) fn deny(self, rule: &'static str) -> Case {
        self.rule(Behavior::Deny, Source::UserSettings, rule)
    }

    pub(super) fn allow(self, rule: &'static str) -> Case {
        self.rule(Behavior::Allow, Source::UserSettings, rule)
    }

    /// The gate's answer, and what is wrong with the rules.
    pub(super) fn judge(&self) -> (Ruling, Vec<RuleProblem>) {
        let rules = self.rules.iter().copied();
        let (rules, problems) = RuleSet::new(rules, &self.context, &self.links);
        let subject = Subject::new(
            &self.form,
            self.flags,
            self.effects.clone(),
            &self.inputs,
            &self.context,
            &self.links,
        );
        (judge(&subject, &rules, self.profile, &self.hook, &self.opinion, self.has_person), problems)
    }

    /// The gate's answer in a word: `allow`, `deny`, or who may answer.
    pub(super) fn word(&self) -> &'static str {
        match self.judge().0 {
            Ruling::Decided(decision) if decision.verdict == toolwright::event::Verdict::Allow => "allow",
            Ruling::Decided(_) => "deny",
            Ruling::Ask(asking) => match asking.who {
                Who::Person => "person",
                Who::Anyone => "anyone",
                Who::Hooks => "hooks",
            },
        }
    }

    /// Who decided, or `ask`.
    pub(super) fn by(&self) -> String {
        match self.judge().0 {
            Ruling::Decided(decision) => decision.by.into_owned(),
            Ruling::Ask(_) => "ask".to_owned(),
        }
    }
}

pub(super) fn path(effect: fn(PathBuf) -> Effect, path: &str) -> Effect {
    effect(PathBuf::from(path))
}

pub(super) fn command(text: &str, read_only: bool) -> Effect {
    let words = text.split_whitespace().map(str::to_owned).collect();
    Effect::Command { text: text.to_owned(), words, read_only }
}

/// A person who says the same to every question, and remembers what was asked.
#[derive(Clone)]
pub(super) struct Person {
    answer: Option<Answer>,
    pub(super) asked: Arc<Mutex<Vec<Question>>>,
}

impl Person {
    pub(super) fn saying(answer: Answer) -> Person {
        Person { answer: Some(answer), asked: Arc::default() }
    }

    pub(super) fn yes() -> Person {
        Person::saying(Answer::Allow { input: None })
    }

    pub(super) fn no() -> Person {
        Person::saying(Answer::Deny { message: None })
    }

    pub(super) fn count(&self) -> usize {
        self.asked.lock().expect("nothing panics while it is held").len()
    }
}

#[async_trait]
impl Prompter for Person {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        self.asked.lock().expect("nothing panics while it is held").push(question.clone());
        self.answer.clone()
    }
}

/// A session whose events are kept.
pub(super) struct World {
    pub(super) session: Session,
    pub(super) recorder: Arc<Recorder>,
}

/// What became of one call.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) text: String,
    pub(super) is_error: bool,
    pub(super) events: Vec<Event>,
}

impl World {
    /// A session in the place of all tables, with what `build` adds.
    pub(super) fn new(build: impl FnOnce(SessionBuilder, &Env) -> SessionBuilder) -> World {
        let recorder = Arc::new(Recorder::default());
        let env = Env::tokio().expect("tests run on tokio").with_sink(recorder.clone());
        let builder = Session::builder(env.clone(), catalogue());
        let builder = builder.context(context(Mode::Default)).files(MemoryFiles::default());
        World { session: build(builder, &env).build(), recorder }
    }

    /// Runs one call to its result.
    pub(super) async fn call(&self, tool: &str, input: Value) -> Done {
        drop(self.recorder.take());
        let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
        let mut outcome = self.session.run_turn(turn).await;
        let result = outcome.results.pop().expect("each call has a result");
        let events = self.recorder.take().into_iter().map(|stamped| stamped.event).collect();
        Done { text: result.content.to_text(), is_error: result.is_error, events }
    }
}

impl Done {
    /// All decisions about it.
    pub(super) fn decided(&self) -> Vec<&Decided> {
        let decided = self.events.iter().filter_map(|event| match event {
            Event::Decided(decided) => Some(decided),
            _other => None,
        });
        decided.collect()
    }

    /// Whether its body began.
    pub(super) fn ran(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Started { .. }))
    }

    /// Whether somebody was asked.
    pub(super) fn asked(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Asked { .. }))
    }

    /// Whose answers came too late.
    pub(super) fn late(&self) -> Vec<&str> {
        let late = self.events.iter().filter_map(|event| match event {
            Event::LateAnswer { by, .. } => Some(by.as_str()),
            _other => None,
        });
        late.collect()
    }
}
