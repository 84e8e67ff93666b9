//! How long the sidecar waits for a host that has caused more than it reads.
//!
//! ```text
//!            more than max_unread waits                 nothing read for read_within
//!  Reading ─────────────────────────────> Not reading ─────────────────────────────> GoAway
//!     ^      frames of the host stay          │ ^  something was read
//!     │      in its pipe                      │ └──── the time begins anew
//!     └───────────────────────────────────────┘
//!                no more than max_unread waits
//! ```

use std::time::{Duration, Instant};

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Patience {
    max_unread: usize,
    read_within: Duration,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    n_written: u64,
    until: Instant,
}

impl Patience {
    pub(crate) fn new(max_unread: usize, read_within: Duration) -> Patience {
        Patience {
            max_unread,
            read_within,
            waiting: None,
        }
    }

    /// Whether so much waits that no further frame of the host is taken.
    pub(crate) fn is_too_much(&self, unread: usize) -> bool {
        unread > self.max_unread
    }

    /// Looks at what waits and how much the host has taken since the start. `true` when the
    /// host has not read in time.
    pub(crate) fn is_over(&mut self, unread: usize, n_written: u64, now: Instant) -> bool {
        if !self.is_too_much(unread) {
            self.waiting = None;
            return false;
        }
        match &self.waiting {
            Some(waiting) if waiting.n_written == n_written => waiting.until <= now,
            _ => {
                let until = now.checked_add(self.read_within).unwrap_or(now);
                self.waiting = Some(Waiting { n_written, until });
                false
            }
        }
    }

    /// When to look again even if nothing happens.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|waiting| waiting.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_secs(1);

    #[test]
    fn too_much_is_just_above_the_bound() {
        let patience = Patience::new(10, WITHIN);
        let verdicts = [9, 10, 11].map(|unread| patience.is_too_much(unread));
        assert_eq!(verdicts, [false, false, true]);
    }

    #[test]
    fn it_is_over_when_nothing_is_read_in_time() {
        let now = Instant::now();
        let mut patience = Patience::new(10, WITHIN);
        assert!(!patience.is_over(11, 5, now));
        assert_eq!(patience.deadline(), Some(now + WITHIN));
        let just_before = now + WITHIN - Duration::from_nanos(1);
        assert!(!patience.is_over(11, 5, just_before));
        assert!(patience.is_over(11, 5, now + WITHIN));
    }

    #[test]
    fn whatever_is_read_begins_the_time_anew() {
        let now = Instant::now();
        let mut patience = Patience::new(10, WITHIN);
        assert!(!patience.is_over(11, 5, now));
        assert!(!patience.is_over(11, 6, now + WITHIN));
        assert_eq!(patience.deadline(), Some(now + WITHIN + WITHIN));
        assert!(!patience.is_over(10, 6, now + WITHIN + WITHIN));
        assert_eq!(patience.deadline(), None);
    }
}
