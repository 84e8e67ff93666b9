//! Bytes that have been read and frames that have not been dispatched yet.

use std::io;

use bytes::BytesMut;
use protocol::{Decoded, FrameDecoder, FrameError, SidecarFrame};

use crate::link::Link;

/// What one read takes at most: what a pipe holds.
const READ_SIZE: usize = 64 * 1024;

/// Belongs to whoever leads.
#[derive(Debug)]
pub(crate) struct Inbox {
    decoder: FrameDecoder<SidecarFrame>,
    unread: BytesMut,
    scratch: Box<[u8]>,
}

impl Inbox {
    pub(super) fn new() -> Inbox {
        Inbox {
            decoder: FrameDecoder::new(),
            unread: BytesMut::new(),
            scratch: vec![0; READ_SIZE].into_boxed_slice(),
        }
    }

    pub(super) fn set_max_body(&mut self, max_body: u32) {
        self.decoder.set_max_body(max_body);
    }

    pub(super) fn next_frame(&mut self) -> Result<Option<Decoded<SidecarFrame>>, FrameError> {
        self.decoder.decode(&mut self.unread)
    }

    /// Reads what is there. `false` says that nothing will come any more.
    pub(super) fn read_from(&mut self, link: &Link) -> io::Result<bool> {
        match link.read(&mut self.scratch)? {
            None => Ok(true),
            Some(0) => Ok(false),
            Some(len) => {
                let read = self.scratch.get(..len).unwrap_or_default();
                self.unread.extend_from_slice(read);
                Ok(true)
            }
        }
    }
}
