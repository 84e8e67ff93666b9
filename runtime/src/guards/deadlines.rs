//! Things by when they are due: the next one is found, and any one removed, without looking
//! at the others.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

/// See the module's text.
#[derive(Debug)]
pub(super) struct DeadlineHeap<T> {
    by_due: BTreeSet<(Instant, u64)>,
    by_key: HashMap<u64, (Instant, T)>,
    last_key: u64,
}

impl<T> Default for DeadlineHeap<T> {
    fn default() -> DeadlineHeap<T> {
        DeadlineHeap {
            by_due: BTreeSet::new(),
            by_key: HashMap::new(),
            last_key: 0,
        }
    }
}

impl<T: Clone> DeadlineHeap<T> {
    /// Adds one. The key names it from now on, and never another.
    pub(super) fn insert(&mut self, due: Instant, one: T) -> u64 {
        self.last_key = self.last_key.wrapping_add(1);
        self.by_due.insert((due, self.last_key));
        self.by_key.insert(self.last_key, (due, one));
        self.last_key
    }

    /// Takes one out, if it is still in.
    pub(super) fn remove(&mut self, key: u64) {
        if let Some((due, _)) = self.by_key.remove(&key) {
            self.by_due.remove(&(due, key));
        }
    }

    /// Makes one due at another time and replaces it, if it is still in.
    pub(super) fn put_off(&mut self, key: u64, due: Instant, one: T) {
        if let Some(known) = self.by_key.get_mut(&key) {
            self.by_due.remove(&(known.0, key));
            self.by_due.insert((due, key));
            *known = (due, one);
        }
    }

    /// The first, if it is due at `now`.
    pub(super) fn first_due(&self, now: Instant) -> Option<(u64, T)> {
        let (due, key) = self.by_due.first()?;
        let (_, one) = self.by_key.get(key)?;
        (*due <= now).then(|| (*key, one.clone()))
    }

    /// When the first is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_due.first().map(|(due, _)| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_first_is_found_whatever_was_removed_or_put_off() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let mut heap = DeadlineHeap::default();
        let (a, b, c) = (
            heap.insert(at(3), 'a'),
            heap.insert(at(1), 'b'),
            heap.insert(at(2), 'c'),
        );
        assert_eq!(heap.first_due(at(0)), None);
        assert_eq!(heap.first_due(at(1)), Some((b, 'b')));
        heap.put_off(b, at(5), 'B');
        heap.remove(c);
        heap.remove(c);
        assert_eq!(heap.next_due(), Some(at(3)));
        heap.remove(a);
        heap.put_off(a, at(0), 'A');
        assert_eq!(heap.first_due(at(9)), Some((b, 'B')));
        heap.remove(b);
        assert_eq!(heap.next_due(), None);
    }
}
