//! The sessions, and what each goes through.
//!
//! ```text
//!            OpenSession            Execute, Call              Finished, none left
//!  (absent) ────────────> Opening ───────┐  ┌──────────> Running ──────────> Idle
//!                            │   Opened  │  │ Execute       │  Cancel, limit: stays
//!                            ├───────────┴──┴──> Idle       │  Running until Finished
//!                            │                    │         │
//!                 OpenFailed │                    └────┬────┘ CloseSession, Shutdown
//!                 Exited     │ CloseSession            v
//!  (absent) <────────────────┴────────────────────> Closing ───Exited──> (absent)
//!                            │                        │
//!                            │  not open, stopped or closed by the deadline
//!                            └───────────┬────────────┘
//!                                        v
//!                                   Quarantined ──> the process ends with StuckSession
//! ```
//!
//! Requests are queued by the session's thread; the table knows which are in flight. A
//! request may come before `Opened`: it waits like any other. A thread cannot be killed,
//! so one that does not come back by its deadline ends the process.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use host_bridge::SessionHandle;
use protocol::frame::Kind;
use protocol::{Limits, ProcessStats, RequestId, SessionId};

use crate::alarm::Alarm;
use crate::credit::Credit;
use crate::error::RequestError;

/// Tells a session from an earlier one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey {
    pub(crate) id: SessionId,
    epoch: u64,
}

/// Where a session is. See the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
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
    key: SessionKey,
    state: State,
    handle: Box<dyn SessionHandle>,
    credit: Arc<Credit>,
    limits: Limits,
    grace: Duration,
    /// `OpenSession` until it is answered, then `Execute` and `Call` in the order in
    /// which they run, then `CloseSession`.
    in_flight: Vec<InFlight>,
    /// Until when the thread must have done what it is at.
    deadline: Option<Instant>,
}

/// A session that is about to be added.
#[derive(Debug)]
pub(crate) struct NewSession {
    pub(crate) key: SessionKey,
    pub(crate) request: RequestId,
    pub(crate) limits: Limits,
    pub(crate) handle: Box<dyn SessionHandle>,
    pub(crate) credit: Arc<Credit>,
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct SessionTable {
    sessions: HashMap<SessionId, Session>,
    alarm: Alarm,
    grace: Duration,
    last_epoch: u64,
    n_parked: u32,
}

impl SessionTable {
    pub(crate) fn new(grace: Duration) -> SessionTable {
        SessionTable {
            sessions: HashMap::new(),
            alarm: Alarm::default(),
            grace,
            last_epoch: 0,
            n_parked: 0,
        }
    }

    /// The key for a new session.
    ///
    /// # Errors
    ///
    /// When the id is taken or `max_sessions` exist.
    pub(crate) fn vacancy(
        &mut self,
        id: SessionId,
        max_sessions: u32,
    ) -> Result<SessionKey, RequestError> {
        if self.sessions.contains_key(&id) {
            return Err(RequestError::DuplicateSession(id));
        }
        if self.len() >= usize::try_from(max_sessions).unwrap_or(usize::MAX) {
            return Err(RequestError::TooManySessions {
                limit: max_sessions,
            });
        }
        self.last_epoch = self.last_epoch.saturating_add(1);
        Ok(SessionKey {
            id,
            epoch: self.last_epoch,
        })
    }

    /// (absent) ---- OpenSession ----> Opening
    pub(crate) fn insert(&mut self, new: NewSession, now: Instant) {
        let session = Session::new(new, self.grace, now);
        self.watch(&session);
        self.sessions.insert(session.key.id, session);
    }

    /// The session with this id.
    pub(crate) fn get(&self, id: SessionId) -> Result<&Session, RequestError> {
        self.sessions
            .get(&id)
            .ok_or(RequestError::UnknownSession(id))
    }

    /// Lets `change` act on a session, then sets the alarm to its deadline.
    pub(crate) fn update<T>(
        &mut self,
        id: SessionId,
        change: impl FnOnce(&mut Session) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let session = self
            .sessions
            .get_mut(&id)
            .ok_or(RequestError::UnknownSession(id))?;
        let result = change(session);
        if let Some(deadline) = session.deadline {
            self.alarm.no_later_than(deadline);
        }
        result
    }

