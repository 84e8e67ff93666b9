//! Any frame of any kind, for the property tests.

mod host;
mod sidecar;
mod vocabulary;

use proptest::collection::vec;
use proptest::prelude::*;
use protocol::frame::{Kind, SessionRule};

use self::host::host_kinds;
use self::sidecar::sidecar_kinds;
use crate::support::Any;

/// A session that `kind` may be addressed to.
fn session(kind: Kind, any: u32) -> u32 {
    match kind.session_rule() {
        SessionRule::Connection => 0,
        SessionRule::Session => any.max(1),
        SessionRule::Either => any,
    }
}

/// Strategies for addressed frames of either direction, one a kind and direction.
pub(crate) fn kinds() -> Vec<BoxedStrategy<Any>> {
    let host = host_kinds().into_iter().map(|frames| {
        let addressed = (any::<u32>(), any::<u64>(), frames);
        addressed
            .prop_map(|(at, request, frame)| Any::host(session(frame.kind(), at), request, frame))
            .boxed()
    });
    let sidecar = sidecar_kinds().into_iter().map(|frames| {
        let addressed = (any::<u32>(), any::<u64>(), frames);
        addressed
            .prop_map(|(at, request, frame)| {
                Any::sidecar(session(frame.kind(), at), request, frame)
            })
            .boxed()
    });
    host.chain(sidecar).collect()
}

pub(crate) fn any_frame() -> BoxedStrategy<Any> {
    proptest::strategy::Union::new(kinds()).boxed()
}

/// A stream of frames of the host.
pub(crate) fn host_stream() -> BoxedStrategy<Vec<Any>> {
    let frames = proptest::strategy::Union::new(host_kinds());
    let addressed = (any::<u32>(), any::<u64>(), frames);
    let addressed = addressed
        .prop_map(|(at, request, frame)| Any::host(session(frame.kind(), at), request, frame));
    vec(addressed, 1..6).boxed()
}
