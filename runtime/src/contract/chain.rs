//! Which agents a call is within.

use crate::message::CallId;

/// The agents that a call is within, the outermost first; none for a call of the main agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryChain(Vec<ChainLink>);

/// One agent of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// The agent.
    pub agent: String,
    /// The call that started it, where a call did.
    pub call: Option<CallId>,
}

impl QueryChain {
    pub(super) const fn none() -> QueryChain {
        QueryChain(Vec::new())
    }

    /// How deep it is: how many agents there are around the call.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// The agent whose call it is; nothing for the main agent.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.0.last().map(|link| link.agent.as_str())
    }

    /// The call that started the agent whose call it is.
    #[must_use]
    pub fn parent_call(&self) -> Option<&CallId> {
        self.0.last()?.call.as_ref()
    }

    /// The agents, the outermost first.
    #[must_use]
    pub fn links(&self) -> &[ChainLink] {
        &self.0
    }

    /// The chain within one more agent.
    pub(crate) fn within(&self, agent: String, call: Option<CallId>) -> QueryChain {
        let mut links = self.0.clone();
        links.push(ChainLink { agent, call });
        QueryChain(links)
    }
}
