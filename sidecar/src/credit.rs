//! How much a guest may have under way to the host: what it sends (host calls, results,
//! events) waits in its own thread until the host has read enough of what was sent before.
//!
//! `Output` is not counted here; it has an allowance of its own in the session's mailbox.
//!
//! Invariant: whatever guests do, their frames take at most [`MAX_IN_FLIGHT`] plus one
//! frame plus [`ALWAYS_ADMITTED`] a session. So no guest can fill the outbox, and what
//! does is the host's own doing.
//!
//! Invariant: what waits for room that all share gets it in the order in which it came, one
//! frame a session. So a large frame waits for one frame of each other session at most.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use host_bridge::Pause;

/// All sessions together, in bytes.
const MAX_IN_FLIGHT: usize = 32 * 1024 * 1024;
/// One session, in bytes. A single larger frame is let through alone.
const MAX_IN_SESSION: usize = 8 * 1024 * 1024;
/// Admitted whatever the others have under way, so that small calls of one session do not
/// wait for large ones of another.
const ALWAYS_ADMITTED: usize = 64 * 1024;
/// Events of one session that the router has not taken yet.
const MAX_EVENTS: usize = 256;

/// What all sessions share.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    inner: Mutex<PoolInner>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct PoolInner {
    in_flight: usize,
    n_waiting: usize,
    /// Who waits for room that all share.
    line: VecDeque<u64>,
    last_number: u64,
}

/// One session's share. Its numbers change only while the pool is locked.
#[derive(Debug)]
pub(crate) struct Credit {
    pool: Arc<Pool>,
    inner: Mutex<CreditInner>,
}

#[derive(Debug, Default)]
struct CreditInner {
    bytes: usize,
    events: usize,
    is_lifted: bool,
    is_waiting: bool,
}

/// Whether a session may have more under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Admission {
    Yes,
    /// When there is room in what all share, and nobody came earlier.
    WithTheOthers,
    No,
}

impl PoolInner {
    fn enter(&mut self) -> u64 {
        self.last_number = self.last_number.wrapping_add(1);
        self.line.push_back(self.last_number);
        self.last_number
    }
}

/// Bytes under way. Dropping it, when the host has them, gives them back.
#[derive(Debug)]
pub(crate) struct Ticket {
    credit: Arc<Credit>,
    bytes: usize,
}

/// One event on its way to the router. Dropping it, when it was handled, gives its place
/// back.
#[derive(Debug)]
pub(crate) struct Place {
    credit: Arc<Credit>,
}

