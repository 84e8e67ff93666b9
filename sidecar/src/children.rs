//! Sessions in processes of their own: the other engine behind the seam.
//!
//! ```text
//!  router ──SessionCommand──> Remote ──frames──> outlet ══ socket ══> a sidecar that serves us
//!  router <──SessionEvent──── reader thread <──────frames══════════┘  (`serve-child`)
//! ```
//!
//! A child is this very program. It speaks the protocol of PROTOCOL.md with us as its host, so
//! it enforces all limits by itself; what is here translates, and notices its end. It holds
//! one session, or all sessions of a group, and ends with the last of them.
//!
//! Invariant: whatever happens to a child, each of its sessions reports its end, and no other
//! session of this process is touched.

mod child;
mod images;
mod nursery;
mod outlet;
mod process;
mod reader;
mod remote;
mod serve;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use host_bridge::snapshot_cache::SnapshotCache;
use host_bridge::{
    Engine, EventSender, OpenError, OpenSpec, SealedImage, SessionHandle, SnapshotImage,
};
use protocol::Isolation;

use self::child::Child;
use self::nursery::Nursery;
pub(crate) use self::process::describe;
use self::remote::RemoteHandle;
pub use self::serve::serve_as_child;
use crate::config::ChildCommand;

/// Runs sessions in child processes where they ask for it, and all others in an engine of this
/// process.
#[derive(Debug)]
pub struct ProcessEngine {
    local: Box<dyn Engine>,
    /// What a session gets that asks for less.
    least: Isolation,
    nursery: Nursery,
    groups: Mutex<HashMap<String, Arc<Child>>>,
}

impl ProcessEngine {
    /// Sessions that ask for no isolation, or less than `least`, get `least`. Children are
    /// started with `command`.
    ///
    /// # Errors
    ///
    /// When the operating system refuses a thread.
    pub fn new(
        local: Box<dyn Engine>,
        least: Isolation,
        command: ChildCommand,
    ) -> std::io::Result<ProcessEngine> {
        let base = local.sealed_image(None);
        Ok(ProcessEngine {
            local,
            least,
            nursery: Nursery::start(command, base)?,
            groups: Mutex::default(),
        })
    }

    /// Opens a session in the child of a group, which is started if it is not there.
    ///
    /// # Errors
    ///
    /// As [`Engine::open`].
    pub fn open_in_group(
        &self,
        group: &str,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.retain(|_, child| child.takes_sessions());
        let image = self.image(&spec)?;
        let (spec, events) = match groups.get(group) {
            Some(child) => match open_in(child, image.as_deref(), spec, events)? {
                Ok(handle) => return Ok(handle),
                // It has ended just now.
                Err(back) => *back,
            },
            None => (spec, events),
        };
        let child = self.nursery.child()?;
        groups.insert(group.to_owned(), Arc::clone(&child));
        open_in(&child, image.as_deref(), spec, events)?.map_err(|_| OpenError::NoProcess)
    }

    /// The snapshot that a child has to be given for the session.
    fn image(&self, spec: &OpenSpec) -> Result<Option<Arc<SealedImage>>, OpenError> {
        let Some(key) = spec.snapshot else {
            return Ok(None);
        };
        let image = self.local.sealed_image(Some(&key));
        image.map(Some).ok_or(OpenError::UnknownSnapshot(key))
    }

    fn open_alone(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        let image = self.image(&spec)?;
        let child = self.nursery.child()?;
        open_in(&child, image.as_deref(), spec, events)?.map_err(|_| OpenError::NoProcess)
    }
}

/// A session, or what it was to be opened with.
type Opened = Result<Box<dyn SessionHandle>, Box<(OpenSpec, EventSender)>>;

/// Gives both back when the child takes no more sessions.
fn open_in(
    child: &Arc<Child>,
    image: Option<&SealedImage>,
    spec: OpenSpec,
    events: EventSender,
) -> Result<Opened, OpenError> {
    if let Some(image) = image {
        child.give(image)?;
    }
    Ok(child.open(spec, events).map(|remote| {
        let handle = RemoteHandle::new(Arc::clone(child), remote);
        Box::new(handle) as Box<dyn SessionHandle>
    }))
}

impl Engine for ProcessEngine {
    fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        let isolation = match &spec.isolation {
            Isolation::Thread => &self.least,
            asked => asked,
        };
        match isolation.clone() {
            Isolation::Thread => self.local.open(spec, events),
            Isolation::Process => self.open_alone(spec, events),
            Isolation::Group(name) => self.open_in_group(&name, spec, events),
        }
    }

    fn add_snapshot(&self, image: SnapshotImage) -> Result<(), OpenError> {
        self.local.add_snapshot(image)
    }

    fn n_snapshots(&self) -> usize {
        self.local.n_snapshots()
    }

    fn snapshot_cache(&self) -> Option<Arc<SnapshotCache>> {
        self.local.snapshot_cache()
    }

    fn version(&self) -> String {
        self.local.version()
    }
}
