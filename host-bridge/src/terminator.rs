//! Stopping guest code: one door for the watchdog, the heap guard and the host.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{LimitReport, RequestId};

/// Stops that came before their request began are remembered up to this many.
/// A session queues at most this many requests, so none is forgotten.
const MAX_EARLY_STOPS: usize = 64;

/// Why guest code was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The host sent `Cancel`, or closes the session.
    Cancelled,
    /// A limit was reached.
    Limit(LimitReport),
    /// The guest asked to end the run itself (`process.exit`).
    Exit(i32),
}

/// Stops the request that is running now, and only that one.
///
/// Invariant: `interrupt` is called only while `slot` is locked and `running` is the
/// request being stopped. So once [`Terminator::finish`] has returned, no stop meant
/// for that request can reach the next one.
///
/// Invariant: the first reason wins; later ones are not recorded.
pub struct Terminator {
    slot: Mutex<Slot>,
    interrupt: Box<dyn Fn(RequestId) + Send + Sync>,
}

#[derive(Debug, Default)]
struct Slot {
    running: Option<RequestId>,
    verdict: Option<StopReason>,
    early: VecDeque<RequestId>,
    is_closed: bool,
    wake: Option<Wake>,
}

struct Wake(Box<dyn Fn() + Send>);

/// What is in front of a request that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nothing: it, or one before it, has begun.
    Begun,
    /// Perhaps something between requests; what of it runs was told to stop.
    Waiting,
    /// Something that was told to stop before and goes on.
    Stopping,
}

impl fmt::Debug for Wake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wake")
    }
}

/// While it lives, a stop wakes what [`Terminator::on_stop`] was given.
#[derive(Debug)]
#[must_use]
pub struct WakeGuard<'a>(&'a Terminator);

impl Drop for WakeGuard<'_> {
    fn drop(&mut self) {
        self.0.slot().wake = None;
    }
}

impl Terminator {
    /// `interrupt` makes the guest stop soon: it wakes a blocked host call and
    /// terminates JavaScript execution. It is told which request is to stop, and must not
    /// block.
    pub fn new(interrupt: impl Fn(RequestId) + Send + Sync + 'static) -> Terminator {
        Terminator {
            slot: Mutex::default(),
            interrupt: Box::new(interrupt),
        }
    }

    /// Session thread: `request` starts to run. A cancel that overtook it takes effect at once.
    pub fn begin(&self, request: RequestId) {
        let mut slot = self.slot();
        slot.running = Some(request);
        slot.verdict = None;
        let n_before = slot.early.len();
        slot.early.retain(|early| *early != request);
        if slot.early.len() != n_before || slot.is_closed {
            slot.verdict = Some(StopReason::Cancelled);
            self.interrupt(request, &slot);
        }
    }

    /// Session thread: the request is over. Says whether it was stopped, and why;
    /// on `Some` the caller owes the isolate a `cancel_terminate_execution`.
    pub fn finish(&self) -> Option<StopReason> {
        let mut slot = self.slot();
        slot.running = None;
        slot.verdict.take()
    }

    /// Session thread: the verdict so far, without ending the request.
    pub fn verdict(&self) -> Option<StopReason> {
        self.slot().verdict.clone()
    }

    /// Any thread: what runs, and why it was told to stop, if it was.
    pub fn running(&self) -> Option<(RequestId, Option<StopReason>)> {
        let slot = self.slot();
        Some((slot.running?, slot.verdict.clone()))
    }

