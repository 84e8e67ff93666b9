//! How threads share one connection without a thread of its own.
//!
//! ```text
//!   waits ──> nobody reads? ── yes ──> leads: one step (read, dispatch) ──┐
//!     ^            │ no                                                    │
//!     │            v                                                       │
//!     ├──── sleeps until its answer is there, or leading falls to it       │
//!     └────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Invariant: who takes the `inbox` out of the state leads, and puts it back before
//! anything else. Handlers of output and events are called while leading, for they must
//! keep the order; host functions are called after leading was given up, so that they may
//! take their time and make requests. A thread that waits for the same session runs them, if
//! there is one, and else the one that has read the call.
//!
//! Writes never block. What the pipe does not take stays in `outgoing`, and whoever leads
//! writes it while it reads: two sides that both write much cannot wait for each other.

mod dispatch;
mod inbox;
mod outgoing;
mod state;
mod turns;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use protocol::frame::Kind;
use protocol::{EncodeError, HostFrame, RequestId, SessionId, SidecarFrame};

pub(crate) use self::state::{Key, State};
use crate::child::OwnChild;
use crate::error::{Lost, LostCause, RequestError};
use crate::link::{Link, Ready, Writer};
use dispatch::Work;
use inbox::Inbox;
use turns::{HandlerGuard, Lead};

/// How long a sidecar that has closed its output, or whose input was closed, may take to
/// end.
pub(crate) const END_WITHIN: Duration = Duration::from_secs(2);

/// One connection. Shared by the sidecar, its sessions and their pending requests.
#[derive(Debug)]
pub(crate) struct Connection {
    link: Link,
    state: Mutex<State>,
    child: Mutex<Option<OwnChild>>,
    patience: Duration,
}

/// Why a wait ended without what was wanted.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    Deadline,
    End(Arc<Lost>),
    /// The thread itself holds up the reading.
    InHandler,
}

impl Connection {
    pub(crate) fn new(
        link: Link,
        writer: Writer,
        child: Option<OwnChild>,
        patience: Duration,
    ) -> Connection {
        Connection {
            link,
            state: Mutex::new(State::new(writer)),
            child: Mutex::new(child),
            patience,
        }
    }

    /// How long this side waits for what should come at once.
    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.child().as_ref().map(OwnChild::pid)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A handler that panics holds no lock; what is behind this one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and notes that its answer is awaited.
    pub(crate) fn request(
        self: &Arc<Connection>,
        session: SessionId,
        frame: &HostFrame,
    ) -> Result<Key, RequestError> {
        let deadline = self.deadline_in(self.patience);
        let room = self.wait(deadline, None, |state| {
            state.outgoing.has_room().then_some(())
        });
        match room {
            // In a handler the bound is exceeded by one frame.
            Ok(()) | Err(Stop::InHandler) => {}
            Err(Stop::Deadline) => return Err(RequestError::TimedOut(self.patience)),
            Err(Stop::End(lost)) => return Err(RequestError::SidecarLost(lost)),
        }
        let mut state = self.lock();
        let key = state.request(session, frame)?;
        self.ring_if_queued(&state);
        Ok(key)
    }

    /// Waits for the answer to a request. It is given out once.
    pub(crate) fn answer(
        self: &Arc<Connection>,
        key: Key,
        within: Duration,
    ) -> Result<SidecarFrame, RequestError> {
        let waited = self.wait(self.deadline_in(within), Some(key), |state| {
            state.take_answer(key)
        });
        match waited {
            Ok(answer) => answer,
            Err(stop) => {
                let mut state = self.lock();
                let late = state.take_answer(key);
                state.forget(key);
                late.unwrap_or_else(|| Err(stop.into_error(within)))
            }
        }
    }

    /// As [`Connection::answer`], but `None` says that it has not come yet and may still be
    /// asked for.
    pub(crate) fn answer_by(
        self: &Arc<Connection>,
        key: Key,
        within: Duration,
    ) -> Option<Result<SidecarFrame, RequestError>> {
        let waited = self.wait(self.deadline_in(within), Some(key), |state| {
            state.take_answer(key)
        });
        match waited {
            Ok(answer) => Some(answer),
            Err(Stop::Deadline) => None,
            Err(stop) => Some(Err(stop.into_error(within))),
        }
    }

    /// Sends a frame that has no answer, and sees to it that it leaves.
    pub(crate) fn post(
        self: &Arc<Connection>,
        session: SessionId,
        request: RequestId,
        frame: &HostFrame,
    ) -> Result<(), EncodeError> {
        let mut state = self.lock();
        if state.end().is_some() {
            return Ok(());
        }
        state.send(session, request, frame)?;
        self.ring_if_queued(&state);
        drop(state);
        self.drain();
        Ok(())
    }

    /// Sees to it that all that was sent leaves.
    pub(crate) fn drain(self: &Arc<Connection>) {
        let state = self.lock();
        if state.outgoing.is_empty() || state.is_in_handler() {
            return;
        }
        drop(state);
        let deadline = self.deadline_in(self.patience);
        // The error is that the sidecar does not read: those who wait for an answer learn of
        // it.
        let _ = self.wait(deadline, None, |state| {
            state.outgoing.is_empty().then_some(())
        });
    }

