//! Frames on their way to a child. Whoever sends writes by itself as much as the socket takes;
//! the rest is written by a thread, which is only started when it is needed.
//!
//! Invariant: nobody who sends waits. What waits is bounded by what sessions may have under
//! way: requests in their queues and replies to calls in flight; [`Outlet::is_full`] says when
//! no further request is to be taken.

use std::collections::VecDeque;
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::{Buf, Bytes};
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, send};

/// Bytes that wait before no further request is taken.
const MAX_WAITING: usize = 64 * 1024 * 1024;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Outlet {
    socket: UnixStream,
    inner: Mutex<Inner>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    waiting: VecDeque<Bytes>,
    n_bytes: usize,
    has_writer: bool,
    /// Nothing is written any more.
    is_shut: bool,
}

impl Outlet {
    pub(super) fn new(socket: UnixStream) -> Outlet {
        Outlet {
            socket,
            inner: Mutex::default(),
            bell: Condvar::new(),
        }
    }

    /// Sends a frame, now or when the child reads. To a child that has ended, nothing is sent.
    pub(super) fn send(self: &Arc<Outlet>, mut frame: Bytes) {
        let mut inner = self.lock();
        if inner.is_shut {
            return;
        }
        if inner.waiting.is_empty() && !self.write_now(&mut frame) {
            inner.is_shut = true;
            return;
        }
        if frame.is_empty() {
            return;
        }
        inner.n_bytes = inner.n_bytes.saturating_add(frame.len());
        inner.waiting.push_back(frame);
        if inner.has_writer {
            drop(inner);
            self.bell.notify_one();
            return;
        }
        let outlet = Arc::clone(self);
        let writer = std::thread::Builder::new()
            .name("child-writer".to_owned())
            .stack_size(64 * 1024)
            .spawn(move || outlet.write_waiting());
        inner.has_writer = writer.is_ok();
        if writer.is_err() {
            // Without the thread its frames cannot be told apart any more; the reader sees
            // the end of the child.
            self.close(inner);
        }
    }

    /// Whether so much waits that no further request is to be taken.
    pub(super) fn is_full(&self) -> bool {
        MAX_WAITING <= self.lock().n_bytes
    }

    /// Nothing more is sent; the child ends when it has read all.
    pub(super) fn shut(&self) {
        self.close(self.lock());
    }

    fn close(&self, mut inner: MutexGuard<'_, Inner>) {
        inner.is_shut = true;
        inner.waiting.clear();
        drop(inner);
        // The error is that the child has ended already.
        let _ = self.socket.shutdown(Shutdown::Write);
        self.bell.notify_one();
    }

    /// Writes what the socket takes off the front of `frame`. `false` when it takes nothing
    /// any more.
    fn write_now(&self, frame: &mut Bytes) -> bool {
        while !frame.is_empty() {
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
            match send(self.socket.as_raw_fd(), frame, flags) {
                Ok(n) => frame.advance(n.min(frame.len())),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// The thread: writes what waits, in order, until nothing is written any more.
    fn write_waiting(&self) {
        let mut inner = self.lock();
        while !inner.is_shut {
            // It stays in the queue until it is written: what comes meanwhile goes behind it.
            let Some(frame) = inner.waiting.front().cloned() else {
                inner = self
                    .bell
                    .wait(inner)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(inner);
            let written = (&self.socket).write_all(&frame);
            inner = self.lock();
            inner.n_bytes = inner.n_bytes.saturating_sub(frame.len());
            inner.waiting.pop_front();
            inner.is_shut |= written.is_err();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic under the lock leaves whole frames, or none.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
