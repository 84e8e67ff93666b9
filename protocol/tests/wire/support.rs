//! Frames of either direction, written and read in one call.

use bytes::BytesMut;
use protocol::frame::{Envelope, HEAD_LEN, Head, HostFrame, Kind, SidecarFrame};
use protocol::{
    Decoded, EncodeError, Fault, FrameDecoder, FrameError, RequestId, SessionId, bounds,
};

/// A frame of either direction and its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Any {
    Host(Envelope<HostFrame>),
    Sidecar(Envelope<SidecarFrame>),
}

impl Any {
    pub(crate) fn host(session: u32, request: u64, frame: impl Into<HostFrame>) -> Any {
        Any::Host(envelope(session, request, frame.into()))
    }

    pub(crate) fn sidecar(session: u32, request: u64, frame: impl Into<SidecarFrame>) -> Any {
        Any::Sidecar(envelope(session, request, frame.into()))
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Any::Host(host) => host.frame.kind(),
            Any::Sidecar(sidecar) => sidecar.frame.kind(),
        }
    }

    pub(crate) fn encode(&self) -> Result<BytesMut, EncodeError> {
        let mut wire = BytesMut::new();
        match self {
            Any::Host(e) => e.frame.encode(e.session, e.request, &mut wire)?,
            Any::Sidecar(e) => e.frame.encode(e.session, e.request, &mut wire)?,
        }
        Ok(wire)
    }

    /// Reads one frame of the direction of `self`; the wire must hold just that.
    pub(crate) fn decode_like(&self, wire: &[u8]) -> Result<Any, FrameError> {
        match self {
            Any::Host(_) => decode_host(wire).map(Any::Host),
            Any::Sidecar(_) => decode_sidecar(wire).map(Any::Sidecar),
        }
    }
}

fn envelope<F>(session: u32, request: u64, frame: F) -> Envelope<F> {
    Envelope {
        session: SessionId(session),
        request: RequestId(request),
        frame,
    }
}

pub(crate) fn decode_host(wire: &[u8]) -> Result<Envelope<HostFrame>, FrameError> {
    decode_one(FrameDecoder::new(), wire)
}

pub(crate) fn decode_sidecar(wire: &[u8]) -> Result<Envelope<SidecarFrame>, FrameError> {
    decode_one(FrameDecoder::new(), wire)
}

fn decode_one<F: protocol::frame::Frame>(
    mut decoder: FrameDecoder<F>,
    wire: &[u8],
) -> Result<Envelope<F>, FrameError> {
    decoder.set_max_body(bounds::MAX_FRAME_CEILING);
    let mut buffer = BytesMut::from(wire);
    let decoded = decoder.decode(&mut buffer)?.expect("the frame is complete");
    assert!(decoder.is_between_frames(&buffer), "bytes are left over");
    match decoded {
        Decoded::Frame(envelope) => Ok(envelope),
        Decoded::Rejected(_, error) => Err(error),
    }
}

/// A frame with this body, whatever it holds.
pub(crate) fn raw(kind: Kind, session: u32, body: &[u8]) -> BytesMut {
    let mut wire = BytesMut::new();
    let mut head = Head::new(kind, SessionId(session), RequestId(1));
    head.body_len = u32::try_from(body.len()).unwrap();
    head.encode(&mut wire);
    wire.extend_from_slice(body);
    wire
}

/// The body of a single frame.
pub(crate) fn body(wire: &[u8]) -> &[u8] {
    &wire[HEAD_LEN..]
}

pub(crate) fn malformed(field: &'static str, fault: Fault) -> FrameError {
    FrameError::Malformed { field, fault }
}
