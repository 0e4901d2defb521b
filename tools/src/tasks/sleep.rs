//! `Sleep`: waits, until there is news.

use std::pin::pin;
use std::time::Duration;

use serde::Serialize;
use toolwright::env::Either;
use toolwright::prelude::*;

/// How long it waits at the most, in seconds.
const SECONDS_MAX: f64 = 3_600.0;

/// Waits for a while, and ends early when there is news: a task in the background has ended, or a monitor has seen
/// something. The person can end it at any time. It holds no process and no shell: use it in place of `sleep` in Bash, when
/// there is nothing else to do.
#[tool(
    read_only,
    default_permission = allow,
    should_defer,
    interrupt = cancel,
    search_hint = "wait, pause or do nothing for a while",
    examples = [r#"{"seconds": 0.05}"#, r#"{"seconds": 0.1}"#, r#"{"seconds": 1}"#]
)]
pub struct Sleep {
    /// How many seconds to wait, 3,600 at the most; parts of a second count.
    seconds: f64,
}

/// How long it was waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SleepOutput {
    /// The milliseconds.
    pub slept_ms: u64,
    /// Whether it ended early, since there was news.
    pub woken: bool,
}

impl Tool for Sleep {
    type Output = SleepOutput;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.seconds > 0.0 && self.seconds <= SECONDS_MAX {
            return Ok(());
        }
        Err(InvalidInput::new(format!(
            "`seconds` is {}: give more than 0 and at most {SECONDS_MAX}, and sleep again if that is not enough",
            self.seconds
        )))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<SleepOutput, ToolError> {
        let began = cx.env().now();
        let mut over = pin!(cx.sleep(Duration::from_secs_f64(self.seconds.clamp(0.0, SECONDS_MAX))));
        let mut news = pin!(async {
            match cx.ties() {
                Some(ties) => ties.noted().await,
                None => std::future::pending().await,
            }
        });
        let woken = match cx.env().race("sleep", &mut over, &mut news).await {
            Either::Left(()) => false,
            Either::Right(()) => true,
        };
        let slept_ms = u64::try_from(cx.env().now().since(began).as_millis()).unwrap_or(u64::MAX);
        Ok(SleepOutput { slept_ms, woken })
    }

    fn result_content(data: &SleepOutput) -> Content {
        let slept = format!("slept {} ms", data.slept_ms);
        if data.woken { format!("{slept}, and was woken: there is news").into() } else { slept.into() }
    }

    fn description(&self) -> String {
        format!("sleep {} seconds", self.seconds)
    }
}
