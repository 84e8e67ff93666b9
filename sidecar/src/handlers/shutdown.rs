//! `Shutdown`: no new work; what runs has `grace_ms`, then it is cancelled.

use std::time::{Duration, Instant};

use protocol::frame::Shutdown;

use crate::error::RequestError;
use crate::lifeline::LEAVE_WITHIN;
use crate::state::State;

#[expect(
    clippy::unnecessary_wraps,
    reason = "all handlers have the same result, so that dispatch is a table"
)]
pub(crate) fn handle(state: &mut State, shutdown: Shutdown) -> Result<(), RequestError> {
    let now = Instant::now();
    let grace = Duration::from_millis(u64::from(shutdown.grace_ms));
    let until = now.checked_add(grace).unwrap_or(now);
    tracing::info!(grace_ms = shutdown.grace_ms, "shutting down");
    state.lifeline.shut_down(until);
    for id in state.sessions.ids() {
        if state
            .sessions
            .get(id)
            .is_ok_and(|session| session.is_idle())
        {
            // The error is that the session is closing already.
            let _ = state.close_session(id, None, LEAVE_WITHIN);
        }
    }
    Ok(())
}
