//! The memory that all heaps of the process share. With compressed pointers every heap lies
//! in one cage of 4 GiB; when it is full, V8 ends the process from whatever thread asks for
//! more, its own workers too. So the sum of the heaps is kept well below: past
//! [`MAX_HEAPS`], a session that collects garbage and holds more than its equal part is
//! stopped. One that holds less is never stopped for what others hold.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What the heaps of a process may hold together. Measured: eight sessions with 441 MiB
/// each, 3.4 GiB, work; the ninth ends the process. The rest is for what grows between two
/// collections, and for the room that a session gets to unwind.
pub(crate) const MAX_HEAPS: usize = 3 << 30;

/// All heaps of this process.
static ALL: Cage = Cage::new(MAX_HEAPS);

#[derive(Debug)]
struct Cage {
    limit: usize,
    held: AtomicUsize,
    n_shares: AtomicUsize,
}

/// What one heap holds of the cage.
#[derive(Debug)]
pub(crate) struct Share {
    cage: &'static Cage,
    held: AtomicUsize,
}

impl Cage {
    const fn new(limit: usize) -> Cage {
        Cage {
            limit,
            held: AtomicUsize::new(0),
            n_shares: AtomicUsize::new(0),
        }
    }

    fn share(&'static self) -> Share {
        self.n_shares.fetch_add(1, Relaxed);
        Share {
            cage: self,
            held: AtomicUsize::new(0),
        }
    }
}

impl Share {
    /// That of a new heap.
    pub(crate) fn new() -> Share {
        ALL.share()
    }

    /// The heap holds so much now. Says what it might hold when it holds too much.
    pub(crate) fn set(&self, held: usize) -> Option<usize> {
        let before = self.held.swap(held, Relaxed);
        let all = match held.checked_sub(before) {
            Some(more) => self.cage.held.fetch_add(more, Relaxed).saturating_add(more),
            None => {
                let less = before.saturating_sub(held);
                self.cage.held.fetch_sub(less, Relaxed).saturating_sub(less)
            }
        };
        let n_shares = self.cage.n_shares.load(Relaxed);
        let equal_part = self.cage.limit.checked_div(n_shares).unwrap_or_default();
        (all > self.cage.limit && held > equal_part).then_some(equal_part)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.cage.held.fetch_sub(self.held.load(Relaxed), Relaxed);
        self.cage.n_shares.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_holds_more_than_its_part_of_a_full_cage_holds_too_much() {
        static CAGE: Cage = Cage::new(100);
        let [a, b, c] = [CAGE.share(), CAGE.share(), CAGE.share()];
        assert_eq!(a.set(98), None, "the others hold nothing");
        assert_eq!(b.set(2), None, "just full");
        assert_eq!(c.set(30), None, "too full, but it holds less than its part");
        assert_eq!(b.set(33), None);
        assert_eq!(b.set(34), Some(33));
        assert_eq!(a.set(98), Some(33));
        drop(a);
        assert_eq!(b.set(60), None);
        assert_eq!(CAGE.held.load(Relaxed), 90);
    }
}
