//! `Hello`: PROTOCOL.md 4.1.

use protocol::Limits;
use protocol::frame::{Hello, Welcome};

use crate::error::{ConnectionError, RequestError};
use crate::handshake::{Handshake, agreed_max_frame, agreed_version};
use crate::state::{Address, State};

/// The outer error ends the connection, the inner one is answered and forgotten.
pub(crate) fn handle(
    state: &mut State,
    to: Address,
    hello: &Hello,
) -> Result<Result<(), RequestError>, ConnectionError> {
    if state.handshake == Handshake::Done {
        return Ok(Err(RequestError::HelloRepeated));
    }
    let version = agreed_version(hello)?;
    let max_frame = agreed_max_frame(hello.max_frame, state.config.max_frame);
    state.handshake = Handshake::Done;
    tracing::info!(client = hello.client, version, max_frame, "connected");
    let ceilings = state.config.ceilings;
    state.reply(
        to,
        Welcome {
            version,
            build: build(),
            v8: state.engine.version(),
            max_frame,
            max_sessions: state.config.max_sessions,
            ceilings,
            defaults: default_limits(&ceilings),
            features: Vec::new(),
        },
    );
    // `Welcome` itself still has the limit that holds before it.
    state.port.set_max_body(max_frame);
    Ok(Ok(()))
}

fn build() -> String {
    concat!("isolate-sidecar ", env!("CARGO_PKG_VERSION")).to_owned()
}

fn default_limits(ceilings: &Limits) -> Limits {
    protocol::LimitsRequest::default().resolve(ceilings)
}
