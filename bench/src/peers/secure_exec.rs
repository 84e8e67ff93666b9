//! Drives `secure-exec-v8`, the V8 process of secure-exec, as its host library does: over its Unix socket, but with no bridge code.
//!
//! The process prints the path of its socket as the first line of its standard output and expects the token of its environment in the
//! first frame. A frame:
//!
//! ```text
//!  0            4      5        6                6+n
//! +------------+------+--------+----------------+------------------
//! | length u32 | type | n (u8) | session (text) | fields of the type
//! +------------+------+--------+----------------+------------------
//! ```
//!
//! Integers are big-endian; the length counts all behind it. Creating and destroying a session has no reply.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::error::{MeasureError, Result};
use crate::process::{Process, command};

const READ_BYTES: usize = 64 * 1024;
/// By default it runs as many sessions as there are processors and lets the others wait.
const MAX_SESSIONS: &str = "256";

const AUTHENTICATE: u8 = 0x01;
const CREATE_SESSION: u8 = 0x02;
const DESTROY_SESSION: u8 = 0x03;
const EXECUTE: u8 = 0x05;
const BRIDGE_RESPONSE: u8 = 0x06;
const BRIDGE_CALL: u8 = 0x81;
const EXECUTION_RESULT: u8 = 0x82;

/// `Execute` runs a script, and its result has no value.
const MODE_SCRIPT: u8 = 0;
/// A `BridgeResponse` of bytes in V8's serialisation; none at all are `undefined`.
const STATUS_VALUE: u8 = 0;

/// A running `secure-exec-v8`.
#[derive(Debug)]
pub(crate) struct SecureExec {
    socket: UnixStream,
    socket_path: PathBuf,
    unread: BytesMut,
    scratch: Box<[u8]>,
    unwritten: BytesMut,
    process: Process,
}

/// What it sends.
#[derive(Debug)]
pub(crate) enum Event {
    /// The guest called a function of the host.
    Call { id: u64 },
    /// A script has ended; 0 is success.
    Result { exit_code: i32 },
    /// Something else.
    Other,
}

