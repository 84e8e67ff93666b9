//! Snapshots that are being made: which, for whom, and how many at once.
//!
//! Each is made in a child process, see `child.rs`: a hostile or looping SDK costs a
//! refusal and nothing else. Whoever asks for what is being made already waits for the
//! same build. What was made before, by this process or for the cache on disk by any, is
//! used again while its files are as they were, see `workshop.rs`; otherwise it is made
//! again. Equal content has the same key, and then nothing new is kept.

mod child;
mod workshop;

use std::sync::Arc;
use std::time::Duration;

use host_bridge::snapshot_cache::SnapshotCache;
use protocol::RequestId;
use protocol::frame::WarmSnapshot;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

pub(crate) use self::child::BuildError;
use self::workshop::Workshop;
pub(crate) use self::workshop::{Known, Made};
use crate::config::ChildCommand;
use crate::error::RequestError;
use crate::router::Event;

/// Builds at one time.
const MAX_RUNNING: usize = 2;
/// Builds that wait for their turn.
const MAX_WAITING: usize = 16;
/// Requests that wait for builds.
const MAX_REQUESTS: usize = 1024;
/// Specs whose snapshots this process knows.
const MAX_KNOWN: usize = 64;

/// Names a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BuildId(u64);

/// A build is over.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) build: BuildId,
    pub(crate) result: Result<Made, BuildError>,
}

#[derive(Debug)]
struct Build {
    id: BuildId,
    spec: WarmSnapshot,
    requests: Vec<RequestId>,
    /// `None` while it waits for its turn.
    task: Option<AbortHandle>,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct SnapshotBuilds {
    workshop: Arc<Workshop>,
    events: mpsc::Sender<Event>,
    last_id: u64,
    /// In the order in which they were asked for.
    builds: Vec<Build>,
    /// What the engine has, by spec.
    known: Vec<(WarmSnapshot, Arc<Known>)>,
}

impl SnapshotBuilds {
    pub(crate) fn new(
        (command, grace): (ChildCommand, Duration),
        cache: Option<Arc<SnapshotCache>>,
        events: mpsc::Sender<Event>,
    ) -> SnapshotBuilds {
        SnapshotBuilds {
            workshop: Arc::new(Workshop::new(command, grace, cache)),
            events,
            last_id: 0,
            builds: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Whether the id of a new request on the connection is free.
    ///
    /// # Errors
    ///
    /// When it is in flight.
    pub(crate) fn check_new(&self, request: RequestId) -> Result<(), RequestError> {
        let mut in_flight = self.builds.iter().flat_map(|build| &build.requests);
        if in_flight.any(|known| *known == request) {
            return Err(RequestError::DuplicateRequest(request));
        }
        Ok(())
    }

    /// Builds `spec`, now or when it is its turn.
    ///
    /// # Errors
    ///
    /// When too many are waiting.
    pub(crate) fn submit(
        &mut self,
        request: RequestId,
        spec: WarmSnapshot,
    ) -> Result<(), RequestError> {
        let n_requests: usize = self.builds.iter().map(|build| build.requests.len()).sum();
        if n_requests >= MAX_REQUESTS {
            return Err(RequestError::BuildsBusy(MAX_REQUESTS));
        }
        if let Some(build) = self.builds.iter_mut().find(|build| build.spec == spec) {
            build.requests.push(request);
            return Ok(());
        }
        if self.builds.len() >= MAX_RUNNING.saturating_add(MAX_WAITING) {
            return Err(RequestError::BuildsBusy(MAX_WAITING));
        }
        self.last_id = self.last_id.saturating_add(1);
        self.builds.push(Build {
            id: BuildId(self.last_id),
            spec,
            requests: vec![request],
            task: None,
        });
        self.start_next();
        Ok(())
    }

    /// Takes out a build that is over: its spec, and the requests to answer.
    pub(crate) fn finished(&mut self, id: BuildId) -> Option<(WarmSnapshot, Vec<RequestId>)> {
        let position = self.builds.iter().position(|build| build.id == id)?;
        let build = self.builds.remove(position);
        self.start_next();
        Some((build.spec, build.requests))
    }

    /// Remembers what the engine has of a build that is over.
    pub(crate) fn remember(&mut self, spec: &WarmSnapshot, known: Known) {
        self.known.retain(|(other, _)| other != spec);
        if self.known.len() < MAX_KNOWN {
            self.known.push((spec.clone(), Arc::new(known)));
        }
    }

    /// Kills all builds. Returns the requests to refuse.
    pub(crate) fn abandon(&mut self) -> Vec<RequestId> {
        let builds = std::mem::take(&mut self.builds);
        builds
            .into_iter()
            .flat_map(|build| {
                // The child is killed when its task is dropped.
                build.task.iter().for_each(AbortHandle::abort);
                build.requests
            })
            .collect()
    }

    /// Whether nothing is being made or waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.builds.is_empty()
    }

    fn start_next(&mut self) {
        let n_running = self.builds.iter().filter(|b| b.task.is_some()).count();
        let n_free = MAX_RUNNING.saturating_sub(n_running);
        let waiting = self.builds.iter_mut().filter(|b| b.task.is_none());
        for build in waiting.take(n_free) {
            let (id, spec) = (build.id, build.spec.clone());
            let known = self.known.iter().find(|(known, _)| *known == spec);
            let known = known.map(|(_, known)| Arc::clone(known));
            let workshop = Arc::clone(&self.workshop);
            let events = self.events.clone();
            let task = tokio::spawn(async move {
                let result = workshop.make(spec, known).await;
                let built = Box::new(Built { build: id, result });
                // The router may be gone already; then nobody needs to know.
                let _ = events.send(Event::SnapshotBuilt(built)).await;
            });
            build.task = Some(task.abort_handle());
        }
    }
}
