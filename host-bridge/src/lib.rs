//! All that lies between a guest and the world: the engine seam, stopping, limits,
//! round-trip counts, and the confined way to host directories.
//!
//! No V8 and no async runtime. Reading order: [`Engine`], [`Terminator`], [`Mailbox`],
//! [`CallTable`], [`Counters`], then [`reader`], [`resolver`] and [`typescript`].
#![forbid(unsafe_code)]

pub mod blob_cache;
mod calls;
pub mod cjs_lexer;
mod counters;
mod engine;
mod event_sender;
#[cfg(feature = "fake-engine")]
pub mod fake;
mod histogram;
mod mailbox;
pub mod reader;
pub mod resolver;
mod sealed_image;
mod sleep;
mod snapshot;
pub mod snapshot_cache;
mod source_map;
mod terminator;
mod turns;
pub mod typescript;
mod units;

pub use self::calls::{CallTable, OpenCall, TooManyCalls};
pub use self::counters::{Counters, ModuleOrigin, RoundTrip};
pub use self::engine::{
    Condemned, Engine, ExitReason, Gauges, MAKE_WAY_AFTER, OpenError, OpenSpec, SendError,
    SessionCommand, SessionEvent, SessionHandle,
};
pub use self::event_sender::EventSender;
pub use self::histogram::Histogram;
pub use self::mailbox::{
    Answer, Interrupted, MAX_COMMANDS, MAX_OUTPUT_IN_FLIGHT, Mailbox, OutputTicket, Received, Wants,
};
pub use self::sealed_image::{ImageHeader, ImageLabel, SealedImage};
pub use self::sleep::wait_until;
pub use self::snapshot::{BuiltSnapshot, SnapshotImage, SnapshotModule, SnapshotReport};
pub use self::source_map::{MappedPlace, SourceMaps};
pub use self::terminator::{StopReason, Terminator, WakeGuard, Way};
pub use self::turns::{Pause, Turn, TurnGuard, take_turns};
pub use self::units::{micros, millis};
