//! `Cancel`: PROTOCOL.md 6.3. Has no reply of its own, and one that comes too late does
//! nothing. What has not begun is answered here, whatever is in front of it.

use std::time::Instant;

use super::session_event;
use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address) -> Result<(), RequestError> {
    let now = Instant::now();
    let withdrawn = state.sessions.update(to.session, |session| {
        let is_in_flight = session
            .in_flight()
            .iter()
            .any(|known| known.request == to.request && known.runs_code());
        if !is_in_flight {
            return Ok(None);
        }
        if !session.is_closing() && session.handle().withdraw(to.request) {
            return Ok(session.withdrawn(to.request, now));
        }
        session.handle().cancel(to.request);
        Ok(None)
    })?;
    if let Some(withdrawn) = withdrawn {
        session_event::withdrawn(state, to, withdrawn.kind);
    }
    Ok(())
}
