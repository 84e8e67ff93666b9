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
//!                                        v                  no longer in the table:
//!                                   Quarantined ──────────> given up, until its thread ends
//!                                                           or is parked
//! ```
//!
//! Requests are queued by the session's thread; the table knows which are in flight. A
//! request may come before `Opened`: it waits like any other. A thread cannot be killed,
//! so one that does not come back by its deadline is given up (`handlers/give_up.rs`).

mod session;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use protocol::{ProcessStats, SessionId};

use self::session::State;
pub(crate) use self::session::{NewSession, Session};
use crate::alarm::Alarm;
use crate::error::RequestError;

/// Tells a session from an earlier one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey {
    pub(crate) id: SessionId,
    epoch: u64,
}

/// How long a session may take for what it cannot be stopped in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// To be opened, the grace period aside.
    pub(crate) open_within: Duration,
    /// To stop.
    pub(crate) grace: Duration,
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct SessionTable {
    sessions: HashMap<SessionId, Session>,
    alarm: Alarm,
    times: Times,
    last_epoch: u64,
    n_parked: u32,
    /// What these keep.
    parked_bytes: u64,
    /// Given up, and their threads go on; with what they keep.
    given_up: HashMap<SessionKey, u64>,
    /// Most requests that ever waited in one session.
    requests_peak: u32,
}

impl SessionTable {
    pub(crate) fn new(times: Times) -> SessionTable {
        SessionTable {
            sessions: HashMap::new(),
            alarm: Alarm::default(),
            times,
            last_epoch: 0,
            n_parked: 0,
            parked_bytes: 0,
            given_up: HashMap::new(),
            requests_peak: 0,
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
        let session = Session::new(new, self.times, now);
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
        self.requests_peak = self.requests_peak.max(session.n_waiting());
        if let Some(deadline) = session.due() {
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

    /// One more thread is parked for good.
    pub(crate) fn count_parked(&mut self, bytes: u64) {
        self.n_parked = self.n_parked.saturating_add(1);
        self.parked_bytes = self.parked_bytes.saturating_add(bytes);
    }

    /// How many threads are parked for good, or were given up and go on.
    pub(crate) fn n_quarantined(&self) -> u32 {
        let n_given_up = u32::try_from(self.given_up.len()).unwrap_or(u32::MAX);
        self.n_parked.saturating_add(n_given_up)
    }

    /// Quarantined ----> (absent), with a thread that goes on.
    pub(crate) fn give_up(&mut self, id: SessionId) -> Option<Session> {
        let session = self.sessions.remove(&id)?;
        let bytes = session.handle().gauges().peak_bytes;
        self.given_up.insert(session.key, bytes);
        Some(session)
    }

    /// Whether this session was given up and its thread goes on.
    pub(crate) fn is_given_up(&self, key: SessionKey) -> bool {
        self.given_up.contains_key(&key)
    }

    /// A thread that was given up has ended or is parked. What it kept, if there
    /// was one.
    pub(crate) fn came_back(&mut self, key: SessionKey) -> Option<u64> {
        self.given_up.remove(&key)
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
            if let Some(deadline) = session.due() {
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

    /// How many sessions are in which state, and what they hold.
    pub(crate) fn count_into(&self, stats: &mut ProcessStats) {
        stats.sessions_quarantined = self.n_quarantined();
        let kept = self.given_up.values();
        stats.quarantined_bytes = kept.fold(self.parked_bytes, |sum, own| sum.saturating_add(*own));
        stats.requests_waiting_peak = self.requests_peak;
        let add = |sum: &mut u64, own: u64| *sum = sum.saturating_add(own);
        let add_few = |sum: &mut u32, own: u32| *sum = sum.saturating_add(own);
        for session in self.sessions.values() {
            let gauges = session.handle().gauges();
            add(&mut stats.heap_used_bytes, gauges.heap_used_bytes);
            add(&mut stats.external_bytes, gauges.external_bytes);
            add(&mut stats.heap_limit_bytes, session.limits().heap_bytes);
            add_few(&mut stats.host_calls_in_flight, gauges.host_calls);
            add_few(&mut stats.requests_waiting, session.n_waiting());
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
        if let Some(deadline) = session.due() {
            self.alarm.no_later_than(deadline);
        }
    }
}

#[cfg(test)]
mod tests;
