//! One call of one small tool with ever more around it, through a session, and the least that its steps cost by hand.

pub mod by_hand;

use std::hint::black_box;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use toolwright::env::Env;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse, PreToolUse};
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;

const INPUT: &str = r#"{"text":"hello","times":2}"#;

macro_rules! tools {
    ($($name:ident),* $(,)?) => {
        $(
            /// Says a text so many times.
            #[tool(read_only, concurrency_safe)]
            struct $name {
                /// What to say.
                text: String,
                /// How often.
                times: u64,
            }

            impl Tool for $name {
                type Output = String;

                fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                    Effects::one(Effect::Name(self.text.clone()))
                }

                async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
                    if self.times > 9 { Err(InvalidInput::new("too often")) } else { Ok(()) }
                }

                async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                    Ok(black_box(self.text.clone()))
                }
            }
        )*

        fn many() -> Catalogue {
            let mut catalogue = Catalogue::new();
            $(catalogue.add::<$name>();)*
            catalogue
        }

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

tools!(
    T01, T02, T03, T04, T05, T06, T07, T08, T09, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21,
    T22, T23, T24, T25, T26, T27, T28, T29, T30, T31, T32, T33, T34, T35, T36, T37, T38, T39, T40, T41, T42,
    T43, T44, T45
);

/// The tool that is called.
const CALLED: &str = "T23";

/// Ten rules; the last one allows the call.
const RULES: [(Behavior, &str); 10] = [
    (Behavior::Deny, "T01(bad)"),
    (Behavior::Deny, "T23(bad)"),
    (Behavior::Deny, "T23(worse)"),
    (Behavior::Ask, "T02(odd)"),
    (Behavior::Ask, "T23(odd)"),
    (Behavior::Allow, "T03"),
    (Behavior::Allow, "T04(x)"),
    (Behavior::Allow, "T05(y)"),
    (Behavior::Allow, "T23(other)"),
    (Behavior::Allow, "T23(hello)"),
];

/// A hook that has nothing to say, at these moments.
#[derive(Debug)]
pub struct Silent(pub &'static [HookStage]);

#[async_trait]
impl Hook for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn stages(&self) -> &[HookStage] {
        self.0
    }

    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        Ok(PreToolUse::default())
    }

    async fn post_tool_use(&self, _call: &HookCall, _output: &Value) -> Result<PostToolUse, HookError> {
        Ok(PostToolUse::default())
    }
}

/// What is around the call.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// 45 tools in place of one.
    pub tools: bool,
    /// Ten rules in place of one.
    pub rules: bool,
    /// A hook before.
    pub before: bool,
    /// A hook after.
    pub after: bool,
}

impl Around {
    /// Nothing but the call.
    pub const NOTHING: Around = Around { tools: false, rules: false, before: false, after: false };
    /// All that a call by hand has too.
    pub const ALL: Around = Around { tools: true, rules: true, before: true, after: true };
}

/// A session with this around each call.
#[must_use]
pub fn session(env: &Env, around: Around) -> Session {
    let mut one = Catalogue::new();
    one.add::<T23>();
    let mut builder = Session::builder(env.clone(), if around.tools { many() } else { one });
    if around.rules {
        for (behavior, rule) in RULES {
            builder = builder.rule(behavior, Source::Session, rule);
        }
    } else {
        builder = builder.rule(Behavior::Allow, Source::Session, CALLED);
    }
    if around.before {
        builder = builder.hook(Silent(&[HookStage::PreToolUse]));
    }
    if around.after {
        builder = builder.hook(Silent(&[HookStage::PostToolUse]));
    }
    builder.build()
}

/// The calls of a turn, as the model's message is read.
fn calls(ids: &[Arc<str>]) -> Vec<ToolUse> {
    ids.iter().map(|id| ToolUse::new(Arc::clone(id), CALLED, INPUT)).collect()
}

fn good(results: &[ToolResult]) -> usize {
    results.iter().filter(|result| !result.is_error).count()
}

/// The calls of a turn through a session; gives how many went well.
pub async fn through_session(session: &Session, ids: &[Arc<str>]) -> usize {
    good(&session.run_turn(Turn::new(calls(ids))).await.results)
}

/// The identifiers of so many calls.
#[must_use]
pub fn ids(size: usize) -> Vec<Arc<str>> {
    (0..size).map(|index| Arc::from(format!("toolu_{index:04}"))).collect()
}
