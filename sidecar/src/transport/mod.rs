//! The two descriptors that lead to the host. They may be pipes, sockets (Node gives its
//! children socket pairs) or files.
//!
//! Invariant: after [`adopt_stdio`] descriptor 1 leads to standard error and descriptor 0
//! to nothing, so neither a stray print nor a stray read can touch a frame.

mod hangup;
mod reader;
mod watch;
mod writer;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{SFlag, fstat};
use nix::unistd::{dup2_stdin, dup2_stdout};

pub(crate) use self::hangup::watch_hangup;
pub(crate) use self::reader::{Incoming, start_reader};
pub(crate) use self::watch::Watched;
pub(crate) use self::writer::{Flushed, Writer, writable};

/// Where frames come from and where they go.
#[derive(Debug)]
pub struct Transport {
    pub(crate) input: Channel,
    pub(crate) output: Channel,
}

/// One direction.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) fd: OwnedFd,
    pub(crate) kind: ChannelKind,
}

/// What a descriptor is, as far as waiting for it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    Pipe,
    Socket,
    /// A regular file or a device: it cannot be waited for, and does not make one wait.
    File,
}

/// Why the sidecar cannot talk over its descriptors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// Somebody started the sidecar by hand.
    #[error(
        "{0} is a terminal, and `serve` speaks a binary protocol: it is started by a host \
         program, over pipes or sockets; see PROTOCOL.md"
    )]
    Terminal(&'static str),
    /// The operating system refused.
    #[error("standard input and output cannot be set up: {0}")]
    Io(#[from] io::Error),
}

impl From<nix::Error> for TransportError {
    fn from(err: nix::Error) -> TransportError {
        TransportError::Io(err.into())
    }
}

impl Transport {
    /// Frames are read from `input` and written to `output`, which may be two ends of one
    /// socket.
    ///
    /// # Errors
    ///
    /// When a descriptor is a terminal or its kind cannot be told.
    pub fn new(input: OwnedFd, output: OwnedFd) -> Result<Transport, TransportError> {
        Ok(Transport {
            input: Channel::new(input, "standard input")?,
            output: Channel::new(output, "standard output")?,
        })
    }
}

impl Channel {
    fn new(fd: OwnedFd, name: &'static str) -> Result<Channel, TransportError> {
        if fd.is_terminal() {
            return Err(TransportError::Terminal(name));
        }
        let kind = kind_of(fd.as_fd())?;
        if kind != ChannelKind::File {
            let flags = OFlag::from_bits_retain(fcntl(&fd, FcntlArg::F_GETFL)?);
            fcntl(&fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        }
        Ok(Channel { fd, kind })
    }
}

fn kind_of(fd: BorrowedFd<'_>) -> Result<ChannelKind, nix::Error> {
    let mode = SFlag::from_bits_retain(fstat(fd)?.st_mode) & SFlag::S_IFMT;
    Ok(match mode {
        SFlag::S_IFIFO => ChannelKind::Pipe,
        SFlag::S_IFSOCK => ChannelKind::Socket,
        _ => ChannelKind::File,
    })
}

/// Takes standard input and output for the protocol, under private descriptors that no
/// child inherits.
///
/// # Errors
///
/// When one is a terminal, or the operating system refuses.
pub fn adopt_stdio() -> Result<Transport, TransportError> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let transport = Transport::new(input, take_stdout()?)?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok(transport)
}

/// Takes standard output under a private descriptor, and points descriptor 1 to standard
/// error.
///
/// # Errors
///
/// When the operating system refuses.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where descriptor 1 is taken away from everybody else"
)]
pub fn take_stdout() -> io::Result<OwnedFd> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    Ok(output)
}