    /// Session thread, before it waits for something of its own: `wake` is called when the
    /// running request is stopped, at once if it is already. It must not block, and not use
    /// this terminator.
    pub fn on_stop(&self, wake: impl Fn() + Send + 'static) -> WakeGuard<'_> {
        let mut slot = self.slot();
        if slot.verdict.is_some() {
            wake();
        }
        slot.wake = Some(Wake(Box::new(wake)));
        drop(slot);
        WakeGuard(self)
    }

    /// Any thread: stops `request` if it is the one running. A stop that comes too
    /// late returns `false` and does nothing.
    pub fn stop(&self, request: RequestId, reason: StopReason) -> bool {
        let mut slot = self.slot();
        if slot.running != Some(request) {
            return false;
        }
        slot.verdict.get_or_insert(reason);
        self.interrupt(request, &slot);
        true
    }

    /// Any thread: stops whatever is running, if anything is.
    pub fn stop_running(&self, reason: StopReason) -> bool {
        let mut slot = self.slot();
        let Some(request) = slot.running else {
            return false;
        };
        slot.verdict.get_or_insert(reason);
        self.interrupt(request, &slot);
        true
    }

    /// Any thread: stops whatever is running, and from now on whatever begins. The session
    /// is ending, and nothing of its guest goes on in between.
    pub fn close(&self) {
        self.slot().is_closed = true;
        self.stop_running(StopReason::Cancelled);
    }

    /// Any thread: stops what runs between requests, which are all `background`, because a
    /// request waits.
    pub fn make_way(&self, background: RequestId, reason: StopReason) -> Way {
        let mut slot = self.slot();
        match slot.running {
            None => return Way::Waiting,
            Some(running) if running != background => return Way::Begun,
            Some(_) if slot.verdict.is_some() => return Way::Stopping,
            Some(_) => {}
        }
        slot.verdict = Some(reason);
        self.interrupt(background, &slot);
        Way::Waiting
    }

    /// Any thread: cancels `request`, which is running or still queued.
    pub fn cancel(&self, request: RequestId) {
        if self.stop(request, StopReason::Cancelled) {
            return;
        }
        let mut slot = self.slot();
        if slot.early.len() >= MAX_EARLY_STOPS {
            slot.early.pop_front();
        }
        slot.early.push_back(request);
    }

    fn interrupt(&self, request: RequestId, slot: &Slot) {
        (self.interrupt)(request);
        if let Some(Wake(wake)) = &slot.wake {
            wake();
        }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        // A panic while the lock is held leaves plain data: nothing is torn.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminator")
            .field("slot", &self.slot)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::LimitKind;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    fn counting() -> (Terminator, Arc<AtomicUsize>) {
        let n_interrupts = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&n_interrupts);
        let terminator = Terminator::new(move |_| {
            seen.fetch_add(1, SeqCst);
        });
        (terminator, n_interrupts)
    }

    fn cpu() -> StopReason {
        StopReason::Limit(LimitReport::new(LimitKind::Cpu, 1, 2))
    }

    #[test]
    fn first_reason_wins() {
        let (terminator, n_interrupts) = counting();
        terminator.begin(RequestId::new(1));
        assert!(terminator.stop(RequestId::new(1), cpu()));
        assert!(terminator.stop(RequestId::new(1), StopReason::Cancelled));
        let running = (RequestId::new(1), Some(cpu()));
        assert_eq!(terminator.running(), Some(running));
        assert_eq!(terminator.finish(), Some(cpu()));
        assert_eq!(terminator.running(), None);
        assert_eq!(n_interrupts.load(SeqCst), 2);
    }

    #[test]
    fn late_stop_never_reaches_the_next_request() {
        let (terminator, n_interrupts) = counting();
        terminator.begin(RequestId::new(1));
        assert_eq!(terminator.finish(), None);
        terminator.begin(RequestId::new(2));
        assert!(!terminator.stop(RequestId::new(1), StopReason::Cancelled));
        assert_eq!(terminator.finish(), None);
        assert_eq!(n_interrupts.load(SeqCst), 0);
    }

    #[test]
    fn a_cancel_that_overtakes_its_request_stops_it_when_it_begins() {
        let (terminator, n_interrupts) = counting();
        terminator.cancel(RequestId::new(2));
        terminator.begin(RequestId::new(1));
        assert_eq!(terminator.finish(), None);
        terminator.begin(RequestId::new(2));
        assert_eq!(n_interrupts.load(SeqCst), 1);
        assert_eq!(terminator.finish(), Some(StopReason::Cancelled));
        terminator.begin(RequestId::new(2));
        assert_eq!(terminator.finish(), None);
    }

    #[test]
    fn a_stop_wakes_what_waits_and_nothing_later() {
        let (terminator, _) = counting();
        let n_wakes = Arc::new(AtomicUsize::new(0));
        let wake = || {
            let seen = Arc::clone(&n_wakes);
            move || {
                seen.fetch_add(1, SeqCst);
            }
        };
        terminator.begin(RequestId::new(1));
        let guard = terminator.on_stop(wake());
        assert_eq!(n_wakes.load(SeqCst), 0);
        terminator.cancel(RequestId::new(1));
        assert_eq!(n_wakes.load(SeqCst), 1);
        drop(guard);
        terminator.stop_running(StopReason::Cancelled);
        assert_eq!(n_wakes.load(SeqCst), 1);
        drop(terminator.on_stop(wake()));
        assert_eq!(n_wakes.load(SeqCst), 2);
    }

    #[test]
    fn what_begins_after_the_close_is_stopped() {
        let (terminator, n_interrupts) = counting();
        terminator.begin(RequestId::new(1));
        terminator.close();
        assert_eq!(terminator.finish(), Some(StopReason::Cancelled));
        terminator.begin(RequestId::NONE);
        assert_eq!(terminator.finish(), Some(StopReason::Cancelled));
        assert_eq!(n_interrupts.load(SeqCst), 2);
    }

    #[test]
    fn only_what_is_no_request_makes_way() {
        let (terminator, n_interrupts) = counting();
        let way = || terminator.make_way(RequestId::NONE, cpu());
        assert_eq!(way(), Way::Waiting);
        terminator.begin(RequestId::NONE);
        assert_eq!(way(), Way::Waiting);
        assert_eq!(way(), Way::Stopping);
        assert_eq!(terminator.finish(), Some(cpu()));
        assert_eq!(way(), Way::Waiting);
        terminator.begin(RequestId::new(1));
        assert_eq!(way(), Way::Begun);
        assert_eq!(terminator.finish(), None);
        assert_eq!(n_interrupts.load(SeqCst), 1);
    }

    #[test]
    fn early_cancels_are_bounded() {
        let (terminator, _) = counting();
        for id in 0..1000 {
            terminator.cancel(RequestId::new(id));
        }
        assert_eq!(terminator.slot().early.len(), MAX_EARLY_STOPS);
    }
}
