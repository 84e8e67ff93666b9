//! Bytes in, whole frames out, uninterpreted but for their heads; and descriptors that may or
//! may not block.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use bytes::{Bytes, BytesMut};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::bounds::MAX_FRAME_CEILING;
use protocol::frame::{HEAD_LEN, Head};

/// Read at one time.
const CHUNK: usize = 64 * 1024;

/// Invariant: what is kept is less than one frame, and one read.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    buffer: BytesMut,
    /// The stream is out of step: whoever reads it will say so, and all passes as it is.
    is_raw: bool,
}

impl Splitter {
    /// Reads once. 0 is the end of the stream.
    pub(super) fn read(&mut self, from: &mut impl Read) -> io::Result<usize> {
        let begun = self.buffer.len();
        self.buffer.resize(begun.saturating_add(CHUNK), 0);
        let into = self.buffer.get_mut(begun..).unwrap_or_default();
        let result = from.read(into);
        let n = *result.as_ref().unwrap_or(&0);
        self.buffer.truncate(begun.saturating_add(n));
        result
    }

    /// The next whole frame, with its head; without one, bytes that are no frame.
    pub(super) fn next(&mut self) -> Option<(Option<Head>, Bytes)> {
        if self.is_raw {
            let rest = self.rest();
            return (!rest.is_empty()).then_some((None, rest));
        }
        let head = Head::load(self.buffer.first_chunk::<HEAD_LEN>()?);
        let head = head.ok().filter(|head| head.body_len <= MAX_FRAME_CEILING);
        let Some(head) = head else {
            self.is_raw = true;
            return self.next();
        };
        let len = usize::try_from(head.body_len)
            .unwrap_or(usize::MAX)
            .saturating_add(HEAD_LEN);
        if self.buffer.len() < len {
            return None;
        }
        Some((Some(head), self.buffer.split_to(len).freeze()))
    }

    /// What is left of a stream that has ended.
    pub(super) fn rest(&mut self) -> Bytes {
        self.buffer.split().freeze()
    }
}

/// A descriptor whose other users may have made it one that does not block.
#[derive(Debug)]
pub(super) struct Pipe(File);

impl Pipe {
    pub(super) fn new(descriptor: OwnedFd) -> Pipe {
        Pipe(File::from(descriptor))
    }

    fn wait(&self, flags: PollFlags) -> io::Result<()> {
        let mut wanted = [PollFd::new(self.0.as_fd(), flags)];
        poll(&mut wanted, PollTimeout::NONE)?;
        Ok(())
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(into) {
                Err(err) if err.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLIN)?,
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(from) {
                Err(err) if err.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLOUT)?,
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use protocol::frame::{Kind, Ping};
    use protocol::{HostFrame, RequestId, SessionId};

    use super::*;

    fn ping(request: u64) -> BytesMut {
        let mut bytes = BytesMut::new();
        HostFrame::from(Ping { payload: [1; 8] })
            .encode(SessionId::CONNECTION, RequestId::new(request), &mut bytes)
            .unwrap();
        bytes
    }

    #[test]
    fn frames_pass_whole_wherever_the_reads_end() {
        let mut wire = ping(1);
        wire.extend_from_slice(&ping(2));
        for cut in 0..=wire.len() {
            let (mut splitter, mut got) = (Splitter::default(), Vec::new());
            for mut part in [&wire[..cut], &wire[cut..]] {
                splitter.read(&mut part).unwrap();
                while let Some((head, frame)) = splitter.next() {
                    got.push((head.unwrap().request, frame));
                }
            }
            assert_eq!(got.len(), 2);
            assert_eq!(got[0], (RequestId::new(1), ping(1).freeze()));
            assert_eq!(got[1], (RequestId::new(2), ping(2).freeze()));
            assert!(splitter.rest().is_empty());
        }
    }

    #[test]
    fn a_stream_that_is_out_of_step_passes_as_it_is() {
        let head = Head {
            body_len: MAX_FRAME_CEILING + 1,
            ..Head::new(Kind::Ping, SessionId::CONNECTION, RequestId::new(1))
        };
        let mut wire = Vec::new();
        head.encode(&mut wire);
        wire.extend_from_slice(b"and more");
        let mut splitter = Splitter::default();
        splitter.read(&mut wire.as_slice()).unwrap();
        let (head, bytes) = splitter.next().unwrap();
        assert!(head.is_none());
        assert_eq!(bytes, wire);
        assert!(splitter.next().is_none());
    }
}
