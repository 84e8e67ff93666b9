//! What can go wrong between a host and its sidecar. What the guest does wrong is an
//! [`Outcome`](protocol::Outcome) and none of these.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use protocol::frame::Kind;
use protocol::{EncodeError, FrameError, LimitReport, Reason, SessionStats};

/// A sidecar that could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program could not be started at all.
    #[error("cannot start {program}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The connection could not be set up.
    #[error("cannot set up the connection")]
    Connect(#[source] io::Error),
    /// The process did not answer `Hello` in time, and was killed.
    #[error("the sidecar did not say Welcome within {0:?}")]
    NoWelcome(Duration),
    /// The process ended before it answered `Hello`.
    #[error("the sidecar ended before it said Welcome: {0}")]
    Lost(Arc<Lost>),
    /// The process answered `Hello` with something else than `Welcome`.
    #[error("the sidecar did not accept Hello: {0}")]
    Handshake(RequestError),
}

/// A request that got no proper answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The sidecar refused it; it had no effect.
    #[error("refused ({reason}): {message}")]
    Refused {
        /// Why.
        reason: Reason,
        /// The same for people.
        message: String,
        /// The limit that was reached, if one was.
        limit: Option<LimitReport>,
    },
    /// The session is gone, and the request with it.
    #[error("session lost ({reason}): {message}")]
    SessionLost {
        /// Why.
        reason: Reason,
        /// The same for people.
        message: String,
        /// What the session did, if that is known.
        stats: Option<Box<SessionStats>>,
    },
    /// The sidecar is gone, and all its sessions with it.
    #[error("sidecar lost: {0}")]
    SidecarLost(Arc<Lost>),
    /// No answer came within the time that this side waits.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The request does not fit into a frame; nothing was sent.
    #[error("the request cannot be sent: {0}")]
    Unsendable(#[from] EncodeError),
    /// The answer does not follow the protocol.
    #[error("the answer cannot be read: {0}")]
    Unreadable(FrameError),
    /// The answer is one to another kind of request.
    #[error("{0} does not answer this request")]
    Unexpected(Kind),
    /// A handler of output or events, on whose return the reading of the connection waits,
    /// waits for something that must be read.
    #[error("a handler of output or events must not wait for an answer")]
    WaitInHandler,
}

/// How a sidecar was lost.
#[derive(Debug)]
pub struct Lost {
    /// What this side saw of it.
    pub cause: LostCause,
    /// How the process ended, if it is a child that has ended.
    pub status: Option<ExitStatus>,
}

/// What the host saw when the sidecar was lost.
#[derive(Debug)]
#[non_exhaustive]
pub enum LostCause {
    /// It said so: `GoAway`.
    GoAway {
        /// Why.
        reason: Reason,
        /// The same for people.
        message: String,
    },
    /// Its standard output closed without a word.
    Died,
    /// It sent bytes that do not follow the protocol.
    Protocol(FrameError),
    /// The connection failed.
    Io(io::Error),
    /// This side closed the connection.
    Closed,
}

impl Lost {
    /// The exit code of the process, if it ended with one.
    pub fn exit_code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// The signal that killed the process, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            LostCause::GoAway { reason, message } => write!(f, "{reason}: {message}")?,
            LostCause::Died => f.write_str("it closed its standard output")?,
            LostCause::Protocol(err) => write!(f, "it broke the protocol: {err}")?,
            LostCause::Io(err) => write!(f, "the connection failed: {err}")?,
            LostCause::Closed => f.write_str("the connection was closed by this side")?,
        }
        match self.status {
            Some(status) => write!(f, " ({status})"),
            None => Ok(()),
        }
    }
}
