//! The sidecar process without its engine: transport, router, handlers, session table,
//! and the ways in which it ends.
//!
//! Reading order: [`serve`], `router.rs` (what can wake us), `dispatch.rs` (what the host
//! can send), `session_table.rs` (what a session goes through), `outbox.rs` (what waits for
//! the host), `port.rs` (who writes it), `lifeline.rs` (how it ends).
//!
//! Invariant: the router never blocks. Whatever it gives away goes into a bounded queue, and
//! a full queue has a defined answer.
#![forbid(unsafe_code)]

mod admission;
mod alarm;
mod children;
mod config;
mod credit;
mod dispatch;
mod error;
mod exit_code;
mod handlers;
mod handshake;
mod lifeline;
mod log;
mod machine;
mod outbox;
mod patience;
mod port;
mod process;
mod reporter;
mod router;
mod session_table;
mod signals;
mod snapshot_pipe;
mod snapshots;
mod state;
mod statistics;
mod supervise;
mod trace;
mod translators;
mod transport;
mod validate;

pub use self::children::{ProcessEngine, serve_as_child};
pub use self::config::{ChildCommand, Config, LOG_VARIABLE, TRACE_VARIABLE, log_filter};
pub use self::exit_code::ExitCode;
pub use self::log::{flush_log, init_log, start_log_thread};
pub use self::machine::default_max_sessions;
pub use self::process::{cannot_start, new_runtime, serve_stdio};
pub use self::router::serve;
pub use self::signals::{OrphanedAtStart, Parent};
pub use self::snapshot_pipe::{PipeError, read_spec, write_failure, write_image};
pub use self::supervise::supervise;
pub use self::trace::TraceLevel;
pub use self::translators::{TRANSLATION_CPU, WorkerTranslator, serve_translations};
pub use self::transport::{Transport, TransportError, adopt_stdio, take_stdout};
pub use self::validate::{BadModuleOptions, check_module_options};
