//! CPU time of a thread, readable from any other.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use nix::unistd::gettid;

/// The CPU clock of one thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadClock(ClockId);

impl ThreadClock {
    /// The clock of the calling thread.
    pub(crate) fn of_this_thread() -> ThreadClock {
        // linux/posix-timers.h: a clock id holds the complement of the thread id above
        // three bits; 4 marks a thread's clock, 2 the scheduler's exact time.
        const PER_THREAD: i32 = 4;
        const SCHED: i32 = 2;
        let raw = (!gettid().as_raw()) << 3 | PER_THREAD | SCHED;
        ThreadClock(ClockId::from_raw(raw))
    }

    /// CPU time used so far; zero once the thread is gone.
    pub(crate) fn now(self) -> Duration {
        clock_gettime(self.0)
            .map(Duration::from)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn it_runs_with_work_and_stands_still_without() {
        let clock = ThreadClock::of_this_thread();
        let start = clock.now();
        let until = Instant::now() + Duration::from_millis(20);
        while Instant::now() < until {
            std::hint::black_box(0);
        }
        let worked = clock.now() - start;
        assert!(worked > Duration::from_millis(2), "{worked:?}");
        let seen_from_another_thread = std::thread::Builder::new()
            .spawn(move || clock.now())
            .unwrap()
            .join()
            .unwrap();
        assert!(seen_from_another_thread >= start + worked);
    }
}
