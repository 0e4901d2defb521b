//! Agents: calls that run a complete loop of their own, and what they share.
//!
//! An agent works in a session within the session of the call that starts it, and can do no more than that one: its
//! rules, hooks and person are the same, its tools and its mode narrower or the same. Only its last message comes back.
//! Where it asks for them it has servers of its own, and a working tree of its own in place of its parent's directories.

mod agent;
mod definition;
pub(crate) mod hold;
pub(crate) mod life;
mod load;
mod running;
mod send_message;
mod servers;
mod shared;
mod subset;
mod todos;
mod watched;
mod worktree;

pub use self::agent::{Agent, AgentOutput, Isolation, ModelName};
pub use self::definition::AgentDefinition;
pub(crate) use self::life::Life;
pub use self::life::Report;
pub use self::load::{AgentsFound, find_agents};
pub use self::running::{AgentStatus, Running};
pub use self::send_message::{SendMessage, SendMessageOutput};
pub use self::servers::AgentServer;
pub(crate) use self::shared::not_found;
pub use self::shared::{Agents, AgentsBuilder};
pub use self::todos::{Todo, TodoStatus, Todos};
pub use self::watched::AgentProgress;