impl SecureExec {
    /// Starts `program`, which is killed after `bound`. Its standard error goes to `log`.
    pub(crate) fn start(program: &Path, bound: Duration, log: &Path) -> Result<SecureExec> {
        let token = fs::read_to_string("/proc/sys/kernel/random/uuid")
            .map_err(MeasureError::io("read a random number"))?
            .trim()
            .replace('-', "");
        let mut server = command(program);
        server
            .env("SECURE_EXEC_V8_TOKEN", &token)
            .env("SECURE_EXEC_V8_MAX_SESSIONS", MAX_SESSIONS);
        let (process, _stdin, stdout) = Process::start(server, bound, log)?;
        let mut line = String::new();
        BufReader::new(stdout)
            .read_line(&mut line)
            .map_err(MeasureError::io("read the path of the socket"))?;
        let socket_path = PathBuf::from(line.trim());
        let socket =
            UnixStream::connect(&socket_path).map_err(MeasureError::io("connect to the peer"))?;
        let mut peer = SecureExec {
            socket,
            socket_path,
            unread: BytesMut::new(),
            scratch: vec![0; READ_BYTES].into_boxed_slice(),
            unwritten: BytesMut::new(),
            process,
        };
        peer.send(AUTHENTICATE, "", |frame| frame.put_slice(token.as_bytes()))?;
        Ok(peer)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub(crate) fn create(&mut self, session: &str, heap_mib: u32) -> Result<()> {
        self.send(CREATE_SESSION, session, |frame| {
            frame.put_u32(heap_mib);
            // No limit on CPU time.
            frame.put_u32(0);
        })
    }

    pub(crate) fn destroy(&mut self, session: &str) -> Result<()> {
        self.send(DESTROY_SESSION, session, |_| ())
    }

    /// Sends a script; [`SecureExec::result`] or [`SecureExec::next`] tell of its end.
    pub(crate) fn execute(&mut self, session: &str, script: &str) -> Result<()> {
        self.send(EXECUTE, session, |frame| {
            frame.put_u8(MODE_SCRIPT);
            // No file name, no bridge code, no script to run after a snapshot is restored.
            frame.put_u16(0);
            frame.put_u32(0);
            frame.put_u32(0);
            frame.put_slice(script.as_bytes());
        })
    }

    /// Answers a call with `undefined`.
    pub(crate) fn answer(&mut self, session: &str, call: u64) -> Result<()> {
        self.send(BRIDGE_RESPONSE, session, |frame| {
            frame.put_u64(call);
            frame.put_u8(STATUS_VALUE);
        })
    }

    /// Waits until the script that runs has ended well.
    pub(crate) fn result(&mut self) -> Result<()> {
        match self.next()? {
            Event::Result { exit_code: 0 } => Ok(()),
            other => Err(MeasureError::unexpected("a result of the peer", other)),
        }
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Result<Event> {
        loop {
            if let Some(frame) = take_frame(&mut self.unread) {
                return event(frame)
                    .ok_or(MeasureError::Missing("a frame of the peer is too short"));
            }
            let read = self
                .socket
                .read(&mut self.scratch)
                .map_err(MeasureError::io("read from the peer"))?;
            match self.scratch.get(..read) {
                None | Some([]) => return Err(MeasureError::Gone("the peer")),
                Some(bytes) => self.unread.extend_from_slice(bytes),
            }
        }
    }

    fn send(&mut self, kind: u8, session: &str, fields: impl FnOnce(&mut BytesMut)) -> Result<()> {
        let frame = &mut self.unwritten;
        frame.clear();
        frame.put_u32(0);
        frame.put_u8(kind);
        frame.put_u8(u8::try_from(session.len()).unwrap_or(u8::MAX));
        frame.put_slice(session.as_bytes());
        fields(frame);
        let length = u32::try_from(frame.len().saturating_sub(4)).unwrap_or(u32::MAX);
        if let Some(head) = frame.first_chunk_mut::<4>() {
            *head = length.to_be_bytes();
        }
        self.socket
            .write_all(frame)
            .map_err(MeasureError::io("write to the peer"))
    }
}

impl Drop for SecureExec {
    fn drop(&mut self) {
        self.process.terminate();
        // The folder of its socket, which it made and leaves behind when it is killed.
        let _ = self.process.wait();
        if let Some(folder) = self.socket_path.parent() {
            let _ = fs::remove_file(&self.socket_path);
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Takes a frame without its length off `unread`.
fn take_frame(unread: &mut BytesMut) -> Option<Bytes> {
    let length = usize::try_from(u32::from_be_bytes(*unread.first_chunk::<4>()?)).ok()?;
    if unread.len() < length.checked_add(4)? {
        return None;
    }
    unread.advance(4);
    Some(unread.split_to(length).freeze())
}

fn event(mut frame: Bytes) -> Option<Event> {
    let kind = frame.try_get_u8().ok()?;
    let session = usize::from(frame.try_get_u8().ok()?);
    if frame.len() < session {
        return None;
    }
    frame.advance(session);
    match kind {
        BRIDGE_CALL => frame.try_get_u64().ok().map(|id| Event::Call { id }),
        EXECUTION_RESULT => {
            let exit_code = frame.try_get_i32().ok()?;
            Some(Event::Result { exit_code })
        }
        _ => Some(Event::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_taken_when_it_is_whole() {
        let call = b"\0\0\0\x0d\x81\x02s1\0\0\0\0\0\0\0\x07\0";
        for cut in 0..call.len() {
            assert_eq!(take_frame(&mut BytesMut::from(&call[..cut])), None);
        }
        let frame = take_frame(&mut BytesMut::from(&call[..])).unwrap();
        assert!(matches!(event(frame), Some(Event::Call { id: 7 })));
    }

    #[test]
    fn results_tell_the_exit_code() {
        let bytes = Bytes::from_static(b"\x82\0\0\0\0\x01\x02");
        assert!(matches!(event(bytes), Some(Event::Result { exit_code: 1 })));
        assert!(event(Bytes::from_static(b"\x82\x05ab")).is_none());
    }
}
