//! Giving up a session whose thread does not stop. The host gets the outcome of what ran, and
//! `Reset` for the rest; the engine parks the thread or waits for it to come back. Where
//! neither happens the process takes no new sessions and ends with the last one.

use host_bridge::{Condemned, ExitReason, SessionCommand, StopReason};
use protocol::frame::Reset;
use protocol::{Outcome, Reason, RequestId, SessionId, SessionStats};

use super::session_event::{peaks_of, terminal};
use super::session_exit::drain_when_too_many;
use crate::session_table::{Session, SessionKey};
use crate::state::{Address, State};

/// Quarantined ----> (absent), for each. Returns one that cannot be separated from the
/// process, if there is any.
pub(crate) fn all(state: &mut State, stuck: &[SessionId]) -> Option<SessionId> {
    stuck.iter().copied().find(|id| !one(state, *id))
}

fn one(state: &mut State, id: SessionId) -> bool {
    let Ok(session) = state.sessions.get(id) else {
        return true;
    };
    let Some(condemned) = session.handle().condemn() else {
        return false;
    };
    let Some(session) = state.sessions.give_up(id) else {
        return true;
    };
    end_soon(&session);
    let stats = session.handle().stats();
    tell_outcome(state, id, &session, condemned, &stats);
    state.trace.session(id, &stats);
    let reset = Reset {
        reason: Reason::StuckSession,
        message: "the session did not stop within its grace period and was given up".to_owned(),
        stats: Some(stats),
    };
    state.reset(id, reset);
    drain_when_too_many(state);
    true
}

/// Should the thread come back, nothing that waits for it is run.
fn end_soon(session: &Session) {
    for in_flight in session.in_flight().iter().rev() {
        if in_flight.runs_code() {
            session.handle().cancel(in_flight.request);
        }
    }
    session.handle().cancel_running();
    let close = SessionCommand::Close {
        request: RequestId::NONE,
    };
    // The error is that it was told before.
    let _ = session.handle().try_send(close);
}

/// The terminal reply to what ran, with the reason for which it was told to stop.
fn tell_outcome(
    state: &mut State,
    id: SessionId,
    session: &Session,
    condemned: Condemned,
    stats: &SessionStats,
) {
    let Some((request, Some(stopped))) = condemned.running else {
        return;
    };
    let outcome = match stopped {
        StopReason::Limit(report) => Outcome::LimitExceeded(report),
        StopReason::Cancelled => Outcome::Cancelled,
        _ => return,
    };
    let known = session.in_flight().iter();
    let Some(in_flight) = known.copied().find(|known| known.request == request) else {
        return;
    };
    let to = Address {
        session: id,
        request,
    };
    state.reply(to, terminal(in_flight.kind, outcome, peaks_of(stats)));
}

/// The thread of a session that was given up has ended, or never will.
pub(super) fn ended(state: &mut State, key: SessionKey, reason: &ExitReason) {
    let session = key.id;
    let kept = match reason {
        ExitReason::Unstoppable if !state.sessions.is_given_up(key) => None,
        ExitReason::Unstoppable => Some(0),
        _ => state.sessions.came_back(key),
    };
    let Some(kept) = kept else {
        return;
    };
    match reason {
        ExitReason::Unstoppable => {
            tracing::error!(%session, "a thread can neither be stopped nor parked; no new sessions are taken");
            state.is_draining = true;
        }
        ExitReason::Parked | ExitReason::EngineOom => {
            tracing::warn!(%session, "the thread of a session is parked for good");
            state.sessions.count_parked(kept);
        }
        _ => tracing::info!(%session, "a session that was given up has come back"),
    }
}
