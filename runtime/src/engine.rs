//! The engine behind the seam: one isolate on one thread a session.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use host_bridge::blob_cache::BlobCache;
use host_bridge::snapshot_cache::SnapshotCache;
use host_bridge::typescript::{InProcess, Translator};
use host_bridge::{
    Condemned, Engine, EventSender, ExitReason, Gauges, MAKE_WAY_AFTER, OpenError, OpenSpec,
    SealedImage, SendError, SessionCommand, SessionEvent, SessionHandle, SnapshotImage, StopReason,
    Way, millis,
};
use protocol::{LimitKind, LimitReport, RequestId, SessionStats, SnapshotKey};

use crate::enter::in_new_context;
use crate::externals;
use crate::guards::{Parking, ThreadName, Watchdog, park};
use crate::modules::{CodeMaker, SharedModules};
use crate::platform::Platform;
use crate::scheduler::RunQueue;
use crate::session::{Links, SessionThread};
use crate::snapshot::{Image, base_image};

/// Snapshots that are kept. Their memory is never given back.
const MAX_SNAPSHOTS: usize = 64;
/// Stack of a session thread. V8 stops recursion of a guest at about 1 MiB.
pub(crate) const STACK_BYTES: usize = 4 << 20;

/// How long a thread that was given up is tried to be parked. Most come back by themselves
/// in that time.
const PARK_WITHIN: Duration = Duration::from_secs(10);

/// Runs sessions on threads of this process.
#[derive(Debug)]
pub struct ThreadEngine {
    version: &'static str,
    base: Arc<Image>,
    snapshots: Mutex<HashMap<SnapshotKey, Arc<Image>>>,
    watchdog: Arc<Watchdog>,
    queue: RunQueue,
    shared: SharedModules,
    snapshot_cache: Option<Arc<SnapshotCache>>,
}

/// What an engine is given.
#[derive(Debug)]
pub struct EngineOptions {
    /// Where compiled code is shared with other processes.
    pub code_cache: Option<BlobCache>,
    /// Where snapshots are shared with other processes.
    pub snapshot_cache: Option<Arc<SnapshotCache>>,
    /// Who translates for the sessions. What is translated may be hostile and may take any
    /// time, so that in-process is for tests.
    pub translator: Arc<dyn Translator>,
    /// Sessions that execute guest code at once. `None`: as many as there are cores that this
    /// process may use, by its affinity and its control group.
    pub slots: Option<NonZeroUsize>,
    /// The base snapshot of another process of this build. An engine with one is for few
    /// sessions, and makes nothing in advance.
    pub base: Option<SealedImage>,
}

/// For tests: nothing is kept, and what is translated is trusted.
impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            code_cache: None,
            snapshot_cache: None,
            translator: Arc::new(InProcess),
            slots: None,
            base: None,
        }
    }
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineStartError {
    /// The operating system refused a thread.
    #[error("the operating system refused a thread: {0}")]
    Thread(std::io::Error),
    /// The scripts that make a realm threw: a fault of ours.
    #[error("the base snapshot could not be made")]
    Base,
}

impl ThreadEngine {
    /// Makes the base snapshot and starts the watchdog. Compiled code of module files is
    /// shared by the sessions.
    ///
    /// # Errors
    ///
    /// See [`EngineStartError`].
    pub fn new(
        platform: &Platform,
        options: EngineOptions,
    ) -> Result<ThreadEngine, EngineStartError> {
        let shared = options.base.and_then(|image| {
            let adopted = Image::adopt(image);
            adopted
                .inspect_err(|error| tracing::warn!(%error, "the shared base snapshot is not used"))
                .ok()
        });
        let is_own = shared.is_none();
        let base = shared.or_else(base_image).ok_or(EngineStartError::Base)?;
        let watchdog = Watchdog::start().map_err(EngineStartError::Thread)?;
        let slots = options
            .slots
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        let queue = RunQueue::start(slots).map_err(EngineStartError::Thread)?;
        if is_own {
            keep_read_only_heap(&base).map_err(EngineStartError::Thread)?;
        }
        let code_maker =
            CodeMaker::start(options.code_cache.map(Arc::new)).map_err(EngineStartError::Thread)?;
        if is_own {
            code_maker.offer_image(&base.code);
        }
        Ok(ThreadEngine {
            version: platform.version(),
            base: Arc::new(base),
            snapshots: Mutex::default(),
            snapshot_cache: options.snapshot_cache,
            watchdog: Arc::new(watchdog),
            queue,
            shared: SharedModules {
                sources: Arc::default(),
                code_maker: Some(Arc::new(code_maker)),
                translator: options.translator,
                trace: None,
            },
        })
    }

    fn snapshots(&self) -> MutexGuard<'_, HashMap<SnapshotKey, Arc<Image>>> {
        self.snapshots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn image(&self, key: Option<SnapshotKey>) -> Result<Arc<Image>, OpenError> {
        match key {
            None => Ok(Arc::clone(&self.base)),
            Some(key) => self
                .snapshots()
                .get(&key)
                .cloned()
                .ok_or(OpenError::UnknownSnapshot(key)),
        }
    }
}

