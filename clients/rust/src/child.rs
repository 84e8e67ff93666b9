//! The process at the other end, if this side started it.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at a process whose standard output has closed: it is about to end.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// A child process that is waited for and, if need be, killed. Never anybody else's.
#[derive(Debug)]
pub(crate) struct OwnChild(Child);

impl OwnChild {
    pub(crate) fn new(child: Child) -> OwnChild {
        OwnChild(child)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// How it ended, if it ends by `deadline`.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = self.0.try_wait() {
                return Some(status);
            }
            if deadline <= Instant::now() {
                return None;
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends it for good.
    pub(crate) fn kill(&mut self) -> Option<ExitStatus> {
        // The error is that it has ended.
        let _ = self.0.kill();
        self.0.wait().ok()
    }
}
