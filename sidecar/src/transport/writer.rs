//! Frames out. The router calls [`Writer::flush`] after each turn, so that a frame is
//! written on the very poll that caused it: no task, no queue, no wake-up in between.
//! Only when the descriptor takes no more is it watched.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use bytes::Buf;
use tokio::io::Interest;

use super::Channel;
use super::watch::{Watched, watch};
use crate::outbox::{Outbox, Parcel};

/// Most frames in one write.
const MAX_PARCELS: usize = 64;
/// A write is not made larger than this by adding frames to it.
const MAX_BATCH: usize = 256 * 1024;

/// Owns the way to the host.
#[derive(Debug)]
pub(crate) struct Writer {
    file: File,
    /// Being written: the first may be written in part.
    batch: VecDeque<(usize, Parcel)>,
    batch_len: usize,
    n_written: u64,
    /// Present while the descriptor takes no more.
    blocked: Option<Arc<Watched>>,
}

/// How a flush went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// Everything was written.
    All,
    /// The descriptor takes no more now.
    Blocked,
}

impl Writer {
    pub(crate) fn new(output: Channel) -> Writer {
        Writer {
            file: File::from(output.fd),
            batch: VecDeque::new(),
            batch_len: 0,
            n_written: 0,
            blocked: None,
        }
    }

    /// Writes as much as the descriptor takes. Never blocks.
    ///
    /// # Errors
    ///
    /// When nobody reads any more.
    pub(crate) fn flush(&mut self, outbox: &mut Outbox) -> io::Result<Flushed> {
        loop {
            self.fill(outbox);
            if self.batch.is_empty() {
                self.blocked = None;
                return Ok(Flushed::All);
            }
            match self.write() {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.advance(n, outbox),
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                Err(err) if err.kind() == ErrorKind::WouldBlock => {
                    self.watch_writable()?;
                    return Ok(Flushed::Blocked);
                }
                Err(err) => return Err(err),
            }
        }
    }

    /// What to wait for before the next flush, when the last one was cut short.
    pub(crate) fn blocked(&self) -> Option<Arc<Watched>> {
        self.blocked.clone()
    }

    /// Bytes that the descriptor has taken.
    pub(crate) fn n_written(&self) -> u64 {
        self.n_written
    }

    /// Whether nothing is being written.
    pub(crate) fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.blocked.is_none()
    }

    /// Any thread: one write of what waits. Whatever it leaves over is for the next
    /// [`Writer::flush`].
    pub(crate) fn flush_once(&mut self, outbox: &mut Outbox) -> io::Result<Flushed> {
        self.fill(outbox);
        let n = self.write()?;
        self.advance(n, outbox);
        Ok(match self.batch.is_empty() {
            true => Flushed::All,
            false => Flushed::Blocked,
        })
    }

    fn fill(&mut self, outbox: &mut Outbox) {
        while self.batch.len() < MAX_PARCELS && self.batch_len < MAX_BATCH {
            let Some(parcel) = outbox.pop() else {
                return;
            };
            self.batch_len = self.batch_len.saturating_add(parcel.bytes.len());
            self.batch.push_back((parcel.bytes.len(), parcel));
        }
    }

    fn write(&self) -> io::Result<usize> {
        let mut file = &self.file;
        if let [(_, parcel)] = self.batch.as_slices().0 {
            return file.write(&parcel.bytes);
        }
        let slices: Vec<_> = self
            .batch
            .iter()
            .map(|(_, parcel)| IoSlice::new(&parcel.bytes))
            .collect();
        file.write_vectored(&slices)
    }

    fn advance(&mut self, n: usize, outbox: &mut Outbox) {
        self.batch_len = self.batch_len.saturating_sub(n);
        let more = u64::try_from(n).unwrap_or(u64::MAX);
        self.n_written = self.n_written.saturating_add(more);
        let mut left = n;
        while let Some((len, parcel)) = self.batch.front_mut() {
            if left < parcel.bytes.len() {
                parcel.bytes.advance(left);
                return;
            }
            left = left.saturating_sub(parcel.bytes.len());
            outbox.written(*len, parcel);
            self.batch.pop_front();
        }
    }

    fn watch_writable(&mut self) -> io::Result<()> {
        if self.blocked.is_none() {
            // One descriptor is watched once; the hang-up watch has another.
            let fd = OwnedFd::from(self.file.try_clone()?);
            self.blocked = Some(Arc::new(watch(fd, Interest::WRITABLE)?));
        }
        Ok(())
    }
}

/// Waits until the descriptor takes more, or never will.
pub(crate) async fn writable(blocked: &Watched) {
    if let Ok(mut guard) = blocked.writable().await {
        // The next flush writes until the descriptor takes no more, and so arms the
        // kernel's edge anew.
        guard.clear_ready();
    }
}
