//! rmcp: a router that is kept, and the handler as its macro writes it by default, which makes the router for each request.
#![expect(non_snake_case, reason = "functions are named as the tools are everywhere")]

use rmcp::handler::server::ServerHandler;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ContentBlock, JsonObject, RequestId};
use rmcp::service::{Peer, RequestContext, serve_directly};
use rmcp::{RoleServer, tool, tool_handler, tool_router};
use serde::Deserialize;
use tokio::runtime::Runtime;

use crate::names::{ANSWER, CALLED, INPUT, names};

/// What each tool takes.
#[derive(Deserialize, schemars::JsonSchema)]
struct Add {
    /// The one number.
    a: i64,
    /// The other number.
    b: i64,
}

macro_rules! service {
    ($service:ident $($name:ident)*) => {
        /// A server of so many tools.
        #[derive(Clone, Default)]
        pub struct $service;

        #[tool_router]
        impl $service {
            $(
                #[tool(description = "Adds two numbers.")]
                async fn $name(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
                    (a + b).to_string()
                }
            )*
        }

        #[tool_handler]
        impl ServerHandler for $service {}

        impl Service for $service {
            fn router() -> ToolRouter<$service> {
                Self::tool_router()
            }
        }
    };
}

names!(2, service, Two);
names!(40, service, Forty);
names!(200, service, TwoHundred);

/// A server whose router can be made.
pub trait Service: ServerHandler + Default {
    /// The router, made anew.
    fn router() -> ToolRouter<Self>;
}

/// A service, its router, and a client that never says anything.
pub struct Rmcp<S> {
    service: S,
    router: ToolRouter<S>,
    peer: Peer<RoleServer>,
    calls: usize,
}

impl<S: Service> Rmcp<S> {
    /// Ready for batches of so many calls.
    pub fn new(runtime: &Runtime, calls: usize) -> Rmcp<S> {
        let _entered = runtime.enter();
        let (here, _there) = tokio::io::duplex(64);
        let running = serve_directly::<RoleServer, _, _, _, _>(S::default(), here, None);
        Rmcp { service: S::default(), router: S::router(), peer: running.peer().clone(), calls }
    }

    fn request() -> CallToolRequestParams {
        let arguments: JsonObject = serde_json::from_str(INPUT).expect("it is an object");
        CallToolRequestParams::new(CALLED).with_arguments(arguments)
    }

    fn context(&self) -> RequestContext<RoleServer> {
        RequestContext::new(RequestId::Number(1), self.peer.clone())
    }

    /// Calls through the router that is kept.
    pub fn call(&self, runtime: &Runtime) -> usize {
        let one = || self.router.call(ToolCallContext::new(&self.service, Self::request(), self.context()));
        let results = runtime.block_on(futures_util::future::join_all((0..self.calls).map(|_| one())));
        results.into_iter().map(|result| checked(&result.expect("it is answered"))).sum()
    }

    /// Calls through the handler as the macro writes it.
    pub fn call_by_default(&self, runtime: &Runtime) -> usize {
        let one = || self.service.call_tool(Self::request(), self.context());
        let results = runtime.block_on(futures_util::future::join_all((0..self.calls).map(|_| one())));
        results.into_iter().map(|result| checked(&result.expect("it is answered"))).sum()
    }

    /// The list from the router that is kept, as it is sent.
    pub fn list(&self) -> usize {
        serde_json::to_string(&self.router.list_all()).expect("it serialises").len()
    }

    /// The list by default, as it is sent: the router is made for it.
    pub fn list_by_default(&self, runtime: &Runtime) -> usize {
        let listed = runtime.block_on(self.service.list_tools(None, self.context())).expect("it is answered");
        serde_json::to_string(&listed.tools).expect("it serialises").len()
    }
}

/// The list from nothing.
pub fn first_list<S: Service>() -> usize {
    serde_json::to_string(&S::router().list_all()).expect("it serialises").len()
}

/// Counts an answer, which is the right one.
fn checked(response: &CallToolResponse) -> usize {
    let CallToolResponse::Complete(result) = response else { panic!("it asks: {response:?}") };
    let text = result.content.first().and_then(ContentBlock::as_text).map(|text| text.text.as_str());
    assert_eq!(text, Some(ANSWER));
    1
}
