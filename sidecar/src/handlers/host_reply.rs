//! `HostReply`: PROTOCOL.md 6.5. Goes straight to the thread that waits for it.

use host_bridge::{SendError, SessionCommand};
use protocol::CallId;
use protocol::frame::{HostError, HostReply, Reply};

use super::submit::check_size;
use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(
    state: &mut State,
    to: Address,
    host_reply: HostReply,
) -> Result<(), RequestError> {
    let session = state.sessions.get(to.session)?;
    let call = CallId::from_head(to.request);
    let (reply, verdict) = within_limit(host_reply.reply, session.limits().message_bytes);
    let n_bytes = match &reply {
        Reply::Ok(value) => Some(value.bytes().len()),
        Reply::Err(_) => None,
    };
    let result = session
        .handle()
        .try_send(SessionCommand::Reply { call, reply });
    match result {
        Ok(()) => {
            state.trace.reply(to.session, call, n_bytes);
            verdict
        }
        Err(SendError::UnknownCall) => {
            tracing::info!(session = %to.session, %call, "reply to no call");
            Err(RequestError::UnknownCall(to.request))
        }
        Err(err) => Err(RequestError::not_sent(to.session, err)),
    }
}

/// A result over the limit becomes an error for the guest, and the host is told.
fn within_limit(reply: Reply, limit: u32) -> (Reply, Result<(), RequestError>) {
    let Reply::Ok(value) = &reply else {
        return (reply, Ok(()));
    };
    match check_size(value.bytes().len(), limit) {
        Ok(()) => (reply, Ok(())),
        Err(err) => {
            let error = HostError {
                name: "RangeError".to_owned(),
                message: format!("the result of the host function is too large: {err}"),
                code: Some("ERR_MESSAGE_TOO_LARGE".to_owned()),
            };
            (Reply::Err(error), Err(err))
        }
    }
}
