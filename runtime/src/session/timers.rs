//! Timers of one session: ids chosen by the realm, ordered by when they are due.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Whether a timer keeps a run alive. Node's docs, "timeout.unref()".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It does.
    Referenced,
    /// It does not.
    Unreferenced,
}

/// Timers that are set.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    by_due: BTreeSet<(Instant, u64, u32)>,
    by_id: HashMap<u32, Timer>,
    /// Orders timers that are due at the same instant as they were set.
    next_order: u64,
}

#[derive(Debug, Clone, Copy)]
struct Timer {
    due: Instant,
    order: u64,
    hold: Hold,
}

impl Timers {
    /// Sets timer `id`, replacing one of the same id.
    pub(crate) fn set(&mut self, id: u32, delay: Duration, hold: Hold) {
        self.clear_one(id);
        let now = Instant::now();
        let due = now.checked_add(delay).unwrap_or(now);
        let order = self.next_order;
        self.next_order = self.next_order.wrapping_add(1);
        let timer = Timer { due, order, hold };
        self.by_id.insert(id, timer);
        self.by_due.insert((due, order, id));
    }

    /// Unsets timer `id`, if it is set.
    pub(crate) fn clear_one(&mut self, id: u32) {
        if let Some(timer) = self.by_id.remove(&id) {
            self.by_due.remove(&(timer.due, timer.order, id));
        }
    }

    /// Makes timer `id` keep a run alive, or not.
    pub(crate) fn reference(&mut self, id: u32, hold: Hold) {
        if let Some(timer) = self.by_id.get_mut(&id) {
            timer.hold = hold;
        }
    }

    /// Unsets all.
    pub(crate) fn clear(&mut self) {
        self.by_due.clear();
        self.by_id.clear();
    }

    /// How many are set.
    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether one is set that keeps a run alive.
    pub(crate) fn has_referenced(&self) -> bool {
        self.by_id
            .values()
            .any(|timer| timer.hold == Hold::Referenced)
    }

    /// When the next one is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.by_due.first().map(|(due, _, _)| *due)
    }

    /// Takes the next timer that was due at `now`.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<u32> {
        let (due, _, id) = *self.by_due.first()?;
        if due > now {
            return None;
        }
        self.clear_one(id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_timers_come_in_order_and_once() {
        let mut timers = Timers::default();
        timers.set(1, Duration::ZERO, Hold::Referenced);
        timers.set(2, Duration::ZERO, Hold::Referenced);
        timers.set(3, Duration::from_secs(60), Hold::Unreferenced);
        timers.set(1, Duration::ZERO, Hold::Referenced);
        let now = Instant::now();
        let mut got = Vec::new();
        while let Some(id) = timers.take_due(now) {
            got.push(id);
        }
        assert_eq!(got, [2, 1]);
        assert!(!timers.has_referenced());
        assert_eq!(timers.len(), 1);
    }
}
