//! One session: where it is in the diagram of `session_table.rs`, one method an event.

use std::sync::Arc;
use std::time::{Duration, Instant};

use host_bridge::{MAKE_WAY_AFTER, SessionHandle, Way};
use protocol::frame::Kind;
use protocol::{Limits, RequestId};

use super::{SessionKey, Times};
use crate::credit::Credit;
use crate::error::RequestError;

/// Where a session is. See the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Opening,
    Idle,
    Running,
    Closing,
    Quarantined,
}

/// A request that has no terminal reply yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InFlight {
    pub(crate) request: RequestId,
    pub(crate) kind: Kind,
    /// It was still waiting for its turn when the session began to close.
    pub(crate) was_waiting: bool,
}

/// What the table keeps of one session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) key: SessionKey,
    pub(super) state: State,
    handle: Box<dyn SessionHandle>,
    pub(super) credit: Arc<Credit>,
    limits: Limits,
    times: Times,
    /// `OpenSession` until it is answered, then `Execute` and `Call` in the order in
    /// which they run, then `CloseSession`.
    in_flight: Vec<InFlight>,
    /// Until when the thread must have done what it is at.
    pub(super) deadline: Option<Instant>,
    /// The request whose turn it is may be behind something that the guest does between
    /// requests.
    behind: Option<Behind>,
    /// CPU time of the thread when it was told to do so.
    told_at: Option<Duration>,
    /// How often it was let off, because it got no CPU.
    n_respites: u32,
}

/// A request that may not have begun.
#[derive(Debug, Clone, Copy)]
struct Behind {
    since: Instant,
    /// When to look whether it has.
    look_at: Instant,
    /// Since when what is in front of it was told to stop and does not.
    stopping: Option<Instant>,
}

/// How often to look at what was told to make way.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// CPU time within which a thread that can stop does stop. One that got less is not to blame.
const CPU_TO_STOP: Duration = Duration::from_millis(50);
/// How often a thread that gets no CPU is let off, each time for a quarter of the grace period.
const MAX_RESPITES: u32 = 20;

/// A session that is about to be added.
#[derive(Debug)]
pub(crate) struct NewSession {
    pub(crate) key: SessionKey,
    pub(crate) request: RequestId,
    pub(crate) limits: Limits,
    pub(crate) handle: Box<dyn SessionHandle>,
    pub(crate) credit: Arc<Credit>,
}

impl Session {
    pub(super) fn new(new: NewSession, times: Times, now: Instant) -> Session {
        let grace = times.grace.saturating_add(new.handle.margin());
        let open_within = times.open_within.saturating_add(grace);
        Session {
            key: new.key,
            state: State::Opening,
            credit: new.credit,
            limits: new.limits,
            times: Times { grace, ..times },
            in_flight: vec![InFlight::new(new.request, Kind::OpenSession)],
            deadline: now.checked_add(open_within),
            told_at: None,
            n_respites: 0,
            behind: None,
            handle: new.handle,
        }
    }

    /// A request is about to be queued.
    ///
    /// # Errors
    ///
    /// When its id is in flight or the session is ending.
    pub(crate) fn check_new(&self, request: RequestId) -> Result<(), RequestError> {
        self.check_unused(request)?;
        match self.state {
            State::Opening | State::Idle | State::Running => Ok(()),
            State::Closing | State::Quarantined => Err(RequestError::SessionClosing(self.key.id)),
        }
    }

    /// A request is about to be answered at once.
    ///
    /// # Errors
    ///
    /// When its id is in flight.
    pub(crate) fn check_unused(&self, request: RequestId) -> Result<(), RequestError> {
        if self.in_flight.iter().any(|known| known.request == request) {
            return Err(RequestError::DuplicateRequest(request));
        }
        Ok(())
    }

    /// Idle ---- Execute, Call ----> Running. Opening and Running stay.
    pub(crate) fn queued(&mut self, request: RequestId, kind: Kind, now: Instant) {
        self.in_flight.push(InFlight::new(request, kind));
        if self.state == State::Idle {
            self.settle(now);
        }
    }

