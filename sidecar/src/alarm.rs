//! When the router must look at its deadlines again: one instant, however many sessions.
//!
//! It only ever moves nearer between two looks, so that a request costs no timer: the
//! deadline of the next one is nearly always later. A look at the alarm finds the true
//! next deadline; with no request running there is none, and nothing wakes.

use std::time::Instant;

/// See the module's text.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    at: Option<Instant>,
}

impl Alarm {
    /// Something is due at `at`.
    pub(crate) fn no_later_than(&mut self, at: Instant) {
        self.at = Some(self.at.map_or(at, |set| set.min(at)));
    }

    /// Whether it is time to look. If so, the alarm is off until it is set anew.
    pub(crate) fn ring(&mut self, now: Instant) -> bool {
        let is_due = self.at.is_some_and(|at| at <= now);
        if is_due {
            self.at = None;
        }
        is_due
    }

    /// When it will be time to look.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moves_nearer_only_and_rings_once() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut alarm = Alarm::default();
        assert!(!alarm.ring(now));
        alarm.no_later_than(later);
        alarm.no_later_than(later + Duration::from_secs(1));
        assert_eq!(alarm.at(), Some(later));
        assert!(!alarm.ring(now));
        assert!(alarm.ring(later));
        assert!(!alarm.ring(later));
    }
}