    /// Reads, and runs what is to be run, until `wanted` is there.
    ///
    /// `key` names the answer that is waited for, so that its arrival wakes this thread.
    pub(crate) fn wait<T>(
        self: &Arc<Connection>,
        deadline: Instant,
        key: Option<Key>,
        mut wanted: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, Stop> {
        let mut state = self.lock();
        loop {
            let found = match wanted(&mut state) {
                Some(found) => Ok(found),
                None => match state.must_stop(deadline) {
                    Some(stop) => Err(stop),
                    None => {
                        state = self.turn(state, deadline, key);
                        continue;
                    }
                },
            };
            state.promote();
            return found;
        }
    }

    /// Leads for one step, or sleeps while another thread leads.
    fn turn<'a>(
        self: &'a Arc<Connection>,
        mut state: MutexGuard<'a, State>,
        deadline: Instant,
        key: Option<Key>,
    ) -> MutexGuard<'a, State> {
        let Some(inbox) = state.lead() else {
            let follower = state.follow(key);
            drop(state);
            thread::park_timeout(deadline.saturating_duration_since(Instant::now()));
            let mut state = self.lock();
            let work = state.unfollow(follower);
            return self.run(state, work);
        };
        drop(state);
        let mut lead = Lead::new(self, inbox);
        let work = self.step(lead.inbox(), deadline);
        let mut state = lead.give_up();
        let work = work.and_then(|work| state.hand_over(work, key));
        self.run(state, work)
    }

    /// Takes one frame, or waits for bytes.
    fn step(self: &Arc<Connection>, inbox: &mut Inbox, deadline: Instant) -> Option<Work> {
        match inbox.next_frame() {
            Ok(Some(decoded)) => return self.dispatch(decoded, inbox),
            Ok(None) => self.fill(inbox, deadline),
            Err(err) => self.end(LostCause::Protocol(err)),
        }
        None
    }

    /// Waits for bytes and takes them; meanwhile writes what waits to be written.
    fn fill(&self, inbox: &mut Inbox, deadline: Instant) {
        let writer = self.lock().outgoing.blocked_writer();
        let Ready { readable, writable } = match self.link.wait(writer.as_ref(), deadline) {
            Ok(ready) => ready,
            Err(err) => return self.end(LostCause::Io(err)),
        };
        if writable {
            let mut state = self.lock();
            if state.outgoing.flush() {
                state.wake_all();
            }
        }
        if readable {
            match inbox.read_from(&self.link) {
                Ok(true) => {}
                Ok(false) => self.end(LostCause::Died),
                Err(err) => self.end(LostCause::Io(err)),
            }
        }
    }

    /// Runs a host function, if there is one, outside of the lock.
    fn run<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        work: Option<Work>,
    ) -> MutexGuard<'a, State> {
        let Some(work) = work else {
            return state;
        };
        state.promote();
        drop(state);
        let inside = HandlerGuard::enter(self);
        (work.function)(work.args, work.responder);
        drop(inside);
        self.lock()
    }

    /// The connection is over: finds out how the process ended and tells all that wait.
    fn end(&self, cause: LostCause) {
        self.lock().outgoing.close();
        let status = match self.child().as_mut() {
            Some(child) => child
                .wait_until(self.deadline_in(END_WITHIN))
                .or_else(|| child.kill()),
            None => None,
        };
        self.lock().end_with(cause, status);
    }

    /// Closes the sidecar's input and sees it end, or ends it. Nothing is sent or answered
    /// any more.
    pub(crate) fn close(self: &Arc<Connection>, within: Duration) {
        self.lock().close();
        self.link.ring();
        // Until it has ended it may have to write.
        let _ = self.wait(self.deadline_in(within), None, |state| state.end());
        let is_over = self.lock().end().is_some();
        if !is_over {
            let status = self.child().as_mut().and_then(OwnChild::kill);
            self.lock().end_with(LostCause::Closed, status);
        }
    }

    pub(crate) fn deadline_in(&self, within: Duration) -> Instant {
        let now = Instant::now();
        now.checked_add(within).unwrap_or(now)
    }

    fn ring_if_queued(&self, state: &State) {
        if !state.outgoing.is_empty() && state.is_led_by_another() {
            self.link.ring();
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<OwnChild>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stop {
    pub(crate) fn into_error(self, within: Duration) -> RequestError {
        match self {
            Stop::Deadline => RequestError::TimedOut(within),
            Stop::End(lost) => RequestError::SidecarLost(lost),
            Stop::InHandler => RequestError::WaitInHandler,
        }
    }
}

/// The kind of frame that answers a request of `kind`.
pub(crate) fn answer_to(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Hello => Some(Kind::Welcome),
        Kind::Ping => Some(Kind::Pong),
        Kind::WarmSnapshot => Some(Kind::SnapshotReady),
        Kind::OpenSession => Some(Kind::SessionOpened),
        Kind::Execute => Some(Kind::Outcome),
        Kind::Call => Some(Kind::Called),
        Kind::CloseSession => Some(Kind::SessionClosed),
        Kind::GetStats => Some(Kind::Stats),
        _ => None,
    }
}