    /// Opening, Running ---- Cancel, before it has begun ----> the same, or Idle. Returns
    /// what is to be answered.
    pub(crate) fn withdrawn(&mut self, request: RequestId, now: Instant) -> Option<InFlight> {
        let was_next = self.running() == Some(request);
        let position = self.position(request)?;
        let withdrawn = self.in_flight.remove(position);
        if was_next {
            self.settle(now);
        }
        Some(withdrawn)
    }

    /// Any state stays. Statistics were asked for, and come later.
    pub(crate) fn asked_stats(&mut self, request: RequestId) {
        self.in_flight.push(InFlight::new(request, Kind::GetStats));
    }

    /// Any state stays. `false` when no such request for statistics is in flight.
    pub(crate) fn answered_stats(&mut self, request: RequestId) -> bool {
        let asked = InFlight::new(request, Kind::GetStats);
        let position = self.in_flight.iter().position(|known| *known == asked);
        position
            .map(|position| self.in_flight.remove(position))
            .is_some()
    }

    /// Opening ---- Opened ----> Idle, or Running when requests wait. Closing stays.
    /// Returns the request to answer.
    pub(crate) fn opened(&mut self, now: Instant) -> Option<RequestId> {
        let request = self.take_kind(Kind::OpenSession);
        if self.state == State::Opening {
            self.settle(now);
        }
        request
    }

    /// Running ---- Finished ----> Running or Idle. Closing stays. Returns what has
    /// finished; `None` when no such request is in flight.
    pub(crate) fn finished(&mut self, request: RequestId, now: Instant) -> Option<InFlight> {
        let position = self.position(request)?;
        let finished = self.in_flight.remove(position);
        if self.state == State::Running {
            self.settle(now);
        }
        Some(finished)
    }

    /// Opening, Idle, Running ---- CloseSession, Shutdown ----> Closing
    pub(crate) fn closing(&mut self, request: Option<RequestId>, within: Duration, now: Instant) {
        let running = self.running();
        for waiting in self.in_flight.iter_mut().filter(|known| known.runs_code()) {
            waiting.was_waiting = Some(waiting.request) != running;
        }
        if let Some(request) = request {
            self.in_flight
                .push(InFlight::new(request, Kind::CloseSession));
        }
        let until = now.checked_add(within.saturating_add(self.handle.margin()));
        // A session that is being opened has the time for that first.
        self.deadline = match self.state {
            State::Opening => self.deadline.max(until),
            _ => until,
        };
        self.state = State::Closing;
        self.behind = None;
        self.told();
    }

    /// Idle, Running stay. What runs was told to stop and has the grace period for it; it may
    /// be what runs between requests.
    pub(crate) fn stopping(&mut self, request: RequestId, now: Instant) {
        let is_between =
            request == RequestId::NONE && matches!(self.state, State::Idle | State::Running);
        if is_between || self.running() == Some(request) {
            let until = now.checked_add(self.times.grace);
            self.deadline = [self.deadline, until].into_iter().flatten().min();
            self.told();
        }
    }

    /// Idle, Running stay. What ran between requests has stopped.
    pub(crate) fn calm(&mut self, now: Instant) {
        if matches!(self.state, State::Idle | State::Running) {
            self.settle(now);
        }
    }

