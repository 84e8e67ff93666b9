//! One thread that stops requests when their time is up. It sleeps until the earliest
//! deadline; a CPU deadline is checked again when it could be due at the earliest.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use host_bridge::{StopReason, Terminator, millis, wait_until};
use protocol::{LimitKind, LimitReport, RequestId};

use super::ThreadClock;
use super::deadlines::DeadlineHeap;

/// A guest that is about to use up its CPU time and sleeps is looked at this often. It bounds
/// how late its limit is seen once it works again.
const MAX_RECHECK: Duration = Duration::from_millis(15);
/// The same for one that works: it uses no more than the time that passes.
const MIN_RECHECK: Duration = Duration::from_millis(1);

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
    armed: DeadlineHeap<Armed>,
    /// When the thread wakes by itself; `None` while it is awake or sleeps for good.
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
    cpu_seen: Duration,
    deadlines: Deadlines,
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
        let cpu = clock.now();
        let armed = Armed {
            terminator: Arc::clone(terminator),
            request,
            clock,
            started,
            cpu_started: cpu,
            cpu_seen: cpu,
            deadlines,
        };
        let due = later(started, deadlines.wall.min(deadlines.cpu));
        let mut inner = self.shared.lock();
        let key = inner.armed.insert(due, armed);
        let wake = inner.next_wake.is_none_or(|wake| due < wake);
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
        self.shared.lock().armed.remove(self.key);
    }
}

impl Shared {
    fn run(&self) {
        let mut inner = self.lock();
        while !inner.stopped {
            let now = Instant::now();
            let Some((key, mut armed)) = inner.armed.first_due(now) else {
                inner = self.sleep(inner);
                continue;
            };
            drop(inner);
            // Outside the lock: stopping takes the terminator's lock and wakes a thread.
            let next = armed.check();
            inner = self.lock();
            match next {
                Some(due) => inner.armed.put_off(key, due, armed),
                None => inner.armed.remove(key),
            }
        }
    }

    fn sleep<'a>(&self, mut inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        inner.next_wake = inner.armed.next_due();
        let wake = inner.next_wake;
        let mut inner = wait_until(&self.bell, inner, wake);
        inner.next_wake = None;
        inner
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Armed {
    /// Stops the request if its time is up; else says when to look again.
    fn check(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let wall = now.saturating_duration_since(self.started);
        if wall >= self.deadlines.wall {
            self.stop(LimitKind::Wall, self.deadlines.wall, wall);
            return None;
        }
        let cpu_now = self.clock.now();
        let cpu = cpu_now.saturating_sub(self.cpu_started);
        if cpu >= self.deadlines.cpu {
            self.stop(LimitKind::Cpu, self.deadlines.cpu, cpu);
            return None;
        }
        let least = match cpu_now.saturating_sub(self.cpu_seen) > MIN_RECHECK {
            true => MIN_RECHECK,
            false => MAX_RECHECK,
        };
        self.cpu_seen = cpu_now;
        let cpu_left = self.deadlines.cpu.saturating_sub(cpu).max(least);
        let wall_left = self.deadlines.wall.saturating_sub(wall);
        Some(later(now, cpu_left.min(wall_left)))
    }

    fn stop(&self, which: LimitKind, limit: Duration, usage: Duration) {
        let report = LimitReport::new(which, millis(limit), millis(usage));
        self.terminator
            .stop(self.request, StopReason::Limit(report));
    }
}

fn later(from: Instant, by: Duration) -> Instant {
    // A deadline beyond the clock's range is a day away and then checked again.
    from.checked_add(by)
        .or_else(|| from.checked_add(Duration::from_secs(86_400)))
        .unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, sync_channel};

    fn terminator() -> (Arc<Terminator>, Receiver<Instant>) {
        let (stopped, stops) = sync_channel(16);
        let terminator = Terminator::new(move |_| {
            let _ = stopped.try_send(Instant::now());
        });
        terminator.begin(RequestId::new(1));
        (Arc::new(terminator), stops)
    }

    fn deadlines(wall_ms: u64, cpu_ms: u64) -> Deadlines {
        Deadlines {
            wall: Duration::from_millis(wall_ms),
            cpu: Duration::from_millis(cpu_ms),
        }
    }

    fn limit(terminator: &Terminator) -> LimitKind {
        match terminator.finish() {
            Some(StopReason::Limit(report)) => report.which,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_wall_limit_is_met_among_thousands_that_are_not() {
        let watchdog = Watchdog::start().unwrap();
        let clock = ThreadClock::of_this_thread();
        let (calm, calm_stops) = terminator();
        let mut watches: Vec<Watch> = (0..5_000)
            .map(|i| {
                watchdog.watch(
                    RequestId::new(1),
                    &calm,
                    clock,
                    deadlines(60_000 + i, 90_000),
                )
            })
            .collect();
        let (late, stops) = terminator();
        watches.push(watchdog.watch(RequestId::new(1), &late, clock, deadlines(30, 90_000)));
        stops.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(limit(&late), LimitKind::Wall);
        drop(watches);
        assert!(calm_stops.try_recv().is_err());
        assert!(watchdog.shared.lock().armed.next_due().is_none());
    }

    #[test]
    fn the_cpu_limit_counts_work_and_not_sleep() {
        let watchdog = Watchdog::start().unwrap();
        let (guest, stops) = terminator();
        let clock = ThreadClock::of_this_thread();
        let _watch = watchdog.watch(RequestId::new(1), &guest, clock, deadlines(60_000, 40));
        // Nothing is used while this waits.
        assert!(stops.recv_timeout(Duration::from_millis(120)).is_err());
        let begun = clock.now();
        while stops.try_recv().is_err() {
            assert!(clock.now().saturating_sub(begun) < Duration::from_secs(10));
        }
        assert_eq!(limit(&guest), LimitKind::Cpu);
    }
}
