//! A child process with its sessions.
//!
//! ```text
//!            open             last session gone: the socket is closed
//!  Empty ──────────> Open ──────────────────────────────────────────> Ending ──> reaped
//!    │                 │  it crashes, is killed, or breaks the protocol   ^
//!    └─────────────────┴──────────────────────────────────────────────────┘
//! ```

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;
use host_bridge::{EventSender, OpenError, OpenSpec, SealedImage};
use protocol::bounds::MAX_FRAME_CEILING;
use protocol::frame::{Hello, OpenSession};
use protocol::{HostFrame, Isolation, PROTOCOL_VERSION, RequestId, SessionId, SnapshotKey};

use super::images;
use super::outlet::Outlet;
use super::process::Process;
use super::reader;
use super::remote::Remote;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Child {
    outlet: Arc<Outlet>,
    process: Process,
    inner: Mutex<Inner>,
    /// Whether the reader thread waits for the host.
    waits_for_host: AtomicBool,
    /// The way for snapshots.
    images: OwnedFd,
}

#[derive(Debug, Default)]
struct Inner {
    sessions: HashMap<SessionId, Arc<Remote>>,
    /// No further session is taken: it is ending, or damaged.
    is_closed: bool,
    /// Snapshots that it has.
    snapshots: HashSet<SnapshotKey>,
}

impl Child {
    /// A child on the other end of `socket`, and the thread that reads from it.
    pub(super) fn new(socket: UnixStream, images: OwnedFd) -> io::Result<Arc<Child>> {
        let input = socket.try_clone()?;
        let child = Arc::new(Child {
            outlet: Arc::new(Outlet::new(socket)),
            process: Process::default(),
            inner: Mutex::default(),
            waits_for_host: AtomicBool::new(false),
            images,
        });
        reader::start(&child, input)?;
        let hello = Hello {
            min_version: PROTOCOL_VERSION,
            max_version: PROTOCOL_VERSION,
            client: "isolate-sidecar".to_owned(),
            max_frame: MAX_FRAME_CEILING,
        };
        // Whatever follows is read after it, so that nothing waits for the answer.
        child.send(SessionId::CONNECTION, RequestId::new(1), hello);
        Ok(child)
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    /// Whether a session can be opened in it.
    pub(super) fn takes_sessions(&self) -> bool {
        !self.lock().is_closed
    }

    /// Sends a snapshot, unless it was sent before.
    pub(super) fn give(&self, image: &SealedImage) -> Result<(), OpenError> {
        let Some(key) = image.label().key else {
            return Ok(());
        };
        let mut inner = self.lock();
        if inner.snapshots.contains(&key) {
            return Ok(());
        }
        images::send(&self.images, image).map_err(|_| OpenError::NoProcess)?;
        inner.snapshots.insert(key);
        Ok(())
    }

    /// Opens a session, or gives back what it was to be opened with.
    pub(super) fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Arc<Remote>, Box<(OpenSpec, EventSender)>> {
        let mut inner = self.lock();
        if inner.is_closed || inner.sessions.contains_key(&spec.session) {
            return Err(Box::new((spec, events)));
        }
        let remote = Arc::new(Remote::new(&spec, events));
        inner.sessions.insert(spec.session, Arc::clone(&remote));
        drop(inner);
        let session = spec.session;
        self.send(session, Remote::OPEN, open_frame(spec));
        Ok(remote)
    }

    /// Queues a frame for the child. Never blocks.
    pub(super) fn send(&self, session: SessionId, request: RequestId, frame: impl Into<HostFrame>) {
        let mut bytes = BytesMut::new();
        match frame.into().encode(session, request, &mut bytes) {
            Ok(()) => self.outlet.send(bytes.freeze()),
            // It was decoded with the same bounds.
            Err(err) => tracing::error!(%session, %request, %err, "cannot send to a child"),
        }
    }

    /// See [`Outlet::is_full`].
    pub(super) fn is_full(&self) -> bool {
        self.outlet.is_full()
    }

    pub(super) fn session(&self, id: SessionId) -> Option<Arc<Remote>> {
        self.lock().sessions.get(&id).cloned()
    }

    /// A session is over. With the last one the child ends.
    pub(super) fn remove(&self, id: SessionId) {
        let mut inner = self.lock();
        inner.sessions.remove(&id);
        if inner.sessions.is_empty() {
            inner.is_closed = true;
            drop(inner);
            self.outlet.shut();
        }
    }

    /// No further session is opened in it, because it is damaged.
    pub(super) fn condemn(&self) {
        self.lock().is_closed = true;
    }

    /// Ends it by force, over a session that does not stop.
    pub(super) fn kill(&self, over: SessionId) {
        let mut inner = self.lock();
        inner.is_closed = true;
        let sessions: Vec<_> = inner.sessions.values().cloned().collect();
        drop(inner);
        let pid = self.process.id();
        tracing::warn!(session = %over, pid, "a child is killed over a session that does not stop");
        self.process.kill();
        // The reader is to see the end of the stream.
        sessions.iter().for_each(|remote| remote.lift());
    }

    /// Reader: the stream has ended. What is left of the sessions.
    pub(super) fn end(&self) -> Vec<Arc<Remote>> {
        self.outlet.shut();
        let mut inner = self.lock();
        inner.is_closed = true;
        inner.sessions.drain().map(|(_, remote)| remote).collect()
    }

    /// Reader: does what may wait for the host.
    pub(super) fn while_waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waits_for_host.store(true, Ordering::Relaxed);
        let result = wait();
        self.waits_for_host.store(false, Ordering::Relaxed);
        result
    }

    pub(super) fn waits_for_host(&self) -> bool {
        self.waits_for_host.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic under the lock leaves the table whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Never true while its reader lives, which holds on to it.
        self.process.kill();
    }
}

fn open_frame(spec: OpenSpec) -> OpenSession {
    OpenSession {
        snapshot: spec.snapshot,
        roots: spec.roots,
        limits: spec.limits.into(),
        env: spec.env,
        argv: spec.argv,
        cwd: spec.cwd,
        conditions: spec.conditions,
        modules: spec.modules,
        functions: spec.functions,
        isolation: Isolation::Thread,
    }
}
