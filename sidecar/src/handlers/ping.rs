//! `Ping`: answered at once, ahead of all queued output.

use protocol::frame::{Ping, Pong};

use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address, ping: Ping) -> Result<(), RequestError> {
    let payload = ping.payload;
    state.reply(to, Pong { payload });
    Ok(())
}
