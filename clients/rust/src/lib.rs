//! A host's side of `isolate-sidecar`: start one, open sessions, run guest code, answer
//! host calls.
//!
//! Everything is synchronous, and there is no thread of this crate: whoever waits for an
//! answer also reads the connection, for itself and for all others that wait. A
//! synchronous host call therefore costs two writes and two reads and no change of thread.
//!
//! Three rules follow from that:
//!
//! * **Host functions run on a thread that waits**: one that waits for the same session, or
//!   else whichever has read the call. While one runs, another waiting thread reads on. A
//!   host function may itself make requests.
//! * **Handlers of output and events run on the thread that reads**, in order, and hold up
//!   all others meanwhile. They may cancel, and must not wait for anything.
//! * **Nothing is read while nobody waits.** Host calls then stay unanswered and guests that
//!   write much come to a stop. [`Sidecar::serve_for`] reads without waiting for an answer.
//!
//! Every wait has a deadline. Dropping a [`Sidecar`] closes its standard input, gives it
//! two seconds to end by itself and then kills it.
//!
//! ```no_run
//! use isolate_sidecar_client::{CallMode, Outcome, SessionOptions, SidecarCommand, Value, script};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sidecar = SidecarCommand::new("isolate-sidecar").spawn()?;
//! let session = sidecar
//!     .session(SessionOptions::default())
//!     .function("greeting", CallMode::Sync, |_args| Ok(Value::Json("\"hello\"".into())))
//!     .open()?;
//! let finished = session.execute(script("hello.js", "host.greeting() + ', world'"))?;
//! assert_eq!(finished.outcome, Outcome::Ok(Value::Json("\"hello, world\"".into())));
//! session.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: [`Sidecar`], [`Session`], then `connection` for how threads share one
//! connection.
#![forbid(unsafe_code)]

mod child;
mod command;
mod connection;
mod error;
mod function;
mod link;
mod pending;
mod request;
mod session;
mod sidecar;
mod transcript;

pub use self::command::SidecarCommand;
pub use self::error::{Lost, LostCause, RequestError, SpawnError};
pub use self::function::Responder;
pub use self::pending::{Canceller, Finished, Pending};
pub use self::request::{SessionOptions, SnapshotSpec, call_export, call_global, import, script};
pub use self::session::{Session, SessionBuilder};
pub use self::sidecar::{ConnectOptions, Sidecar};
pub use self::transcript::{Transcript, Written};
pub use protocol::frame::{
    Call, CallTarget, Code, Execute, GuestEvent, HostError, Level, Output, SnapshotReady, Stream,
    Until, Welcome,
};
pub use protocol::{
    Blob, CallMode, EnvVar, Isolation, JsError, Jsx, LimitKind, LimitReport, Limits, LimitsRequest,
    MethodStats, ModuleOptions, Outcome, ProcessStats, Reason, RequestId, Root, SessionId,
    SessionStats, SnapshotKey, StackFrame, TypeScript, Usage, Value, ValueFormat,
};
