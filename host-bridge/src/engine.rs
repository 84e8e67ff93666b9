//! The seam between the router and whatever runs sessions.
//!
//! `Engine::open` starts a session and returns at once; everything that happens later
//! arrives as a [`SessionEvent`]. Nothing here is V8's: what crosses is owned, plain data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use protocol::frame::{Call, Execute, GuestEvent, Level, Refused, Reply, Stream};
use protocol::{
    CallId, CallMode, EnvVar, HostFunction, Isolation, Limits, ModuleOptions, Outcome, Reason,
    RequestId, Root, SessionId, SessionStats, SnapshotKey, Usage, Value,
};

use crate::snapshot_cache::SnapshotCache;
use crate::{EventSender, OutputTicket, SealedImage, SnapshotImage, StopReason, Way};

/// How long a request waits for what the guest does between requests: its timers and the
/// continuations of its host calls. Then that is stopped.
pub const MAKE_WAY_AFTER: Duration = Duration::from_secs(1);

/// Runs sessions. The real one lives in `runtime`; tests have a fake.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Starts a session. It reports [`SessionEvent::Opened`] or [`SessionEvent::OpenFailed`]
    /// and takes commands from the moment this returns.
    ///
    /// # Errors
    ///
    /// When no session can be added; nothing was started then.
    fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError>;

    /// Makes a snapshot known, so that sessions can be opened from it.
    ///
    /// # Errors
    ///
    /// [`OpenError::BadSnapshot`] when the image was not made by this build.
    fn add_snapshot(&self, image: SnapshotImage) -> Result<(), OpenError>;

    /// The image of a snapshot, of the bare realm without a key, for an engine of another
    /// process to take. `None` when there is none, or it cannot be shared.
    fn sealed_image(&self, _key: Option<&SnapshotKey>) -> Option<Arc<SealedImage>> {
        None
    }

    /// Makes a snapshot known that an engine of another process has shared.
    ///
    /// # Errors
    ///
    /// [`OpenError::BadSnapshot`] when the image was not made by this build.
    fn add_sealed(&self, _image: SealedImage) -> Result<(), OpenError> {
        Err(OpenError::BadSnapshot("this engine shares none"))
    }

    /// How many snapshots are known.
    fn n_snapshots(&self) -> usize;

    /// Where snapshots for this engine are kept on disk, if anywhere.
    fn snapshot_cache(&self) -> Option<Arc<SnapshotCache>> {
        None
    }

    /// Version of the JavaScript engine, for `Welcome`.
    fn version(&self) -> String;
}

/// What a session is opened with.
#[derive(Debug, Clone)]
pub struct OpenSpec {
    /// Its id.
    pub session: SessionId,
    /// Snapshot to start from; `None` is the bare realm.
    pub snapshot: Option<SnapshotKey>,
    /// Directories of the host that it may read modules from.
    pub roots: Vec<Root>,
    /// Effective limits, already resolved against the ceilings.
    pub limits: Limits,
    /// `process.env`.
    pub env: Vec<EnvVar>,
    /// `process.argv`.
    pub argv: Vec<String>,
    /// `process.cwd()`, a guest path.
    pub cwd: String,
    /// Conditions for `exports` and `imports` beyond Node's own.
    pub conditions: Vec<String>,
    /// What becomes of TypeScript and of elements.
    pub modules: ModuleOptions,
    /// Functions of the host that the guest may call.
    pub functions: Vec<HostFunction>,
    /// Which process it runs in.
    pub isolation: Isolation,
}

/// What the router can ask of one session. Callable from any thread; never blocks.
pub trait SessionHandle: fmt::Debug + Send {
    /// Queues a command, or delivers a reply.
    ///
    /// # Errors
    ///
    /// See [`SendError`]; the command had no effect then.
    fn try_send(&self, command: SessionCommand) -> Result<(), SendError>;

    /// Cancels a request that is running or queued. Its outcome says so.
    fn cancel(&self, request: RequestId);

    /// Cancels whatever is running, and from now on whatever begins: the session is closing.
    fn cancel_running(&self);

    /// Takes back a request that has not begun. `true` when it never will; it is not
    /// reported then.
    fn withdraw(&self, _request: RequestId) -> bool {
        false
    }

    /// A request has waited for `waited`: stops what runs between requests in front of it.
    fn make_way(&self, _waited: Duration) -> Way {
        Way::Begun
    }

    /// What the session has cost so far.
    fn stats(&self) -> SessionStats;

    /// What the session holds now. Cheap, and never waits for the guest.
    fn gauges(&self) -> Gauges {
        let stats = self.stats();
        Gauges {
            heap_used_bytes: stats.heap_used_bytes,
            external_bytes: stats.external_bytes,
            peak_bytes: stats
                .heap_peak_bytes
                .saturating_add(stats.external_peak_bytes),
            host_calls: 0,
        }
    }

    /// CPU time of the session, where it can be told: one that gets no CPU is not to blame
    /// for not stopping.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    /// Gives up a session that does not stop. Nothing that it still reports counts but its
    /// end: [`SessionEvent::Exited`], when it has come back by itself, is parked for good, or
    /// cannot be parked. `None` when the engine cannot separate it from the process.
    fn condemn(&self) -> Option<Condemned> {
        None
    }

