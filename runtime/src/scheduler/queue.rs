//! The threads behind the schedule: each waits on a bell of its own, and one thread wakes
//! when time makes something due, which is only while somebody waits.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use host_bridge::wait_until;

use super::schedule::Schedule;
use super::seat::{Nudge, Seat};
use super::standing::{Effects, Rules, SeatId};

/// A turn, while others wait. Short enough that 50 sessions on two cores each come up four
/// times a second, long enough that changing over is a part in a thousand.
const SLICE: Duration = Duration::from_millis(10);
/// A turn, while somebody waits that has hardly run.
const SHORT_SLICE: Duration = Duration::from_millis(4);
/// CPU time up to which a request goes first: some ten times what a small one takes.
const YOUNG: Duration = Duration::from_millis(10);
/// Longer than code that looks at all takes to the next look.
const PATIENCE: Duration = Duration::from_millis(5);

/// Gives turns to the session threads of an engine.
#[derive(Debug)]
pub(crate) struct RunQueue {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    inner: Mutex<Inner>,
    bell: Condvar,
}

#[derive(Debug)]
struct Inner {
    schedule: Schedule,
    threads: HashMap<SeatId, Arc<Thread>>,
    /// When the timing thread will look next.
    planned: Option<Instant>,
    stopped: bool,
}

/// What of a session's thread the queue reaches.
#[derive(Debug)]
pub(super) struct Thread {
    bell: Condvar,
    nudge: Nudge,
}

impl RunQueue {
    /// At most `slots` threads run at once. Starts the thread that ends turns.
    ///
    /// # Errors
    ///
    /// When the operating system refuses it.
    pub(crate) fn start(slots: usize) -> std::io::Result<RunQueue> {
        let rules = Rules {
            slots: slots.max(1),
            slice: SLICE,
            short_slice: SHORT_SLICE,
            young: YOUNG,
            patience: PATIENCE,
        };
        let shared = Arc::new(Shared {
            inner: Mutex::new(Inner {
                schedule: Schedule::new(rules),
                threads: HashMap::new(),
                planned: None,
                stopped: false,
            }),
            bell: Condvar::new(),
        });
        let seen = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("run-queue".into())
            .stack_size(256 * 1024)
            .spawn(move || seen.keep_time())?;
        Ok(RunQueue { shared })
    }

    /// A seat for a new session, whose thread `nudge` asks to give its turn away; it says
    /// whether it could.
    pub(crate) fn seat(&self, nudge: impl Fn() -> bool + Send + Sync + 'static) -> Arc<Seat> {
        let thread = Arc::new(Thread {
            bell: Condvar::new(),
            nudge: Nudge::new(nudge),
        });
        let mut inner = self.shared.lock();
        let id = inner.schedule.add(Instant::now());
        inner.threads.insert(id, Arc::clone(&thread));
        drop(inner);
        Arc::new(Seat::new(Arc::clone(&self.shared), id, thread))
    }
}

impl Drop for RunQueue {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.bell.notify_one();
    }
}

impl Thread {
    /// The thread is about to look: it may be asked again.
    pub(super) fn looks(&self) {
        self.nudge.taken();
    }
}

impl Shared {
    /// Waits for the turn of `id`. Says whether it had to.
    pub(super) fn acquire(&self, id: SeatId, thread: &Thread) -> bool {
        self.change_and_wait(id, thread, |schedule, now| Some(schedule.arrive(id, now)))
            .unwrap_or_default()
    }

    /// Gives the turn away if it was asked for, and waits for the next: says whether it had
    /// to. `None` when the turn goes on.
    pub(super) fn give_way(&self, id: SeatId, used: Duration, thread: &Thread) -> Option<bool> {
        self.change_and_wait(id, thread, |schedule, now| schedule.give_way(id, used, now))
    }

    /// Changes the schedule and carries out what follows.
    pub(super) fn change(&self, change: impl FnOnce(&mut Schedule, Instant) -> Effects) {
        let mut inner = self.lock();
        let effects = change(&mut inner.schedule, Instant::now());
        let nudged = self.carry_out(&mut inner, &effects);
        drop(inner);
        nudged.iter().for_each(|thread| thread.nudge.send());
    }

    pub(super) fn remove(&self, id: SeatId) {
        self.change(|schedule, now| schedule.remove(id, now));
        self.lock().threads.remove(&id);
    }

    fn change_and_wait(
        &self,
        id: SeatId,
        thread: &Thread,
        change: impl FnOnce(&mut Schedule, Instant) -> Option<Effects>,
    ) -> Option<bool> {
        let mut inner = self.lock();
        let effects = change(&mut inner.schedule, Instant::now())?;
        let nudged = self.carry_out(&mut inner, &effects);
        if !nudged.is_empty() {
            drop(inner);
            nudged.iter().for_each(|thread| thread.nudge.send());
            inner = self.lock();
        }
        let mut waited = false;
        while !inner.schedule.is_running(id) {
            waited = true;
            inner = thread
                .bell
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Some(waited)
    }

    /// Wakes whose turn it is, and the timing thread where it would wake too late. Returns
    /// who is to be nudged, which is done without the lock.
    fn carry_out(&self, inner: &mut Inner, effects: &Effects) -> Vec<Arc<Thread>> {
        for id in &effects.granted {
            if let Some(thread) = inner.threads.get(id) {
                thread.bell.notify_one();
            }
        }
        let due = inner.schedule.due();
        if let Some(due) = due
            && inner.planned.is_none_or(|planned| due < planned)
        {
            inner.planned = Some(due);
            self.bell.notify_one();
        }
        effects
            .nudged
            .iter()
            .filter_map(|id| inner.threads.get(id).cloned())
            .collect()
    }

    fn keep_time(&self) {
        let mut inner = self.lock();
        while !inner.stopped {
            let now = Instant::now();
            if inner.planned.is_some_and(|planned| planned <= now) {
                inner.planned = None;
                let effects = inner.schedule.tick(now);
                let nudged = self.carry_out(&mut inner, &effects);
                drop(inner);
                nudged.iter().for_each(|thread| thread.nudge.send());
                inner = self.lock();
                continue;
            }
            let planned = inner.planned;
            inner = wait_until(&self.bell, inner, planned);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nobody panics while holding the lock: the code under it only moves data.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
