//! Examples that stand under the problems of an input: the smallest that fits, or one of the author's, with what is wrong
//! shown right.

mod mended;
mod minimal;
mod shapes;
mod shown;
mod wrong;

pub(super) use self::shown::{BYTES_MAX, Shown, shown};
