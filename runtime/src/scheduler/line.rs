//! Who waits for a turn, and who is next.

use std::collections::BTreeMap;
use std::time::Duration;

use super::standing::SeatId;

/// Grants in a row that may go past the one that has waited longest.
const MAX_PASSED: u8 = 8;

/// A place in the line. The order of the fields is the order of the turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Whether it is one of those that come second.
    pub(super) is_old: bool,
    /// CPU used by a young one, the share of an old one.
    pub(super) order: Duration,
    arrival: u64,
}

/// See the module's text. Bounded by the number of sessions.
#[derive(Debug, Default)]
pub(super) struct Line {
    by_turn: BTreeMap<Key, SeatId>,
    by_arrival: BTreeMap<u64, Key>,
    n_young: usize,
    last: u64,
    passed: u8,
}

impl Line {
    #[expect(clippy::fn_params_excessive_bools, reason = "it is a field of the key")]
    pub(super) fn push(&mut self, id: SeatId, is_old: bool, order: Duration) -> Key {
        self.last = self.last.wrapping_add(1);
        let key = Key {
            is_old,
            order,
            arrival: self.last,
        };
        self.by_turn.insert(key, id);
        self.by_arrival.insert(key.arrival, key);
        if !is_old {
            self.n_young = self.n_young.saturating_add(1);
        }
        key
    }

    pub(super) fn remove(&mut self, key: Key) {
        if self.by_turn.remove(&key).is_some() && !key.is_old {
            self.n_young = self.n_young.saturating_sub(1);
        }
        self.by_arrival.remove(&key.arrival);
    }

    /// The first in the order, or the one that has waited longest when it is its turn.
    pub(super) fn take_next(&mut self) -> Option<(Key, SeatId)> {
        let (first, _) = self.by_turn.first_key_value()?;
        let (_, oldest) = self.by_arrival.first_key_value()?;
        let key = match self.passed < MAX_PASSED {
            true => *first,
            false => *oldest,
        };
        self.passed = match key == *oldest {
            true => 0,
            false => self.passed.saturating_add(1),
        };
        let id = *self.by_turn.get(&key)?;
        self.remove(key);
        Some((key, id))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_turn.is_empty()
    }

    /// How many have hardly run.
    pub(super) fn n_young(&self) -> usize {
        self.n_young
    }
}
