//! V8: its platform, isolates, realms, snapshots, modules and guards.
//!
//! The only crate that knows V8. A session is an isolate on a thread of its own; what
//! leaves the thread is owned, plain data. Reading order: [`Platform`], [`ThreadEngine`],
//! `session/`, `enter.rs`, `modules/`, `snapshot/`.

mod bootstrap;
mod callbacks;
mod code_cache;
mod engine;
mod enter;
mod error;
mod external_text;
mod externals;
mod flags;
mod globals;
mod guards;
mod modules;
mod ops;
mod platform;
mod scheduler;
mod scripts;
mod session;
mod snapshot;
mod strings;
mod value;

pub use self::engine::{EngineOptions, EngineStartError, ThreadEngine};
pub use self::platform::{Platform, PlatformError};
pub use self::snapshot::{
    SnapshotError, build_snapshot, explain_snapshot, map_file, snapshot_maker,
};

/// The scope that code of a guest runs in.
type Scope<'s, 'i> = v8::PinScope<'s, 'i>;