    /// Asks for statistics that take a while; they come as [`SessionEvent::Stats`]. `false`:
    /// [`SessionHandle::stats`] has them.
    fn ask_stats(&self, _request: RequestId) -> bool {
        false
    }

    /// Whether it runs in a process that can end without this one.
    fn is_apart(&self) -> bool {
        false
    }

    /// How much longer than its own limits allow it may take to stop, because somebody nearer
    /// to it sees to it first.
    fn margin(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether what it has to say waits for the host to read.
    fn waits_for_host(&self) -> bool {
        false
    }
}

/// A session that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condemned {
    /// What it was running, and why that was told to stop.
    pub running: Option<(RequestId, Option<StopReason>)>,
}

/// What a session holds at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gauges {
    /// The JavaScript heap, as last seen.
    pub heap_used_bytes: u64,
    /// Array buffers and the like.
    pub external_bytes: u64,
    /// The most of both that was seen.
    pub peak_bytes: u64,
    /// Host calls without a reply.
    pub host_calls: u32,
}

/// Router to session.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionCommand {
    /// Run code.
    Execute {
        /// Who asked.
        request: RequestId,
        /// What to run.
        execute: Execute,
    },
    /// Call an export or a global function.
    Call {
        /// Who asked.
        request: RequestId,
        /// What to call.
        call: Call,
    },
    /// The host has answered a host call.
    Reply {
        /// Which call.
        call: CallId,
        /// The answer.
        reply: Reply,
    },
    /// End the session after the requests that were queued before.
    Close {
        /// Who asked.
        request: RequestId,
    },
}

/// Session to router.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session takes requests.
    Opened {
        /// From the thread's start to here, in µs.
        open_us: u64,
    },
    /// The session could not be made; it is gone.
    OpenFailed {
        /// Why, for the wire.
        reason: Reason,
        /// What was wrong and what to do.
        message: String,
    },
    /// A request ended.
    Finished {
        /// Which request.
        request: RequestId,
        /// How.
        outcome: Outcome,
        /// What it cost.
        usage: Usage,
    },
    /// The guest calls the host.
    HostCall {
        /// Names the call in the reply.
        call: CallId,
        /// Name of the host function.
        method: String,
        /// Whether the guest's thread is blocked until the reply.
        mode: CallMode,
        /// The encoded array of arguments.
        args: Value,
    },
    /// The guest wrote to the console, stdout or stderr.
    Output {
        /// The request during which it was written; 0 between requests.
        request: RequestId,
        /// Where to.
        stream: Stream,
        /// Console level.
        level: Level,
        /// UTF-8 text.
        text: bytes::Bytes,
        /// Room in the session's allowance, given back when dropped.
        ticket: OutputTicket,
    },
    /// Something that belongs to no request.
    Guest(GuestEvent),
    /// What ran between two requests was told to stop, and has stopped.
    Calm,
    /// A command had no effect after all.
    Refused {
        /// Which request, or the call of a reply.
        request: RequestId,
        /// What to tell the host.
        refused: Refused,
    },
    /// What was asked for with [`SessionHandle::ask_stats`].
    Stats {
        /// Who asked.
        request: RequestId,
        /// What the session has cost so far.
        stats: Box<SessionStats>,
    },
    /// The thread is gone, or parked for good; the handle is dead.
    Exited {
        /// Why.
        reason: ExitReason,
        /// What the session cost.
        stats: Box<SessionStats>,
    },
}

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitReason {
    /// `CloseSession` was carried out; this request asked for it.
    Closed(RequestId),
    /// The memory limit was exceeded; the heap was freed.
    MemoryExceeded,
    /// The engine ran out of memory where it cannot unwind: the thread is parked for good
    /// and its memory stays taken.
    EngineOom,
    /// It was given up, and its thread is parked for good; its memory stays taken.
    Parked,
    /// It was given up, and its thread can neither be stopped nor parked.
    Unstoppable,
    /// The session is gone together with the process that it ran in, or as that process told.
    Lost {
        /// Why, for the wire.
        reason: Reason,
        /// How the process ended.
        message: String,
    },
    /// A fault of ours; the text is for the log and the host.
    Internal(String),
}

/// Why a session could not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The operating system refused a thread.
    #[error("the operating system refused a thread for the session")]
    NoThread,
    /// The operating system refused a process.
    #[error("the operating system refused a process for the session")]
    NoProcess,
    /// No snapshot of this key is known.
    #[error("no snapshot has the key {0}; send WarmSnapshot first")]
    UnknownSnapshot(SnapshotKey),
    /// The image was made by another build or is damaged.
    #[error("the snapshot image does not fit this build: {0}")]
    BadSnapshot(&'static str),
    /// As many snapshots as are kept are known already.
    #[error("{0} snapshots are kept, which is the most")]
    TooManySnapshots(usize),
}

/// Why a command was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The command queue is full.
    #[error("as many requests as a session queues are waiting")]
    QueueFull,
    /// The reply answers no call in flight.
    #[error("no such host call is in flight")]
    UnknownCall,
    /// The session is over or closing.
    #[error("the session is closing")]
    Gone,
}
