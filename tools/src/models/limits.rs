//! How much of an answer is taken, how long it is waited for, and how often it is asked for again.

use std::time::Duration;

/// The largest event of an answer.
pub const EVENT_BYTES_MAX: usize = 16 << 20;
/// The largest answer, all of its bytes counted.
pub const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The most blocks that an answer may have.
pub const BLOCKS_MAX: usize = 4_096;
/// How much is read of a response that is no answer.
pub(super) const ERROR_BYTES_MAX: usize = 64 << 10;
/// How many characters of what a provider says about an error are kept.
pub(super) const ERROR_CHARS_MAX: usize = 2_000;

/// How long each part of a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the response begins: connecting, sending, and the first byte of its head.
    pub response: Duration,
    /// Between two lines of the answer. Providers send a sign of life at least every minute.
    pub idle: Duration,
    /// All of it, further attempts and the waits before them included.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            response: Duration::from_secs(120),
            idle: Duration::from_secs(180),
            total: Duration::from_secs(3_600),
        }
    }
}

/// How often a request is sent again that failed before the answer began, and how long is waited before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often a request is sent at the most, the first time included.
    pub attempts_max: u32,
    /// The wait before the second attempt. Each later one is twice as long; of each, a random part of up to a half is
    /// left out, so that those who failed together do not come back together.
    pub wait_first: Duration,
    /// The longest wait that we choose ourselves.
    pub wait_max: Duration,
    /// The longest wait that a provider may choose for us. Where it asks for more, the error is final.
    pub retry_after_max: Duration,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry {
            attempts_max: 6,
            wait_first: Duration::from_millis(500),
            wait_max: Duration::from_secs(32),
            retry_after_max: Duration::from_secs(120),
        }
    }
}

impl Retry {
    /// One attempt and no more.
    #[must_use]
    pub fn never() -> Retry {
        Retry { attempts_max: 1, ..Retry::default() }
    }

    /// The wait behind this many failed attempts, of which `chance` (all of `u64`) picks the random part.
    pub(super) fn wait(&self, failed: u32, chance: u64) -> Duration {
        let doubled = 2_u32.saturating_pow(failed.saturating_sub(1));
        let whole = self.wait_first.saturating_mul(doubled).min(self.wait_max);
        let half = u64::try_from(whole.as_nanos() / 2).unwrap_or(u64::MAX);
        let part = u64::try_from((u128::from(chance) * u128::from(half)) >> 64)
            .expect("a product of two u64, shifted by 64, fits");
        whole - Duration::from_nanos(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_lose_at_most_half() {
        let retry = Retry::default();
        for (failed, whole_ms) in
            [(1, 500), (2, 1_000), (3, 2_000), (7, 32_000), (40, 32_000), (u32::MAX, 32_000)]
        {
            let whole = Duration::from_millis(whole_ms);
            assert_eq!(retry.wait(failed, 0), whole, "{failed}");
            let shortest = retry.wait(failed, u64::MAX);
            assert!(shortest >= whole / 2 && shortest <= whole / 2 + Duration::from_nanos(1), "{failed}");
        }
    }
}
