//! What the host has open at the sidecar that is there, and the way to it.
//!
//! Invariant: a frame is noted and given its way under one lock, which is also held when a
//! sidecar is found lost. So whatever a lost sidecar was sent is told to be lost.

use std::collections::HashMap;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use protocol::frame::{Head, Kind, Refused, Reset};
use protocol::{
    Decoded, FrameDecoder, Reason, RequestId, SessionId, SidecarFrame, bounds::MAX_FRAME_CEILING,
};

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Link {
    inner: Mutex<Inner>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    /// The sidecar that is there.
    up: Option<(Arc<UnixStream>, Pid)>,
    /// The host's, for every sidecar.
    hello: Option<Bytes>,
    /// With the requests by which they are opened.
    sessions: HashMap<SessionId, RequestId>,
    /// On the connection.
    requests: HashMap<RequestId, Kind>,
    host_is_done: bool,
}

/// What a sidecar has taken along.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) sessions: Vec<SessionId>,
    requests: Vec<(RequestId, Kind)>,
    /// The host has closed its end, or was asked to.
    pub(super) host_is_done: bool,
}

impl Link {
    /// A sidecar is there. It is greeted before anything else is sent to it.
    pub(super) fn up(&self, socket: &UnixStream, pid: Pid) -> io::Result<()> {
        let socket = Arc::new(socket.try_clone()?);
        let mut inner = self.lock();
        if let Some(hello) = &inner.hello {
            (&*socket).write_all(hello)?;
        }
        if inner.host_is_done {
            socket.shutdown(Shutdown::Write)?;
        }
        inner.up = Some((socket, pid));
        drop(inner);
        self.bell.notify_all();
        Ok(())
    }

    /// The sidecar is lost.
    pub(super) fn down(&self) -> Lost {
        let mut inner = self.lock();
        inner.up = None;
        let mut sessions: Vec<_> = inner.sessions.drain().map(|(id, _)| id).collect();
        sessions.sort_unstable();
        Lost {
            sessions,
            requests: inner.requests.drain().collect(),
            host_is_done: inner.host_is_done,
        }
    }

    /// A frame of the host, or bytes that are none. Waits while there is no sidecar.
    pub(super) fn forward(&self, head: Option<&Head>, frame: &Bytes) {
        let mut inner = self.lock();
        let socket = loop {
            match &inner.up {
                Some((socket, _)) => break Arc::clone(socket),
                None => inner = self.wait(inner),
            }
        };
        if let Some(head) = head {
            inner.sent(head, frame);
        }
        drop(inner);
        // The error is that it is lost; what was sent is told of then.
        let _ = (&*socket).write_all(frame);
    }

    /// The host sends nothing any more; `rest` is the beginning of a frame.
    pub(super) fn finish(&self, rest: &Bytes) {
        let mut inner = self.lock();
        inner.host_is_done = true;
        let up = inner.up.clone();
        drop(inner);
        if let Some((socket, _)) = up {
            // The errors are that it is lost.
            let _ = (&*socket).write_all(rest);
            let _ = socket.shutdown(Shutdown::Write);
        }
    }

    /// Asks the sidecar to end.
    pub(super) fn terminate(&self) {
        let mut inner = self.lock();
        inner.host_is_done = true;
        if let Some((_, pid)) = inner.up {
            // Under the lock, so that it has not been waited for.
            let _ = kill(pid, Signal::SIGTERM);
        }
    }

    /// A frame of the sidecar, before the host sees it.
    pub(super) fn told(&self, head: &Head, frame: &Bytes) {
        let mut inner = self.lock();
        match head.kind {
            Kind::SessionClosed | Kind::Reset => {
                inner.sessions.remove(&head.session);
            }
            Kind::SnapshotReady | Kind::Stats if head.session.is_connection() => {
                inner.requests.remove(&head.request);
            }
            Kind::Refused => inner.refused(head, frame),
            _ => {}
        }
    }

    fn wait<'a>(&self, inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        self.bell
            .wait(inner)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn sent(&mut self, head: &Head, frame: &Bytes) {
        let (session, request) = (head.session, head.request);
        match head.kind {
            Kind::Hello if self.hello.is_none() => self.hello = Some(frame.clone()),
            Kind::OpenSession => {
                self.sessions.entry(session).or_insert(request);
            }
            Kind::WarmSnapshot | Kind::GetStats if session.is_connection() => {
                self.requests.entry(request).or_insert(head.kind);
            }
            // Its end is that of the connection.
            Kind::Shutdown => self.host_is_done = true,
            _ => {}
        }
    }

    fn refused(&mut self, head: &Head, frame: &Bytes) {
        let Some(refused) = decode(frame) else {
            return;
        };
        // These concern a second frame of the same name.
        if matches!(
            refused.reason,
            Reason::DuplicateSession | Reason::DuplicateRequest
        ) {
            return;
        }
        match Kind::from_wire(refused.kind) {
            Kind::OpenSession if self.sessions.get(&head.session) == Some(&head.request) => {
                self.sessions.remove(&head.session);
            }
            Kind::WarmSnapshot | Kind::GetStats if head.session.is_connection() => {
                self.requests.remove(&head.request);
            }
            _ => {}
        }
    }
}

impl Lost {
    /// What the host is told of it.
    pub(super) fn frames(&self, message: &str) -> Bytes {
        let mut bytes = BytesMut::new();
        for session in &self.sessions {
            let reset = SidecarFrame::Reset(Reset {
                reason: Reason::ProcessLost,
                message: message.to_owned(),
                stats: None,
            });
            // The error cannot be: so short a frame fits.
            let _ = reset.encode(*session, RequestId::NONE, &mut bytes);
        }
        for (request, kind) in &self.requests {
            let refused = SidecarFrame::Refused(Refused {
                kind: kind.to_wire(),
                reason: Reason::ProcessLost,
                message: message.to_owned(),
                limit: None,
            });
            let _ = refused.encode(SessionId::CONNECTION, *request, &mut bytes);
        }
        bytes.freeze()
    }
}

fn decode(frame: &Bytes) -> Option<Refused> {
    let mut decoder = FrameDecoder::<SidecarFrame>::new();
    decoder.set_max_body(MAX_FRAME_CEILING);
    match decoder.decode(&mut BytesMut::from(frame.as_ref())) {
        Ok(Some(Decoded::Frame(envelope))) => match envelope.frame {
            SidecarFrame::Refused(refused) => Some(refused),
            _ => None,
        },
        _ => None,
    }
}
