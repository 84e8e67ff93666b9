//! `Execute`: queued in its session.

use host_bridge::SessionCommand;
use protocol::frame::{Execute, Kind};

use super::submit::submit;
use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address, execute: Execute) -> Result<(), RequestError> {
    let n_bytes = execute.input.bytes().len();
    let command = SessionCommand::Execute {
        request: to.request,
        execute,
    };
    submit(state, to, Kind::Execute, n_bytes, command)
}