impl Pool {
    /// A new session's share.
    pub(crate) fn credit(self: &Arc<Pool>) -> Arc<Credit> {
        Arc::new(Credit {
            pool: Arc::clone(self),
            inner: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, PoolInner> {
        // Only numbers are changed under the lock; a panic leaves nothing torn.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self, pool: MutexGuard<'_, PoolInner>) {
        let n_waiting = pool.n_waiting;
        drop(pool);
        if n_waiting > 0 {
            self.bell.notify_all();
        }
    }
}

impl Credit {
    /// Session thread: waits until an event with `bytes` may be sent.
    pub(crate) fn reserve(self: &Arc<Credit>, bytes: usize) -> (Ticket, Place) {
        let mut pause = Pause::new();
        let mut pool = self.pool.lock();
        let mut number = None;
        while !self.is_its_turn(bytes, &mut pool, &mut number) {
            pause.begin();
            self.lock().is_waiting = true;
            pool.n_waiting = pool.n_waiting.saturating_add(1);
            pool = self
                .pool
                .bell
                .wait(pool)
                .unwrap_or_else(PoisonError::into_inner);
            pool.n_waiting = pool.n_waiting.saturating_sub(1);
            self.lock().is_waiting = false;
        }
        pool.in_flight = pool.in_flight.saturating_add(bytes);
        let mut own = self.lock();
        own.bytes = own.bytes.saturating_add(bytes);
        own.events = own.events.saturating_add(1);
        drop(own);
        if let Some(number) = number {
            pool.line.retain(|other| *other != number);
            // There may be room for the next, too.
            self.pool.ring(pool);
        }
        let ticket = Ticket {
            credit: Arc::clone(self),
            bytes,
        };
        let place = Place {
            credit: Arc::clone(self),
        };
        (ticket, place)
    }

    /// Whether `bytes` are admitted now. Whoever has to wait for the others gets a number.
    fn is_its_turn(&self, bytes: usize, pool: &mut PoolInner, number: &mut Option<u64>) -> bool {
        match self.admits(bytes) {
            Admission::Yes => true,
            Admission::No => false,
            Admission::WithTheOthers => {
                let own = *number.get_or_insert_with(|| pool.enter());
                pool.in_flight < MAX_IN_FLIGHT && pool.line.front() == Some(&own)
            }
        }
    }

    /// Session thread: whether the router has handled all that was sent but for one event,
    /// which is in hand, and the session is not ending. Then that event may go directly.
    pub(crate) fn may_go_directly(&self) -> bool {
        let own = self.lock();
        own.events == 1 && !own.is_lifted
    }

    fn give_back(&self, events: usize, bytes: usize) {
        let mut shared = self.pool.lock();
        shared.in_flight = shared.in_flight.saturating_sub(bytes);
        let mut own = self.lock();
        own.bytes = own.bytes.saturating_sub(bytes);
        own.events = own.events.saturating_sub(events);
        drop(own);
        self.pool.ring(shared);
    }

    /// Lets everything through from now on: the session is ending, and its thread must not
    /// wait for the host any more.
    pub(crate) fn lift(&self) {
        let pool = self.pool.lock();
        self.lock().is_lifted = true;
        self.pool.ring(pool);
    }

    /// Whether the session's thread is waiting for the host to read.
    pub(crate) fn is_waiting(&self) -> bool {
        self.lock().is_waiting
    }

    fn admits(&self, bytes: usize) -> Admission {
        let own = self.lock();
        if own.is_lifted {
            return Admission::Yes;
        }
        let total = own.bytes.saturating_add(bytes);
        if own.events >= MAX_EVENTS {
            Admission::No
        } else if total <= ALWAYS_ADMITTED {
            Admission::Yes
        } else if own.bytes == 0 || total <= MAX_IN_SESSION {
            Admission::WithTheOthers
        } else {
            Admission::No
        }
    }

    fn lock(&self) -> MutexGuard<'_, CreditInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.credit.give_back(0, self.bytes);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.credit.give_back(1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(credit: &Credit, bytes: usize) -> bool {
        let mut pool = credit.pool.lock();
        let mut number = None;
        let admits = credit.is_its_turn(bytes, &mut pool, &mut number);
        pool.line.retain(|other| Some(*other) != number);
        admits
    }

    #[test]
    fn a_session_is_bounded_just_below_at_and_above() {
        let credit = Arc::new(Pool::default()).credit();
        let first = credit.reserve(MAX_IN_SESSION - 1);
        assert!(admits(&credit, 1));
        assert!(!admits(&credit, 2));
        drop(first);
        assert!(admits(&credit, MAX_IN_SESSION + 1), "alone");
    }

    #[test]
    fn small_frames_pass_while_the_pool_is_full() {
        let pool = Arc::new(Pool::default());
        let hog = pool.credit();
        let large = hog.reserve(MAX_IN_FLIGHT);
        let other = pool.credit();
        assert!(admits(&other, ALWAYS_ADMITTED));
        assert!(!admits(&other, ALWAYS_ADMITTED + 1));
        drop(large);
        assert!(admits(&other, ALWAYS_ADMITTED + 1));
    }

    #[test]
    fn room_that_is_shared_is_given_in_the_order_of_coming() {
        let pool = Arc::new(Pool::default());
        let large = pool.credit().reserve(MAX_IN_FLIGHT);
        let (order, done) = std::sync::mpsc::sync_channel(8);
        let mut threads = Vec::new();
        for name in 0..8 {
            let (credit, order) = (pool.credit(), order.clone());
            let waiting = Arc::clone(&credit);
            let thread = std::thread::Builder::new().spawn(move || {
                let reserved = credit.reserve(MAX_IN_FLIGHT);
                order.send(name).unwrap();
                drop(reserved);
            });
            threads.push(thread.unwrap());
            while !waiting.is_waiting() {
                std::thread::yield_now();
            }
        }
        drop(large);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert_eq!(
            done.try_iter().collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        assert!(pool.lock().line.is_empty());
    }

    #[test]
    fn events_are_bounded_until_they_are_handled() {
        let credit = Arc::new(Pool::default()).credit();
        let reserved = (0..MAX_EVENTS).map(|_| credit.reserve(1));
        let (tickets, mut places): (Vec<_>, Vec<_>) = reserved.unzip();
        assert!(!admits(&credit, 1));
        places.pop();
        assert!(admits(&credit, 1));
        drop((tickets, places));
        let own = credit.lock();
        assert_eq!((own.bytes, own.events), (0, 0));
    }

    #[test]
    fn only_the_first_event_of_a_living_session_goes_directly() {
        let credit = Arc::new(Pool::default()).credit();
        let (_first, first_place) = credit.reserve(1);
        assert!(credit.may_go_directly());
        let (_second, _place) = credit.reserve(1);
        assert!(!credit.may_go_directly());
        drop(first_place);
        assert!(credit.may_go_directly());
        credit.lift();
        assert!(!credit.may_go_directly());
    }

    #[test]
    fn a_waiting_thread_is_woken_by_room_and_by_lifting() {
        let pool = Arc::new(Pool::default());
        for lift in [false, true] {
            let credit = pool.credit();
            let ticket = credit.reserve(MAX_IN_SESSION);
            let waiting = Arc::clone(&credit);
            let thread = std::thread::Builder::new()
                .spawn(move || drop(waiting.reserve(MAX_IN_SESSION)))
                .unwrap();
            while !credit.is_waiting() {
                std::thread::yield_now();
            }
            if lift {
                credit.lift();
            }
            if !lift {
                drop(ticket);
            }
            thread.join().unwrap();
        }
    }
}
