//! Drives a sidecar of ours over its pipes: one thread, blocking reads and writes, one write a frame. Only what the measurements need.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command};
use std::time::Duration;

use bytes::BytesMut;
use protocol::frame::{
    CloseSession, Code, Execute, Hello, HostReply, OpenSession, OutcomeFrame, Reply, Reset,
    SessionClosed, SnapshotReady, Until, WarmSnapshot, Welcome,
};
use protocol::{
    CallId, CallMode, Decoded, Envelope, FrameDecoder, HostFrame, HostFunction, LimitsRequest,
    Outcome, PROTOCOL_VERSION, RequestId, Root, SessionId, SidecarFrame, Value, ValueFormat,
};

use crate::error::{Error, Result};
use crate::process::{Process, command};

const READ_BYTES: usize = 64 * 1024;

/// A running sidecar, shaken hands with.
pub(crate) struct Sidecar {
    stdin: ChildStdin,
    stdout: ChildStdout,
    decoder: FrameDecoder<SidecarFrame>,
    unread: BytesMut,
    scratch: Box<[u8]>,
    unwritten: BytesMut,
    last_request: u64,
    welcome: Welcome,
    /// After the pipes, which close first: the sidecar ends by itself then.
    process: Process,
}

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With its own reply.
    Outcome(OutcomeFrame),
    /// With the end of its session.
    Lost(Reset),
}

impl Sidecar {
    /// Starts `program serve`; kills it after `bound`. Standard error goes to `log`.
    pub(crate) fn start(program: &Path, bound: Duration, log: &Path) -> Result<Sidecar> {
        let mut serve = command(program);
        serve.arg("serve");
        Sidecar::start_with(serve, bound, log)
    }

    /// As [`Sidecar::start`], with a command that leads to one.
    pub(crate) fn start_with(command: Command, bound: Duration, log: &Path) -> Result<Sidecar> {
        let (process, stdin, stdout) = Process::start(command, bound, log)?;
        let mut sidecar = Sidecar {
            stdin,
            stdout,
            decoder: FrameDecoder::new(),
            unread: BytesMut::new(),
            scratch: vec![0; READ_BYTES].into_boxed_slice(),
            unwritten: BytesMut::new(),
            last_request: 0,
            welcome: Welcome::default_for_tests(),
            process,
        };
        sidecar.shake_hands()?;
        Ok(sidecar)
    }
}
