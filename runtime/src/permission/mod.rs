//! Whether a call may run.

mod mode;
mod permit;

pub use self::mode::Mode;
pub use self::permit::Permit;
