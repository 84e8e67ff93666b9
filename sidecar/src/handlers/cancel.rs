//! `Cancel`: PROTOCOL.md 6.3. Has no reply of its own, and one that comes too late does
//! nothing.

use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address) -> Result<(), RequestError> {
    state.sessions.update(to.session, |session| {
        let is_in_flight = session
            .in_flight()
            .iter()
            .any(|known| known.request == to.request && known.runs_code());
        if is_in_flight {
            session.handle().cancel(to.request);
        }
        Ok(())
    })
}
