//! The time after a module has been evaluated for a snapshot, when what it began comes to rest.

use std::time::{Duration, Instant};

use host_bridge::{Received, Wants};
use protocol::{JsError, RequestId};

use super::Runner;

impl Runner<'_> {
    /// Runs what is left to do until nothing is, or for so long: then timers may still be
    /// open. What a callback throws ends it.
    pub(crate) fn settle_down(&mut self, within: Duration) -> Result<(), Box<JsError>> {
        let begun = Instant::now();
        let end = begun.checked_add(within);
        let (thrown, _) = self.bounded(RequestId::NONE, |runner| {
            while runner.is_busy() && begun.elapsed() < within {
                let state = runner.realm.state();
                let due = [state.next_due(), end].into_iter().flatten().min();
                let received = state.links.mailbox.wait(Wants::Progress, due);
                if matches!(received, Received::Interrupted) {
                    break;
                }
                if let Some(error) = runner.progress(received) {
                    return Err(error);
                }
            }
            Ok(())
        });
        thrown
    }

    /// Whether something is left that keeps a drained run alive.
    pub(super) fn is_busy(&mut self) -> bool {
        let state = self.realm.state();
        state.timers.borrow().has_referenced()
            || !state.pending.borrow().is_empty()
            || state.links.mailbox.has_work()
            || self.realm.isolate().has_pending_background_tasks()
    }
}
