//! The one way out to the host: what waits, and the descriptor that it goes to.
//!
//! The router owns it, with one exception: a session thread writes a host call by itself
//! when nothing at all is in front of it. That saves waking the router's thread, which is
//! a third of a round trip.
//!
//! Invariant: neither side waits for the other. A session thread that finds the lock taken
//! or anything waiting takes the ordinary way; the router holds the lock for no longer
//! than a write that does not block.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::frame::{GoAway, HostCall};
use protocol::{CallId, EncodeError, RequestId, SessionId, SidecarFrame};

use crate::credit::Ticket;
use crate::outbox::{Load, Outbox, Toll};
use crate::transport::{Flushed, Watched, Writer};

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Port {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    outbox: Outbox,
    /// `None` when nobody reads.
    writer: Option<Writer>,
}

/// What became of a host call that a session thread tried to write by itself.
#[derive(Debug)]
pub(crate) enum Direct {
    /// It is on the wire.
    Written,
    /// It is queued, in part perhaps written; the router has to see to the rest.
    Queued,
    /// Nothing was done.
    Declined(HostCall, Ticket),
}

impl Port {
    pub(crate) fn new(writer: Writer) -> Port {
        Port {
            inner: Mutex::new(Inner {
                outbox: Outbox::new(),
                writer: Some(writer),
            }),
        }
    }

    /// See [`Outbox::push`].
    pub(crate) fn push(
        &self,
        session: SessionId,
        request: RequestId,
        frame: &SidecarFrame,
        toll: Toll,
    ) -> Result<(), EncodeError> {
        self.lock().outbox.push(session, request, frame, toll)
    }

    /// See [`Outbox::close_with`].
    pub(crate) fn close_with(&self, go_away: GoAway) {
        self.lock().outbox.close_with(go_away);
    }

    /// See [`Outbox::set_max_body`].
    pub(crate) fn set_max_body(&self, max_body: u32) {
        self.lock().outbox.set_max_body(max_body);
    }

    /// See [`Outbox::max_body`].
    pub(crate) fn max_body(&self) -> u32 {
        self.lock().outbox.max_body()
    }

    /// See [`Outbox::load`].
    pub(crate) fn load(&self) -> Load {
        self.lock().outbox.load()
    }

    /// See [`Outbox::unread`].
    pub(crate) fn unread(&self) -> usize {
        self.lock().outbox.unread()
    }

    /// Bytes that the host has taken since the start.
    pub(crate) fn n_written(&self) -> u64 {
        self.lock().writer.as_ref().map_or(0, Writer::n_written)
    }

    /// Router: writes what waits, as far as the descriptor takes it. What nobody reads any
    /// more is given up.
    pub(crate) fn flush(&self) -> io::Result<Flushed> {
        let Inner { outbox, writer } = &mut *self.lock();
        match writer {
            Some(writer) => writer.flush(outbox),
            None => {
                outbox.abandon();
                Ok(Flushed::All)
            }
        }
    }

    /// What to wait for before the next flush, when the last one was cut short.
    pub(crate) fn blocked(&self) -> Option<Arc<Watched>> {
        self.lock().writer.as_ref().and_then(Writer::blocked)
    }

    /// Nobody reads any more.
    pub(crate) fn hang_up(&self) {
        let mut inner = self.lock();
        inner.writer = None;
        inner.outbox.abandon();
    }

    /// Session thread: writes a host call if nothing is in front of it, and `may_go` still
    /// says so when that is certain.
    pub(crate) fn write_directly(
        &self,
        (session, call): (SessionId, CallId),
        frame: HostCall,
        ticket: Ticket,
        may_go: impl FnOnce() -> bool,
    ) -> Direct {
        let Ok(mut inner) = self.inner.try_lock() else {
            return Direct::Declined(frame, ticket);
        };
        let Inner { outbox, writer } = &mut *inner;
        let Some(writer) = writer.as_mut().filter(|writer| writer.is_idle()) else {
            return Direct::Declined(frame, ticket);
        };
        if !outbox.is_idle() || !may_go() {
            return Direct::Declined(frame, ticket);
        }
        if let Err((frame, ticket)) = outbox.push_call(session, call, frame, ticket) {
            return Direct::Declined(frame, ticket);
        }
        match writer.flush_once(outbox) {
            Ok(Flushed::All) => Direct::Written,
            Ok(Flushed::Blocked) | Err(_) => Direct::Queued,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic under the lock would be a fault of this crate; the frames themselves are
        // whole or not there at all.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
