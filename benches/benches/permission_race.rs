//! What a permission question costs: one call through the whole pipeline, decided by a rule, by an instant person, by
//! an instant hook, and by both at once. What the question itself costs is the difference to the first.

use std::sync::Arc;

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::classifier::{Assessment, Classified, Classifier, ClassifierError};
use toolwright::permission::{Behavior, Mode, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright_benches::yes::Yes;

/// Runs a command.
#[tool(name = "Bash")]
struct Probe {
    /// The command.
    command: String,
}

impl Tool for Probe {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        let words = self.command.split_whitespace().map(str::to_owned).collect();
        Effects::one(Effect::Command { text: self.command.clone(), words, read_only: false })
    }

    fn classifier_input(&self) -> Option<String> {
        Some(self.command.clone())
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

/// Says yes where it decides, and elsewhere that somebody should look.
struct Careful;

#[async_trait]
impl Classifier for Careful {
    async fn classify(&self, call: &Classified) -> Result<Assessment, ClassifierError> {
        // It says nothing that decides outside `auto`.
        Ok(if call.mode == Mode::Auto { Assessment::Allow } else { Assessment::Ask("look".to_owned()) })
    }
}

fn session(runtime: &Runtime, build: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Arc<Session> {
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    let mut catalogue = Catalogue::new();
    catalogue.add::<Probe>();
    Arc::new(build(Session::builder(env, catalogue)).build())
}

fn permission_race(criterion: &mut Criterion) {
    let mut building = tokio::runtime::Builder::new_current_thread();
    let runtime = building.enable_time().build().expect("a runtime with a clock builds");
    let mut group = criterion.benchmark_group("permission_race");
    let allowed =
        |builder: SessionBuilder| builder.rule(Behavior::Allow, Source::UserSettings, "Bash(make *)");
    let cases = [
        ("rules decide", session(&runtime, allowed)),
        ("person", session(&runtime, |builder| builder.prompter(Yes))),
        ("hook", session(&runtime, |builder| builder.hook(Yes))),
        ("hook and person", session(&runtime, |builder| builder.hook(Yes).prompter(Yes))),
        ("person and classifier", session(&runtime, |builder| builder.classifier(Careful).prompter(Yes))),
        ("nobody is there", session(&runtime, |builder| builder)),
    ];
    for (name, session) in cases {
        let is_denied = name == "nobody is there";
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let turn = Turn::new(vec![ToolUse::new("call", "Bash", r#"{"command":"make all"}"#)]);
                let outcome = runtime.block_on(session.run_turn(turn));
                assert_eq!(outcome.results[0].is_error, is_denied);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, permission_race);
criterion_main!(benches);
