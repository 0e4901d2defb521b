//! JSON text and what stands around it: reading it without losing anything, and what may be left out beforehand.

mod number;
mod order;
mod place;
mod read;
mod repair;
mod text;

pub(super) use self::number::{Decimal, decimal};
pub(super) use self::order::Order;
pub(super) use self::place::place;
pub(super) use self::read::{Commas, DEPTH_MAX, Fault, FaultKind, Rounded, read};
pub(super) use self::repair::{repaired, unwrapped};
