//! One session: a named thread that owns an isolate from its birth to its end.
//!
//! ```text
//!  born ──> Idle ──Execute, Call──> Running ──> Idle
//!            │  ^                      │
//!            │  └─timer, task, reply───┤ (a background turn: request 0)
//!            │                         │ memory exceeded
//!            │ Close                   v
//!            └──────────────────────> over: the isolate is dropped, Exited is reported
//! ```
//!
//! The loop in `thread.rs` sleeps in the mailbox; `run.rs` runs one request; `state.rs` is
//! what the callbacks share.

pub(crate) mod output;
pub(crate) mod rejections;
mod run;
mod settle;
mod state;
mod thread;
pub(crate) mod timers;
mod work;

pub(crate) use self::run::Runner;
pub(crate) use self::state::{Links, PendingCall, State};
pub(crate) use self::thread::{Birth, SessionThread, birth_realm, furnish, session_modules};
pub(crate) use self::work::Work;
