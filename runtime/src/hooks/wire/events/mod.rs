//! What hooks are told at each moment, beside what they are told at all of them. The table of moments is in
//! [`stage`](crate::hooks::HookStage).

pub mod agents;
pub mod calls;
pub mod elicitation;
pub mod places;
pub mod session;
pub mod settings;
pub mod turns;
