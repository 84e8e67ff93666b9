//! Bytes in, frames out. Sans-IO: the caller reads, this slices.

use std::marker::PhantomData;

use bytes::{Buf, BytesMut};

use crate::bounds::{HELLO_MAX_FRAME, MAX_FRAME_CEILING};
use crate::frame::{Envelope, Frame, HEAD_LEN, Head};
use crate::{FrameError, Scope};

/// The buffer for a body is at least this large, so that small frames share one.
const MIN_BUFFER: usize = 8 * 1024;

/// What one complete frame on the wire turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decoded<F> {
    /// A well-formed frame.
    Frame(Envelope<F>),
    /// A frame whose boundaries are clear but whose content is not.
    /// The stream is still in step: answer `head.request` and go on.
    Rejected(Head, FrameError),
}

/// Splits a byte stream into frames of one direction: the sidecar reads with
/// `FrameDecoder<HostFrame>`, a host with `FrameDecoder<SidecarFrame>`.
///
/// Invariant: between calls, `state` is `Body(head)` exactly when the head has been
/// taken off the buffer and its body has not, and then `head.body_len` was within
/// the limit when it was read. Memory is reserved only after that check.
#[derive(Debug)]
pub struct FrameDecoder<F> {
    max_body: u32,
    state: State,
    frames: PhantomData<fn() -> F>,
}

#[derive(Debug)]
enum State {
    Head,
    Body(Head),
}

impl<F: Frame> FrameDecoder<F> {
    /// Accepts what is allowed before `Hello` is answered: bodies up to
    /// [`HELLO_MAX_FRAME`].
    pub fn new() -> FrameDecoder<F> {
        FrameDecoder {
            max_body: HELLO_MAX_FRAME,
            state: State::Head,
            frames: PhantomData,
        }
    }

    /// Accepts bodies up to `max_body` bytes from the next head on, but never more
    /// than [`MAX_FRAME_CEILING`].
    pub fn set_max_body(&mut self, max_body: u32) {
        self.max_body = max_body.min(MAX_FRAME_CEILING);
    }

    /// The longest body that is accepted, in bytes.
    pub fn max_body(&self) -> u32 {
        self.max_body
    }

    /// Whether the stream may end here: no frame has been begun.
    pub fn is_between_frames(&self, src: &BytesMut) -> bool {
        matches!(self.state, State::Head) && src.is_empty()
    }

    /// Takes the next frame off `src`, or `None` when more bytes are needed.
    ///
    /// # Errors
    ///
    /// Only errors of [`Scope::Connection`]: the stream cannot be followed further,
    /// and every later call fails in the same way.
    pub fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Decoded<F>>, FrameError> {
        let head = match self.state {
            State::Body(head) => head,
            State::Head => match self.take_head(src)? {
                Some(head) => head,
                None => return Ok(None),
            },
        };
        let Ok(len) = usize::try_from(head.body_len) else {
            return Err(self.too_large(head.body_len));
        };
        if src.len() < len {
            self.state = State::Body(head);
            make_room(src, len);
            return Ok(None);
        }

        self.state = State::Head;
        let body = src.split_to(len).freeze();
        match F::load(&head, body) {
            Ok(frame) => Ok(Some(Decoded::Frame(Envelope {
                session: head.session,
                request: head.request,
                frame,
            }))),
            Err(err) if err.scope() == Scope::Connection => Err(err),
            Err(err) => Ok(Some(Decoded::Rejected(head, err))),
        }
    }

    fn take_head(&self, src: &mut BytesMut) -> Result<Option<Head>, FrameError> {
        let Some(raw) = src.first_chunk::<HEAD_LEN>() else {
            return Ok(None);
        };
        let head = Head::load(raw)?;
        // PROTOCOL.md 2.1: the length is checked before memory is reserved.
        if self.max_body < head.body_len {
            return Err(self.too_large(head.body_len));
        }
        src.advance(HEAD_LEN);
        Ok(Some(head))
    }

    fn too_large(&self, announced: u32) -> FrameError {
        FrameError::FrameTooLarge {
            announced,
            limit: self.max_body,
        }
    }
}

impl<F: Frame> Default for FrameDecoder<F> {
    fn default() -> FrameDecoder<F> {
        FrameDecoder::new()
    }
}

