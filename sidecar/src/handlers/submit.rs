//! Admission of what runs guest code. PROTOCOL.md 6.1: a request may come before
//! `SessionOpened`; 32 wait, one more is `Busy`.

use std::time::Instant;

use host_bridge::SessionCommand;
use protocol::frame::Kind;

use crate::error::RequestError;
use crate::state::{Address, State};

/// Gives `command` to its session, or says why not. `n_bytes` is the size of the value
/// that it carries in.
pub(super) fn submit(
    state: &mut State,
    to: Address,
    kind: Kind,
    n_bytes: usize,
    command: SessionCommand,
) -> Result<(), RequestError> {
    if !state.lifeline.is_serving() {
        return Err(RequestError::ShuttingDown);
    }
    let now = Instant::now();
    state.sessions.update(to.session, |session| {
        session.check_new(to.request)?;
        check_size(n_bytes, session.limits().message_bytes)?;
        session
            .handle()
            .try_send(command)
            .map_err(|err| RequestError::not_sent(to.session, err))?;
        session.queued(to.request, kind, now);
        Ok(())
    })
}

/// A value that crosses to the guest.
pub(super) fn check_size(n_bytes: usize, limit: u32) -> Result<(), RequestError> {
    let len = u64::try_from(n_bytes).unwrap_or(u64::MAX);
    if len > u64::from(limit) {
        return Err(RequestError::MessageTooLarge { len, limit });
    }
    Ok(())
}
