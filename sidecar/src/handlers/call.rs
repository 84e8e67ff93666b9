//! `Call`: queued in its session.

use host_bridge::SessionCommand;
use protocol::frame::{Call, Kind};

use super::submit::submit;
use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address, call: Call) -> Result<(), RequestError> {
    let n_bytes = call.args.bytes().len();
    let command = SessionCommand::Call {
        request: to.request,
        call,
    };
    submit(state, to, Kind::Call, n_bytes, command)
}