/// Keeps one isolate for the life of the process, on a thread of its own. All isolates share
/// one read-only heap, which V8 builds with the first of them and frees with the last; with
/// this one it is there before a session opens, and that takes a quarter off its opening.
fn keep_read_only_heap(base: &Image) -> std::io::Result<()> {
    let blob = base.blob;
    std::thread::Builder::new()
        .name("read-only-heap".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let params = v8::Isolate::create_params()
                .snapshot_blob(v8::StartupData::from(blob))
                .external_references(externals::references());
            let mut isolate = v8::Isolate::new(params);
            in_new_context(&mut isolate, |_| ());
            loop {
                std::thread::park();
            }
        })
        .map(drop)
}

impl Engine for ThreadEngine {
    fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        let image = self.image(spec.snapshot)?;
        let isolate = Arc::new(OnceLock::new());
        let links = Links::new(&spec, events, &isolate, Some(&self.queue));
        let name = format!("session-{}", spec.session.get());
        let session = SessionThread {
            spec,
            image,
            links: links.clone(),
            isolate,
            watchdog: Arc::clone(&self.watchdog),
            shared: self.shared.clone(),
        };
        std::thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || session.run())
            .map_err(|_| OpenError::NoThread)?;
        Ok(Box::new(ThreadHandle(links)))
    }

    fn add_snapshot(&self, image: SnapshotImage) -> Result<(), OpenError> {
        let key = image.key;
        let mut snapshots = self.snapshots();
        if snapshots.contains_key(&key) {
            return Ok(());
        }
        if snapshots.len() >= MAX_SNAPSHOTS {
            return Err(OpenError::TooManySnapshots(MAX_SNAPSHOTS));
        }
        let image = Image::new(image, self.base.builtins.clone());
        if !v8::StartupData::from(image.blob).is_valid() {
            return Err(OpenError::BadSnapshot("V8 does not accept the blob"));
        }
        if let Some(code_maker) = &self.shared.code_maker {
            code_maker.offer_image(&image.code);
        }
        snapshots.insert(key, Arc::new(image));
        Ok(())
    }

    fn sealed_image(&self, key: Option<&SnapshotKey>) -> Option<Arc<SealedImage>> {
        self.image(key.copied()).ok()?.sealed()
    }

    fn add_sealed(&self, image: SealedImage) -> Result<(), OpenError> {
        let key = image.label().key;
        let key = key.ok_or(OpenError::BadSnapshot("it has no key"))?;
        let mut snapshots = self.snapshots();
        if snapshots.len() >= MAX_SNAPSHOTS {
            return Err(OpenError::TooManySnapshots(MAX_SNAPSHOTS));
        }
        let image = Image::adopt(image)
            .map_err(|_| OpenError::BadSnapshot("the shared image cannot be read"))?;
        snapshots.insert(key, Arc::new(image));
        Ok(())
    }

    fn n_snapshots(&self) -> usize {
        self.snapshots().len()
    }

    fn snapshot_cache(&self) -> Option<Arc<SnapshotCache>> {
        self.snapshot_cache.clone()
    }

    fn version(&self) -> String {
        self.version.to_owned()
    }
}

/// All that the router holds of a session.
#[derive(Debug)]
struct ThreadHandle(Links);

impl SessionHandle for ThreadHandle {
    fn try_send(&self, command: SessionCommand) -> Result<(), SendError> {
        match command {
            SessionCommand::Reply { call, reply } => {
                let open = self.0.calls.take(call).ok_or(SendError::UnknownCall)?;
                self.0.mailbox.answer(call, open, reply);
                Ok(())
            }
            command => self.0.mailbox.send(command),
        }
    }

    fn cancel(&self, request: RequestId) {
        self.0.terminator.cancel(request);
    }

    fn cancel_running(&self) {
        self.0.terminator.close();
    }

    fn withdraw(&self, request: RequestId) -> bool {
        self.0.mailbox.withdraw(request)
    }

    fn make_way(&self, waited: Duration) -> Way {
        let report = LimitReport {
            raise: "Keep what the guest does between requests short: a request waits behind it."
                .to_owned(),
            ..LimitReport::new(LimitKind::Wall, millis(MAKE_WAY_AFTER), millis(waited))
        };
        self.0
            .terminator
            .make_way(RequestId::NONE, StopReason::Limit(report))
    }

    fn gauges(&self) -> Gauges {
        self.0.counters.gauges(self.0.calls.len())
    }

    fn stats(&self) -> SessionStats {
        self.0.counters.snapshot()
    }

    fn cpu_time(&self) -> Option<Duration> {
        let thread = self.0.thread.get();
        // A thread that has not begun has used none.
        Some(thread.map_or(Duration::ZERO, |thread| thread.clock.now()))
    }

    fn condemn(&self) -> Option<Condemned> {
        let thread = *self.0.thread.get()?;
        let condemned = Condemned {
            running: self.0.terminator.running(),
        };
        let links = self.0.clone();
        std::thread::Builder::new()
            .name("quarantine".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || quarantine(&links, thread))
            .ok()?;
        Some(condemned)
    }
}

/// Parks the thread of a session that was given up, and tells the router.
fn quarantine(links: &Links, thread: ThreadName) {
    let reason = match park(thread, PARK_WITHIN) {
        Parking::Parked => {
            if let Some(seat) = &links.seat {
                seat.forfeit();
            }
            ExitReason::Parked
        }
        Parking::InVain => ExitReason::Unstoppable,
        // It has reported its end itself.
        Parking::Gone => return,
    };
    links.mailbox.shut();
    links.events.send(SessionEvent::Exited {
        reason,
        stats: Box::new(links.counters.snapshot()),
    });
}

const fn is_send<T: Send>() {}
const _: () = is_send::<ThreadHandle>();
