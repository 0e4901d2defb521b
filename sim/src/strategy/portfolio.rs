//! Several ways by turns, told from the seed alone: what one misses, another finds.

use super::way::Way;

/// The way of a seed in a mixed exploration: of ten seeds four sample partial orders, three are random, and three go by
/// priorities, at a depth of 2, 3 and 4.
#[must_use]
pub fn portfolio(seed: u64) -> Way {
    match seed % 10 {
        0..4 => Way::Pos { seed },
        4..7 => Way::Random { seed },
        7 => Way::Pct { depth: 2, seed },
        8 => Way::Pct { depth: 3, seed },
        _nine => Way::Pct { depth: 4, seed },
    }
}
