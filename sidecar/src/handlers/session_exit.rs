//! The end of a session: `SessionClosed` when the host asked for it, `Reset` when not. All
//! that it has open is answered.

use host_bridge::ExitReason;
use protocol::frame::{Kind, Refused, Reset, SessionClosed};
use protocol::{Reason, SessionId, SessionStats};

use crate::error::{RequestError, clipped};
use crate::outbox::Toll;
use crate::session_table::Session;
use crate::state::{Address, State, without_methods};

/// Opening ---- OpenFailed ----> (absent)
pub(super) fn open_failed(state: &mut State, id: SessionId, reason: Reason, message: &str) {
    let Some(session) = state.sessions.remove(id) else {
        return;
    };
    for in_flight in session.in_flight() {
        let to = Address {
            session: id,
            request: in_flight.request,
        };
        if in_flight.kind == Kind::OpenSession {
            tracing::info!(session = %id, %reason, message, "session not opened");
            let refused = Refused {
                kind: in_flight.kind.to_wire(),
                reason,
                message: clipped(message.to_owned()),
                limit: None,
            };
            state.reply(to, refused);
        } else {
            state.refuse(to, in_flight.kind, &RequestError::UnknownSession(id));
        }
    }
}

/// any ---- Exited ----> (absent)
pub(super) fn exited(state: &mut State, id: SessionId, reason: &ExitReason, stats: SessionStats) {
    let Some(session) = state.sessions.remove(id) else {
        return;
    };
    state.trace.session(id, &stats);
    let (reason, message) = match reason {
        ExitReason::Closed(_) => return closed(state, id, session, stats),
        ExitReason::MemoryExceeded => (
            Reason::MemoryExceeded,
            "the session's memory was exhausted beyond repair; ask for a larger \
             limits.heap_bytes in OpenSession"
                .to_owned(),
        ),
        ExitReason::EngineOom => {
            let kept = stats
                .heap_peak_bytes
                .saturating_add(stats.external_peak_bytes);
            count_parked(state, kept);
            (
                Reason::EngineOom,
                "the engine ran out of memory where it cannot unwind; the session's thread is \
                 parked and its memory stays taken"
                    .to_owned(),
            )
        }
        ExitReason::Lost { reason, message } => (*reason, message.clone()),
        ExitReason::Internal(text) => (Reason::Internal, text.clone()),
        _ => (Reason::Internal, "the session ended".to_owned()),
    };
    let reset = Reset {
        reason,
        message: clipped(message),
        stats: Some(stats),
    };
    state.reset(id, reset);
}

/// Closing ---- Exited ----> (absent)
fn closed(state: &mut State, id: SessionId, mut session: Session, stats: SessionStats) {
    let close = session.take_close();
    for in_flight in session.in_flight() {
        let to = Address {
            session: id,
            request: in_flight.request,
        };
        state.refuse(to, in_flight.kind, &RequestError::SessionClosing(id));
    }
    let Some(request) = close else {
        return;
    };
    let to = Address {
        session: id,
        request,
    };
    let frame = SessionClosed { stats };
    if let Err(err) = state.send(to, &frame.clone().into(), Toll::Unpaid) {
        // Thousands of methods and a small frame: the sums must do.
        tracing::warn!(session = %id, %err, "statistics by method are left out");
        let stats = without_methods(frame.stats);
        state.reply(to, SessionClosed { stats });
    }
}

fn count_parked(state: &mut State, bytes: u64) {
    state.sessions.count_parked(bytes);
    drain_when_too_many(state);
}

/// Past so many threads that are lost to it, the process takes no new sessions.
pub(super) fn drain_when_too_many(state: &mut State) {
    let n_parked = state.sessions.n_quarantined();
    if n_parked > state.config.max_parked && !state.is_draining {
        tracing::error!(
            n_parked,
            "too many parked threads; no new sessions are taken"
        );
        state.is_draining = true;
    }
}
