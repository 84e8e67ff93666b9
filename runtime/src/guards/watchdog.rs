//! One thread that stops requests when their time is up. It sleeps until the earliest
//! deadline; a CPU deadline is checked again when it could be due at the earliest.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use host_bridge::{StopReason, Terminator};
use protocol::{LimitKind, LimitReport, RequestId};

use super::ThreadClock;

/// A CPU deadline that is nearer than this is checked after this long: a guest that sleeps
/// just below its limit must not make the watchdog spin.
const MIN_RECHECK: Duration = Duration::from_millis(5);

/// Time that one request may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadlines {
    /// Elapsed time.
    pub(crate) wall: Duration,
    /// CPU time of the session thread.
    pub(crate) cpu: Duration,
}

/// Stops requests whose time is up.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    inner: Mutex<Inner>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    next_key: u64,
    armed: HashMap<u64, Armed>,
    next_wake: Option<Instant>,
    stopped: bool,
}

#[derive(Debug, Clone)]
struct Armed {
    terminator: Arc<Terminator>,
    request: RequestId,
    clock: ThreadClock,
    started: Instant,
    cpu_started: Duration,
    deadlines: Deadlines,
    /// When to look next.
    due: Instant,
}

/// Keeps a request watched; dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct Watch {
    shared: Arc<Shared>,
    key: u64,
}

impl Watchdog {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the operating system refuses it.
    pub(crate) fn start() -> std::io::Result<Watchdog> {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("watchdog".into())
            .stack_size(256 * 1024)
            .spawn(move || seen.run())?;
        Ok(Watchdog { shared })
    }

    /// Watches `request`, which starts now on the thread of `clock`.
    pub(crate) fn watch(
        &self,
        request: RequestId,
        terminator: &Arc<Terminator>,
        clock: ThreadClock,
        deadlines: Deadlines,
    ) -> Watch {
        let started = Instant::now();
        let armed = Armed {
            terminator: Arc::clone(terminator),
            request,
            clock,
            started,
            cpu_started: clock.now(),
            deadlines,
            due: later(started, deadlines.wall.min(deadlines.cpu)),
        };
        let mut inner = self.shared.lock();
        inner.next_key = inner.next_key.wrapping_add(1);
        let key = inner.next_key;
        let wake = inner.next_wake.is_none_or(|wake| armed.due < wake);
        inner.armed.insert(key, armed);
        drop(inner);
        if wake {
            self.shared.bell.notify_one();
        }
        Watch {
            shared: Arc::clone(&self.shared),
            key,
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.bell.notify_one();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().armed.remove(&self.key);
    }
}

impl Shared {
    fn run(&self) {
        let mut inner = self.lock();
        while !inner.stopped {
            let now = Instant::now();
            let due: Vec<(u64, Armed)> = inner
                .armed
                .iter()
                .filter(|(_, armed)| armed.due <= now)
                .map(|(key, armed)| (*key, armed.clone()))
                .collect();
            if due.is_empty() {
                inner.next_wake = inner.armed.values().map(|armed| armed.due).min();
                inner = self.sleep(inner, now);
                continue;
            }
            drop(inner);
            // Outside the lock: stopping takes the terminator's lock and wakes a thread.
            let checked: Vec<(u64, Option<Instant>)> = due
                .iter()
                .map(|(key, armed)| (*key, armed.check()))
                .collect();
            inner = self.lock();
            for (key, next) in checked {
                match (next, inner.armed.get_mut(&key)) {
                    (Some(next), Some(armed)) => armed.due = next,
                    _ => drop(inner.armed.remove(&key)),
                }
            }
        }
    }

    fn sleep<'a>(&self, inner: MutexGuard<'a, Inner>, now: Instant) -> MutexGuard<'a, Inner> {
        match inner.next_wake {
            None => self
                .bell
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner),
            Some(wake) => {
                let timeout = wake.saturating_duration_since(now);
                self.bell
                    .wait_timeout(inner, timeout)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Armed {
    /// Stops the request if its time is up; else says when to look again.
    fn check(&self) -> Option<Instant> {
        let now = Instant::now();
        let wall = now.saturating_duration_since(self.started);
        if wall >= self.deadlines.wall {
            self.stop(LimitKind::Wall, self.deadlines.wall, wall);
            return None;
        }
        let cpu = self.clock.now().saturating_sub(self.cpu_started);
        if cpu >= self.deadlines.cpu {
            self.stop(LimitKind::Cpu, self.deadlines.cpu, cpu);
            return None;
        }
        let cpu_left = self.deadlines.cpu.saturating_sub(cpu).max(MIN_RECHECK);
        let wall_left = self.deadlines.wall.saturating_sub(wall);
        Some(later(now, cpu_left.min(wall_left)))
    }

    fn stop(&self, which: LimitKind, limit: Duration, usage: Duration) {
        let report = LimitReport::new(which, millis(limit), millis(usage));
        self.terminator
            .stop(self.request, StopReason::Limit(report));
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn later(from: Instant, by: Duration) -> Instant {
    // A deadline beyond the clock's range is a day away and then checked again.
    from.checked_add(by)
        .or_else(|| from.checked_add(Duration::from_secs(86_400)))
        .unwrap_or(from)
}
