//! Bodies that fail in place of the tools of a session that a developer builds.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::pipeline::{Body, BodyResult, BodySource, Stand};

use super::kind::Fault;
use super::strike::{Faulty, HUGE_CHARS, panics};

/// Puts a body that fails in the place of a tool where a fault strikes; every other tool runs itself.
pub(crate) struct FaultyBodies(pub(crate) Arc<Faulty>);

impl FaultyBodies {
    /// The faults for which it must be there.
    pub(crate) const FAULTS: [Fault; 5] =
        [Fault::ToolFails, Fault::ToolPanics, Fault::ToolHangs, Fault::ToolHuge, Fault::McpDisconnects];
}

impl BodySource for FaultyBodies {
    fn stand(&self, call: &ToolUse) -> Stand {
        let is_remote = call.name.starts_with("mcp__");
        let may = |fault: &&Fault| is_remote || **fault != Fault::McpDisconnects;
        let fault = FaultyBodies::FAULTS.iter().filter(may).copied().find(|fault| self.0.strikes(*fault));
        match fault {
            Some(fault) => Stand::Body(Arc::new(FailingBody { faulty: Arc::clone(&self.0), fault })),
            None => Stand::Tool,
        }
    }
}

struct FailingBody {
    faulty: Arc<Faulty>,
    fault: Fault,
}

/// How long a body works before it fails.
const WORK: Duration = Duration::from_millis(10);

#[async_trait]
impl Body for FailingBody {
    async fn run(&self, _env: &Env) -> BodyResult {
        self.faulty.env().sleep(WORK).await;
        match self.fault {
            Fault::ToolPanics => panics("a tool panicked as it was told"),
            Fault::ToolHangs => {
                self.faulty.hang().await;
                BodyResult { content: "it hung".into(), is_error: true }
            }
            Fault::ToolHuge => BodyResult { content: "x".repeat(HUGE_CHARS).into(), is_error: false },
            Fault::McpDisconnects => {
                BodyResult { content: "the server closed the connection".into(), is_error: true }
            }
            other => BodyResult { content: format!("{other}, as it was told").into(), is_error: true },
        }
    }
}
