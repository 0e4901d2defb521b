//! The streams of a program that may be slow to start, and of which era of the protocol it is.
//!
//! `rmcp` would ask for the era for a few seconds only and then begin in the older one, which a server of the newer one
//! that starts late refuses. So it is asked here first, with the patience that the server was given, and an answer that
//! comes too late is nobody's: taken for the answer to something else it would be a fault.

use std::io;
use std::time::Duration;

use rmcp::model::{
    ClientConfig, ClientRequest, DiscoverRequest, DiscoverRequestParams, JsonRpcMessage, JsonRpcRequest,
    ProtocolVersion, RequestId, RequestMetaObject, ServerResult,
};
use rmcp::service::{ClientLifecycleMode, RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{ChildStdin, ChildStdout};
use toolwright::env::Env;

use super::bounded::{Bounded, Fault};

/// The identifier of the question; `rmcp` numbers its own.
const ERA: &str = "era";

pub(super) struct Patient {
    streams: AsyncRwTransport<RoleClient, Bounded<ChildStdout>, ChildStdin>,
}

impl Patient {
    pub(super) fn new(output: ChildStdout, input: ChildStdin, fault: Fault) -> Patient {
        Patient { streams: AsyncRwTransport::new(Bounded::new(output, fault), input) }
    }

    /// How the server is to be spoken to. One that does not understand the question, or does not answer it in time, is of
    /// the older era; so is one that answers with something else.
    ///
    /// # Errors
    /// When the streams are closed.
    pub(super) async fn era(
        &mut self,
        env: &Env,
        patience: Duration,
        client: &ClientConfig,
    ) -> io::Result<ClientLifecycleMode> {
        let version = ProtocolVersion::LATEST;
        let meta = RequestMetaObject::with_client_context(
            version.clone(),
            client.client_info.clone(),
            client.capabilities.clone(),
        );
        let mut discover = DiscoverRequest::new(DiscoverRequestParams {});
        discover.extensions.insert(meta);
        let request = JsonRpcRequest::new(era(), ClientRequest::DiscoverRequest(discover));
        self.streams.send(JsonRpcMessage::Request(request)).await?;
        let answered = async {
            loop {
                match self.streams.receive().await {
                    None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                    Some(JsonRpcMessage::Response(response)) if response.id == era() => {
                        return Ok(matches!(response.result, ServerResult::DiscoverResult(_)));
                    }
                    Some(JsonRpcMessage::Error(_)) => return Ok(false),
                    Some(_other) => {}
                }
            }
        };
        let is_newer = env.timeout(patience, answered).await.unwrap_or(Ok(false))?;
        Ok(if is_newer {
            ClientLifecycleMode::Discover { preferred_versions: vec![version] }
        } else {
            ClientLifecycleMode::Initialize
        })
    }
}

fn era() -> RequestId {
    RequestId::String(ERA.into())
}

/// Whether a message answers the question of the era.
fn is_late(message: &RxJsonRpcMessage<RoleClient>) -> bool {
    let id = match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    };
    id == Some(&era())
}

impl Transport<RoleClient> for Patient {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.streams.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.streams.receive().await?;
            if !is_late(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.streams.close().await
    }
}