    /// Whether `key` names a session that is still here.
    pub(crate) fn is_current(&self, key: SessionKey) -> bool {
        self.sessions
            .get(&key.id)
            .is_some_and(|session| session.key == key)
    }

    /// any ---- Exited, OpenFailed ----> (absent)
    pub(crate) fn remove(&mut self, id: SessionId) -> Option<Session> {
        self.sessions.remove(&id)
    }

    /// One more thread is parked for good. Returns how many are.
    pub(crate) fn count_parked(&mut self) -> u32 {
        self.n_parked = self.n_parked.saturating_add(1);
        self.n_parked
    }

    /// The sessions that are past their deadline; each is quarantined.
    pub(crate) fn quarantine_overdue(&mut self, now: Instant) -> Vec<SessionId> {
        if !self.alarm.ring(now) {
            return Vec::new();
        }
        let mut overdue = Vec::new();
        for session in self.sessions.values_mut() {
            if session.expire(now) {
                overdue.push(session.key.id);
            }
            if let Some(deadline) = session.deadline {
                self.alarm.no_later_than(deadline);
            }
        }
        overdue
    }

    /// When the next deadline passes.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.alarm.at()
    }

    pub(crate) fn ids(&self) -> Vec<SessionId> {
        self.sessions.keys().copied().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// How many sessions are in which state.
    pub(crate) fn count_into(&self, stats: &mut ProcessStats) {
        stats.sessions_quarantined = self.n_parked;
        for session in self.sessions.values() {
            let count = match session.state {
                State::Opening => &mut stats.sessions_opening,
                State::Idle => &mut stats.sessions_idle,
                State::Running => &mut stats.sessions_running,
                State::Closing => &mut stats.sessions_closing,
                State::Quarantined => &mut stats.sessions_quarantined,
            };
            *count = count.saturating_add(1);
        }
    }

    fn watch(&mut self, session: &Session) {
        if let Some(deadline) = session.deadline {
            self.alarm.no_later_than(deadline);
        }
    }
}

impl Session {
    fn new(new: NewSession, grace: Duration, now: Instant) -> Session {
        let mut session = Session {
            key: new.key,
            state: State::Opening,
            handle: new.handle,
            credit: new.credit,
            limits: new.limits,
            grace,
            in_flight: vec![InFlight::new(new.request, Kind::OpenSession)],
            deadline: None,
        };
        session.deadline = session.request_deadline(now);
        session
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
            self.state = State::Running;
            self.deadline = self.request_deadline(now);
        }
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
        let position = self
            .in_flight
            .iter()
            .position(|known| known.request == request && known.runs_code())?;
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
        self.state = State::Closing;
        self.deadline = now.checked_add(within);
    }

    /// any ---- deadline over ----> Quarantined. A thread that waits for the host to read
    /// is not to blame and gets another round.
    fn expire(&mut self, now: Instant) -> bool {
        if self.state == State::Quarantined || self.deadline.is_none_or(|at| now < at) {
            return false;
        }
        if self.credit.is_waiting() {
            self.deadline = now.checked_add(self.grace);
            return false;
        }
        self.state = State::Quarantined;
        self.deadline = None;
        true
    }

    /// The `CloseSession` that is to be answered, if the host sent one.
    pub(crate) fn take_close(&mut self) -> Option<RequestId> {
        self.take_kind(Kind::CloseSession)
    }

    /// The requests without a terminal reply.
    pub(crate) fn in_flight(&self) -> &[InFlight] {
        &self.in_flight
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
        if self.in_flight.is_empty() {
            self.state = State::Idle;
            self.deadline = None;
        } else {
            self.state = State::Running;
            self.deadline = self.request_deadline(now);
        }
    }

    /// The engine stops a request at its wall-clock limit. Then it has the grace period.
    fn request_deadline(&self, now: Instant) -> Option<Instant> {
        now.checked_add(Duration::from_millis(self.limits.wall_ms))?
            .checked_add(self.grace)
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

#[cfg(test)]
mod tests;
