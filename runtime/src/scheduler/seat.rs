//! What one session's thread has of the run queue.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{AcqRel, Release},
};
use std::time::{Duration, Instant};

use host_bridge::{Turn, TurnGuard, take_turns};

use super::queue::{Shared, Thread};
use super::standing::{Effects, SeatId};
use crate::guards::ThreadClock;

/// A turn shorter than this is counted by the clock on the wall, which costs no system call.
const EXACT_FROM: Duration = Duration::from_millis(1);

thread_local! {
    /// The sitter of this session thread. A callback of V8 and a loss name no session.
    static SITTER: RefCell<Option<Rc<Sitter>>> = const { RefCell::new(None) };
}

/// A session's place in the run queue, for any thread.
pub(crate) struct Seat {
    shared: Arc<Shared>,
    id: SeatId,
    thread: Arc<Thread>,
}

/// Asks a thread for its turn; once until it has looked.
pub(super) struct Nudge {
    pending: AtomicBool,
    send: Box<dyn Fn() -> bool + Send + Sync>,
}

/// The session thread's end of a seat.
struct Sitter {
    seat: Arc<Seat>,
    clock: ThreadClock,
    turn: Cell<Option<Begun>>,
}

/// When a turn began.
#[derive(Debug, Clone, Copy)]
struct Begun {
    at: Instant,
    /// Only known where others wait.
    cpu: Option<Duration>,
}

/// While it lives, the thread that made it takes turns.
pub(crate) struct Sitting {
    sitter: Rc<Sitter>,
    _turns: TurnGuard,
}

impl Seat {
    pub(super) fn new(shared: Arc<Shared>, id: SeatId, thread: Arc<Thread>) -> Seat {
        Seat { shared, id, thread }
    }

    /// Session thread, first of all: from now on it takes turns, and it waits for the first.
    pub(crate) fn sit(self: &Arc<Seat>) -> Sitting {
        let sitter = Rc::new(Sitter {
            seat: Arc::clone(self),
            clock: ThreadClock::of_this_thread(),
            turn: Cell::new(None),
        });
        SITTER.set(Some(Rc::clone(&sitter)));
        let turns = take_turns(Rc::clone(&sitter) as Rc<dyn Turn>);
        sitter.acquire();
        Sitting {
            sitter,
            _turns: turns,
        }
    }

    /// Session thread: a request of the host begins, and what ran before is forgotten.
    pub(crate) fn renew(&self) {
        self.shared.change(|schedule, _| {
            schedule.renew(self.id);
            Effects::default()
        });
    }

    /// Session thread: a request is about to run. Waits for its turn.
    pub(crate) fn begin(&self) {
        if let Some(sitter) = sitter() {
            // Before there was an isolate, nobody could ask it for its turn.
            sitter.look();
            sitter.acquire();
        }
    }

    /// Any thread: what runs was stopped and waits for no turn any more.
    pub(crate) fn hurry(&self) {
        self.shared
            .change(|schedule, now| schedule.hurry(self.id, now));
    }

    /// Session thread: what was stopped has ended.
    pub(crate) fn calm(&self) {
        self.shared.change(|schedule, now| {
            schedule.calm(self.id, now);
            Effects::default()
        });
    }

    /// Any thread: the session's thread is parked for good, and takes no slot with it.
    pub(crate) fn forfeit(&self) {
        self.shared.remove(self.id);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.remove(self.id);
    }
}

impl Sitter {
    fn acquire(&self) {
        if self.turn.get().is_none() {
            let waited = self.seat.shared.acquire(self.seat.id, &self.seat.thread);
            self.begun(waited.then(|| self.clock.now()));
        }
    }

    fn release(&self) {
        let used = self.used();
        if self.turn.take().is_some() {
            let id = self.seat.id;
            self.seat
                .shared
                .change(|schedule, now| schedule.leave(id, used, now));
        }
    }

    /// At a check of V8's: gives the turn away if it was asked for.
    fn look(&self) {
        self.seat.thread.looks();
        if self.turn.get().is_none() {
            return;
        }
        let used = self.used();
        let (id, thread) = (self.seat.id, &self.seat.thread);
        if let Some(waited) = self.seat.shared.give_way(id, used, thread) {
            self.begun(waited.then(|| self.clock.now()));
        }
    }

    fn begun(&self, cpu: Option<Duration>) {
        self.turn.set(Some(Begun {
            at: Instant::now(),
            cpu,
        }));
    }

    fn used(&self) -> Duration {
        let Some(begun) = self.turn.get() else {
            return Duration::ZERO;
        };
        let elapsed = begun.at.elapsed();
        match begun.cpu {
            Some(cpu) if elapsed >= EXACT_FROM => self.clock.now().saturating_sub(cpu),
            _ => elapsed,
        }
    }
}

impl Turn for Sitter {
    fn give_up(&self) -> bool {
        let had = self.turn.get().is_some();
        self.release();
        had
    }

    fn take_back(&self) {
        self.acquire();
    }
}

impl Drop for Sitting {
    fn drop(&mut self) {
        self.sitter.release();
        SITTER.set(None);
    }
}

/// A thread that parks for good takes no slot with it.
pub(crate) fn leave_for_good() {
    if let Some(sitter) = sitter() {
        sitter.release();
    }
}

/// V8: `InterruptCallback`, on the session's thread. Runs nothing of V8's.
pub(crate) extern "C" fn at_check(_: v8::UnsafeRawIsolatePtr, _: *mut std::ffi::c_void) {
    if let Some(sitter) = sitter() {
        sitter.look();
    }
}

fn sitter() -> Option<Rc<Sitter>> {
    SITTER
        .try_with(|sitter| sitter.try_borrow().ok().and_then(|held| held.clone()))
        .ok()
        .flatten()
}

impl Nudge {
    pub(super) fn new(send: impl Fn() -> bool + Send + Sync + 'static) -> Nudge {
        Nudge {
            pending: AtomicBool::new(false),
            send: Box::new(send),
        }
    }

    pub(super) fn send(&self) {
        if !self.pending.swap(true, AcqRel) && !(self.send)() {
            self.taken();
        }
    }

    pub(super) fn taken(&self) {
        self.pending.store(false, Release);
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Nudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nudge")
    }
}

impl fmt::Debug for Sitting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sitting")
    }
}
