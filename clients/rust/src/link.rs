//! The descriptors of a connection: waiting until one is ready, and a way to interrupt that.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Instant;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};

/// What the descriptors are ready for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

/// The reading end, and a bell for whoever waits at it.
#[derive(Debug)]
pub(crate) struct Link {
    reader: File,
    bell: EventFd,
}

/// The writing end. Whoever waits for it to become writable shares it.
pub(crate) type Writer = Arc<File>;

/// How much of a buffer the other side takes now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Bytes(usize),
    /// It takes none any more.
    Broken,
}

impl Link {
    /// Takes over both ends; from here on they do not block.
    pub(crate) fn new(reader: OwnedFd, writer: OwnedFd) -> io::Result<(Link, Writer)> {
        set_nonblocking(&reader)?;
        set_nonblocking(&writer)?;
        let link = Link {
            reader: File::from(reader),
            bell: EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?,
        };
        Ok((link, Arc::new(File::from(writer))))
    }

    /// Waits until there is something to read, `writer` takes bytes, somebody rings, or
    /// `deadline` has come.
    pub(crate) fn wait(&self, writer: Option<&Writer>, deadline: Instant) -> io::Result<Ready> {
        let mut fds = vec![
            PollFd::new(self.reader.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.bell.as_fd(), PollFlags::POLLIN),
        ];
        if let Some(writer) = writer {
            fds.push(PollFd::new(writer.as_fd(), PollFlags::POLLOUT));
        }
        match poll(&mut fds, timeout_until(deadline)) {
            Ok(_) => {}
            Err(nix::Error::EINTR) => return Ok(Ready::default()),
            Err(err) => return Err(err.into()),
        }
        // Errors and hang-ups count as ready: the read or the write will tell.
        let mut ready = fds.iter().map(|fd| fd.any().unwrap_or(true));
        let readable = ready.next().unwrap_or(false);
        let rung = ready.next().unwrap_or(false);
        let writable = ready.next().unwrap_or(false);
        if rung {
            // The error is that another thread has taken the ring already.
            let _ = self.bell.read();
        }
        Ok(Ready { readable, writable })
    }

    /// Interrupts whoever waits.
    pub(crate) fn ring(&self) {
        // The error is that it has been rung 2^64 - 2 times already.
        let _ = self.bell.write(1);
    }

    /// Reads what is there: `Ok(None)` when nothing is, `Ok(Some(0))` at the end.
    pub(crate) fn read(&self, buf: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.reader).read(buf) {
            Ok(len) => Ok(Some(len)),
            Err(err) if is_temporary(&err) => Ok(None),
            Err(err) => Err(err),
        }
    }
}

/// Writes what is taken without waiting.
pub(crate) fn write(mut writer: &File, bytes: &[u8]) -> io::Result<Accepted> {
    match writer.write(bytes) {
        Ok(len) => Ok(Accepted::Bytes(len)),
        Err(err) if is_temporary(&err) => Ok(Accepted::Bytes(0)),
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(Accepted::Broken),
        Err(err) if err.kind() == io::ErrorKind::ConnectionReset => Ok(Accepted::Broken),
        Err(err) => Err(err),
    }
}

fn is_temporary(err: &io::Error) -> bool {
    matches!(
        err.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

fn set_nonblocking(fd: &OwnedFd) -> io::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

/// Rounded up, so that a deadline is not awaited in turns of nothing.
fn timeout_until(deadline: Instant) -> PollTimeout {
    let left = deadline.saturating_duration_since(Instant::now());
    let millis = left.as_micros().div_ceil(1000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}