/// Gives `src`, the beginning of a body of `len` bytes, room for all of it and not
/// more: `BytesMut::reserve` would double what is there.
fn make_room(src: &mut BytesMut, len: usize) {
    if src.capacity() < len {
        let mut roomy = BytesMut::with_capacity(len.max(MIN_BUFFER));
        roomy.extend_from_slice(src);
        *src = roomy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Cancel, HostFrame, Kind, Ping, SidecarFrame};
    use crate::{RequestId, SessionId};

    fn ping(payload: &[u8; 8], wire: &mut BytesMut) -> Decoded<HostFrame> {
        let frame = HostFrame::Ping(Ping { payload: *payload });
        let (session, request) = (SessionId::CONNECTION, RequestId(1));
        frame.encode(session, request, wire).unwrap();
        Decoded::Frame(Envelope {
            session,
            request,
            frame,
        })
    }

    fn decoder(max_body: u32) -> FrameDecoder<HostFrame> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_body(max_body);
        decoder
    }

    /// The one place that drives the decoder; tests are data.
    #[track_caller]
    fn check(chunks: &[&[u8]], expected: &[Decoded<HostFrame>]) {
        let (mut decoder, mut buf, mut got) = (decoder(16), BytesMut::new(), Vec::new());
        for chunk in chunks {
            buf.extend_from_slice(chunk);
            while let Some(decoded) = decoder.decode(&mut buf).unwrap() {
                got.push(decoded);
            }
        }
        assert_eq!(got, expected);
        assert!(decoder.is_between_frames(&buf));
    }

    #[test]
    fn split_anywhere_gives_the_same_frames() {
        let mut wire = BytesMut::new();
        let expected = [ping(b"01234567", &mut wire), ping(b"89abcdef", &mut wire)];
        for cut in 0..=wire.len() {
            check(&[&wire[..cut], &wire[cut..]], &expected);
        }
    }

    #[track_caller]
    fn check_rejected(head: Head, body: &[u8], error: FrameError) {
        assert_eq!(error.scope(), Scope::Request);
        let mut wire = BytesMut::new();
        let body_len = u32::try_from(body.len()).unwrap();
        let head = Head { body_len, ..head };
        head.encode(&mut wire);
        wire.extend_from_slice(body);
        let next = ping(b"01234567", &mut wire);
        check(&[&wire], &[Decoded::Rejected(head, error), next]);
    }

    #[test]
    fn what_concerns_one_request_is_rejected_and_the_stream_goes_on() {
        let (session, request) = (SessionId(1), RequestId(9));
        let unknown = Head::new(Kind::Unknown(0x7f), session, request);
        check_rejected(unknown, b"??", FrameError::UnknownKind(0x7f));

        let kind = Kind::Cancel;
        let cancel = Head::new(kind, session, request);
        let flagged = Head { flags: 2, ..cancel };
        check_rejected(flagged, b"", FrameError::UnknownFlags { kind, flags: 2 });

        let session = SessionId::CONNECTION;
        let nowhere = Head { session, ..cancel };
        check_rejected(nowhere, b"", FrameError::BadSessionId { kind, session });

        let kind = Kind::HostCall;
        check_rejected(
            Head { kind, ..cancel },
            b"",
            FrameError::WrongDirection(kind),
        );

        let fault = crate::Fault::TrailingBytes { count: 1 };
        let field = "body";
        check_rejected(cancel, b"?", FrameError::Malformed { field, fault });
    }

    #[test]
    fn a_length_up_to_the_limit_is_accepted() {
        for (len, accepted) in [(15, true), (16, true), (17, false), (u32::MAX, false)] {
            let mut wire = BytesMut::new();
            let head = Head {
                body_len: len,
                ..Head::new(Kind::Ping, SessionId::CONNECTION, RequestId(0))
            };
            head.encode(&mut wire);
            let capacity = wire.capacity();
            let mut decoder = decoder(16);
            if accepted {
                assert_eq!(decoder.decode(&mut wire), Ok(None));
                assert!(!decoder.is_between_frames(&wire));
                continue;
            }
            let error = FrameError::FrameTooLarge {
                announced: len,
                limit: 16,
            };
            assert_eq!(error.scope(), Scope::Connection);
            assert_eq!(decoder.decode(&mut wire), Err(error.clone()));
            assert_eq!(decoder.decode(&mut wire), Err(error));
            assert_eq!(wire.capacity(), capacity);
        }
    }

    #[test]
    fn the_limit_starts_small_and_never_passes_the_ceiling() {
        let mut decoder = FrameDecoder::<SidecarFrame>::default();
        assert_eq!(decoder.max_body(), HELLO_MAX_FRAME);
        decoder.set_max_body(u32::MAX);
        assert_eq!(decoder.max_body(), MAX_FRAME_CEILING);
    }

    #[test]
    fn a_body_gets_the_room_it_needs_and_no_more() {
        let mut wire = BytesMut::new();
        let head = Head {
            body_len: 50_000,
            ..Head::new(Kind::Execute, SessionId(1), RequestId(0))
        };
        head.encode(&mut wire);
        wire.extend_from_slice(&[7; 30_000]);
        assert_eq!(decoder(50_000).decode(&mut wire), Ok(None));
        assert_eq!(wire.capacity(), 50_000);
        assert_eq!(&wire[..], &[7; 30_000]);
    }

    #[test]
    fn reserved_bits_end_the_connection() {
        let mut wire = BytesMut::new();
        ping(b"01234567", &mut wire);
        wire[7] = 1;
        let error = decoder(16).decode(&mut wire).unwrap_err();
        assert_eq!(error, FrameError::ReservedNotZero(1));
        assert_eq!(error.scope(), Scope::Connection);
    }

    #[test]
    fn what_is_too_long_for_the_peer_is_not_written() {
        let frame = HostFrame::Ping(Ping { payload: [0; 8] });
        let mut wire = BytesMut::from(&b"before"[..]);
        let at = (SessionId::CONNECTION, RequestId(0));
        let error = crate::EncodeError::FrameTooLarge { len: 8, limit: 7 };
        let encoded = frame.encode_within(7, at.0, at.1, &mut wire);
        assert_eq!(encoded, Err(error));
        assert_eq!(&wire[..], b"before");
        frame.encode_within(8, at.0, at.1, &mut wire).unwrap();
        assert_eq!(wire.len(), 6 + HEAD_LEN + 8);
    }

    #[test]
    fn a_frame_is_not_written_to_the_wrong_session() {
        let mut wire = BytesMut::new();
        let cancel = HostFrame::Cancel(Cancel {});
        let session = SessionId::CONNECTION;
        let kind = Kind::Cancel;
        assert_eq!(
            cancel.encode(session, RequestId(1), &mut wire),
            Err(crate::EncodeError::BadSessionId { kind, session })
        );
        assert!(wire.is_empty());
    }
}
