//! This project's tools: a session that takes each call through all of its steps.

use std::sync::Arc;

use tokio::runtime::Runtime;
use toolwright::contract::{Context, SessionFacts};
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::session::Session;

use crate::names::{ANSWER, CALLED, INPUT, names};

macro_rules! tools {
    ($($name:ident)*) => {
        $(
            /// Adds two numbers.
            #[tool(read_only, concurrency_safe)]
            struct $name {
                /// The one number.
                a: i64,
                /// The other number.
                b: i64,
            }

            impl Tool for $name {
                type Output = i64;

                fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                    Effects::none()
                }

                async fn call(&self, _cx: &Cx<'_, Self>) -> Result<i64, ToolError> {
                    Ok(self.a + self.b)
                }
            }
        )*

        const ADDS: &[fn(&mut Catalogue)] = &[$(|tools| _ = tools.add::<$name>()),*];
    };
}

names!(200, tools);

/// So many tools.
fn catalogue(tools: usize) -> Catalogue {
    let mut catalogue = Catalogue::new();
    ADDS[..tools].iter().for_each(|add| add(&mut catalogue));
    catalogue
}

/// A session with so many tools.
pub struct Ours {
    session: Session,
    pool: Arc<Pool>,
    ids: Vec<Arc<str>>,
}

impl Ours {
    /// On this executor, and ready for turns of so many calls.
    pub fn new(runtime: &Runtime, tools: usize, calls: usize) -> Ours {
        let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
        let session = Session::builder(env, catalogue(tools)).context(Context::new("/")).build();
        let pool = session.pool();
        let ids = (0..calls).map(|index| Arc::from(format!("toolu_{index:04}"))).collect();
        Ours { session, pool, ids }
    }

    /// A turn, from the model's blocks to the blocks that go back.
    pub fn call(&self, runtime: &Runtime) -> usize {
        let calls = self.ids.iter().map(|id| ToolUse::new(Arc::clone(id), CALLED, INPUT)).collect();
        let results = runtime.block_on(self.session.run_turn(Turn::new(calls))).results;
        assert!(results.iter().all(|result| result.content.to_text() == ANSWER), "{results:?}");
        results.len()
    }

    /// The list of tools as it is sent, once more.
    pub fn list(&self) -> usize {
        self.pool.list().len()
    }
}

/// The list of tools as it is sent, from nothing.
pub fn first_list(tools: usize) -> usize {
    Pool::new(&catalogue(tools), &SessionFacts::default(), |_| true).list().len()
}
