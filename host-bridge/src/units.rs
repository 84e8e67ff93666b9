//! Spans of time in the whole units that the wire and the counters have.

use std::time::Duration;

/// Microseconds; what does not fit is the most that does.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Milliseconds; what does not fit is the most that does.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
