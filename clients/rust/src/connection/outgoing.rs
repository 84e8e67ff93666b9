//! Frames that the pipe has not taken yet. Nothing here blocks.

use bytes::{Buf, BytesMut};
use protocol::bounds::HELLO_MAX_FRAME;
use protocol::{EncodeError, HostFrame, RequestId, SessionId};

use crate::link::{Accepted, Writer, write};

/// With more than this waiting, new requests wait first. Replies to host calls do not: they
/// are bounded by the calls in flight.
const HIGH_WATER: usize = 1 << 20;
/// An empty buffer that has grown beyond this is given back.
const KEEP_CAPACITY: usize = 256 * 1024;

/// The writing end and what waits for it.
#[derive(Debug)]
pub(crate) struct Outgoing {
    writer: Option<Writer>,
    waiting: BytesMut,
    max_body: u32,
}

impl Outgoing {
    pub(super) fn new(writer: Writer) -> Outgoing {
        Outgoing {
            writer: Some(writer),
            waiting: BytesMut::new(),
            max_body: HELLO_MAX_FRAME,
        }
    }

    pub(super) fn set_max_body(&mut self, max_body: u32) {
        self.max_body = max_body;
    }

    /// Queues a frame and writes as much as is taken at once.
    pub(super) fn push(
        &mut self,
        session: SessionId,
        request: RequestId,
        frame: &HostFrame,
    ) -> Result<(), EncodeError> {
        frame.encode_within(self.max_body, session, request, &mut self.waiting)?;
        self.flush();
        Ok(())
    }

    /// Writes as much as is taken; says whether nothing is left.
    pub(super) fn flush(&mut self) -> bool {
        while !self.waiting.is_empty() {
            let accepted = match &self.writer {
                Some(writer) => write(writer, &self.waiting),
                None => Ok(Accepted::Broken),
            };
            match accepted {
                Ok(Accepted::Bytes(0)) => return false,
                Ok(Accepted::Bytes(len)) => self.waiting.advance(len),
                // The reading end will tell what has happened.
                Ok(Accepted::Broken) | Err(_) => self.close(),
            }
        }
        if KEEP_CAPACITY < self.waiting.capacity() {
            self.waiting = BytesMut::new();
        }
        true
    }

    /// Closes the writing end: the other side reads to the end of what was written.
    pub(super) fn close(&mut self) {
        self.writer = None;
        self.waiting.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() <= HIGH_WATER
    }

    /// The writing end, if something waits for it.
    pub(super) fn blocked_writer(&self) -> Option<Writer> {
        match self.is_empty() {
            true => None,
            false => self.writer.clone(),
        }
    }
}
