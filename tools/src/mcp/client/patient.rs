//! The streams of a program that may be slow to start.
//!
//! Which era a server is of is asked first, for a while only; one that starts late answers that question after it was
//! asked the next one. Its answer is then nobody's, and dropped here: else it would be taken for a fault.

use std::io;

use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{ChildStdin, ChildStdout};

pub(super) struct Patient {
    streams: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
    /// The question of which era the server is of.
    probe: Option<RequestId>,
    /// Whether that question was given up.
    is_given_up: bool,
}

impl Patient {
    pub(super) fn new(output: ChildStdout, input: ChildStdin) -> Patient {
        Patient { streams: AsyncRwTransport::new(output, input), probe: None, is_given_up: false }
    }

    /// Whether nobody waits for this message any more.
    fn is_late(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.is_given_up && id.is_some() && id == self.probe.as_ref()
    }
}

impl Transport<RoleClient> for Patient {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.is_given_up = true,
                _other => {}
            }
        }
        self.streams.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.streams.receive().await?;
            if !self.is_late(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.streams.close().await
    }
}
