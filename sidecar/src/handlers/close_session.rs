//! `CloseSession`: the running request is cancelled, the waiting ones are refused, and the
//! thread has the grace period to end.

use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address) -> Result<(), RequestError> {
    state.sessions.get(to.session)?.check_new(to.request)?;
    let grace = state.config.grace;
    state.close_session(to.session, Some(to.request), grace)
}
