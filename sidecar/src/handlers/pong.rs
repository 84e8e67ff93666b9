//! `Pong`: the sidecar never asks, so there is nothing to do. PROTOCOL.md 4.2.

use protocol::frame::Pong;

use crate::error::RequestError;
use crate::state::Address;

#[expect(
    clippy::unnecessary_wraps,
    reason = "all handlers have the same result, so that dispatch is a table"
)]
pub(crate) fn handle(to: Address, _: Pong) -> Result<(), RequestError> {
    tracing::debug!(request = %to.request, "pong that nobody asked for");
    Ok(())
}