    /// any ---- deadline over ----> Quarantined. A thread that waits for the host to read
    /// is not to blame and gets another round.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let is_stuck = self.make_way(now);
        let is_late = self.deadline.is_some_and(|at| at <= now);
        if self.state == State::Quarantined || !(is_stuck || is_late) {
            return false;
        }
        if self.credit.is_waiting() || self.handle.waits_for_host() {
            self.deadline = now.checked_add(self.times.grace);
            return false;
        }
        if self.is_starved() && self.n_respites < MAX_RESPITES {
            self.n_respites = self.n_respites.saturating_add(1);
            let respite = self.times.grace.checked_div(4).unwrap_or_default();
            self.deadline = now.checked_add(respite);
            if let Some(behind) = &mut self.behind {
                behind.stopping = behind.stopping.map(|_| now);
            }
            return false;
        }
        self.state = State::Quarantined;
        self.deadline = None;
        self.behind = None;
        true
    }

    /// Stops what the guest does between requests when one has waited long enough. `true`
    /// when that does not stop.
    fn make_way(&mut self, now: Instant) -> bool {
        let Some(behind) = self.behind.filter(|behind| behind.look_at <= now) else {
            return false;
        };
        let waited = now.saturating_duration_since(behind.since);
        let stopping = match self.handle.make_way(waited) {
            Way::Begun => {
                self.behind = None;
                return false;
            }
            Way::Waiting => None,
            Way::Stopping => Some(behind.stopping.unwrap_or(now)),
        };
        let look_at = now.checked_add(LOOK_AGAIN).unwrap_or(now);
        self.behind = Some(Behind {
            look_at,
            stopping,
            ..behind
        });
        stopping.is_some_and(|since| self.times.grace <= now.saturating_duration_since(since))
    }

    /// When [`Session::expire`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        let look_at = self.behind.map(|behind| behind.look_at);
        [self.deadline, look_at].into_iter().flatten().min()
    }

    fn told(&mut self) {
        if self.told_at.is_none() {
            self.told_at = self.handle.cpu_time();
        }
    }

    /// Whether the thread has had no chance to do as it was told.
    fn is_starved(&self) -> bool {
        match (self.told_at, self.handle.cpu_time()) {
            (Some(then), Some(now)) => now.saturating_sub(then) < CPU_TO_STOP,
            _ => false,
        }
    }

    /// The `CloseSession` that is to be answered, if the host sent one.
    pub(crate) fn take_close(&mut self) -> Option<RequestId> {
        self.take_kind(Kind::CloseSession)
    }

    /// The requests without a terminal reply.
    pub(crate) fn in_flight(&self) -> &[InFlight] {
        &self.in_flight
    }

    /// How many requests wait for their turn.
    pub(crate) fn n_waiting(&self) -> u32 {
        let n_code = self.in_flight.iter().filter(|known| known.runs_code());
        let n_running = usize::from(self.running().is_some());
        u32::try_from(n_code.count().saturating_sub(n_running)).unwrap_or(u32::MAX)
    }

    /// The request whose turn it is.
    pub(crate) fn running(&self) -> Option<RequestId> {
        if self.state != State::Running {
            return None;
        }
        let running = self.in_flight.iter().find(|known| known.runs_code())?;
        Some(running.request)
    }

    /// Whether nothing runs, waits or ends.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    pub(crate) fn is_closing(&self) -> bool {
        matches!(self.state, State::Closing | State::Quarantined)
    }

    pub(crate) fn handle(&self) -> &dyn SessionHandle {
        self.handle.as_ref()
    }

    pub(crate) fn credit(&self) -> &Credit {
        &self.credit
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Idle when nothing is in flight, else Running, with the time of the next request
    /// beginning now.
    fn settle(&mut self, now: Instant) {
        self.told_at = None;
        self.n_respites = 0;
        if !self.in_flight.iter().any(InFlight::runs_code) {
            self.state = State::Idle;
            self.deadline = None;
            self.behind = None;
        } else {
            self.state = State::Running;
            self.deadline = self.request_deadline(now);
            self.behind = now.checked_add(MAKE_WAY_AFTER).map(|look_at| Behind {
                since: now,
                look_at,
                stopping: None,
            });
        }
    }

    /// The engine stops a request at its wall-clock limit, which begins when nothing is in
    /// front of it any more. Then it has the grace period.
    fn request_deadline(&self, now: Instant) -> Option<Instant> {
        now.checked_add(Duration::from_millis(self.limits.wall_ms))?
            .checked_add(MAKE_WAY_AFTER)?
            .checked_add(self.times.grace)
    }

    fn position(&self, request: RequestId) -> Option<usize> {
        let is_wanted = |known: &InFlight| known.request == request && known.runs_code();
        self.in_flight.iter().position(is_wanted)
    }

    fn take_kind(&mut self, kind: Kind) -> Option<RequestId> {
        let position = self.in_flight.iter().position(|known| known.kind == kind)?;
        Some(self.in_flight.remove(position).request)
    }
}

impl InFlight {
    fn new(request: RequestId, kind: Kind) -> InFlight {
        InFlight {
            request,
            kind,
            was_waiting: false,
        }
    }

    /// Whether it waits in the session's own queue.
    pub(crate) fn runs_code(&self) -> bool {
        matches!(self.kind, Kind::Execute | Kind::Call)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Whatever the thread still reports must not wait: nobody reads it.
        self.credit.lift();
    }
}
