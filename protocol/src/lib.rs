//! The wire between host and sidecar: what a frame is and how it becomes bytes.
//!
//! This crate is pure. It performs no I/O, knows no async runtime and no V8, and
//! owns no session state; every function is `bytes -> value` or `value -> bytes`.
//! PROTOCOL.md at the root of the repository is the specification; comments cite
//! its sections.
//!
//! Reading order: [`frame::Head`], then one module per frame kind, then
//! [`FrameDecoder`]. The vocabulary that frames share (ids, limits, values,
//! outcomes, statistics, reasons) is at the root of the crate.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod frame;

mod decoder;
mod error;
mod guest;
mod id;
mod isolation;
mod js_error;
mod limit_report;
mod limits;
mod module_options;
mod outcome;
mod reason;
mod snapshot_key;
mod stats;
mod usage;
mod value;
mod wire;

pub use self::decoder::{Decoded, FrameDecoder};
pub use self::error::{EncodeError, Fault, FrameError, Scope};
pub use self::frame::{Envelope, HostFrame, SidecarFrame};
pub use self::guest::{CallMode, EnvVar, HostFunction, Root};
pub use self::id::{CallId, RequestId, SessionId};
pub use self::isolation::{Isolation, is_group_name};
pub use self::js_error::{JsError, StackFrame};
pub use self::limit_report::{LimitKind, LimitReport};
pub use self::limits::{Limits, LimitsRequest};
pub use self::module_options::{Jsx, ModuleOptions, TypeScript};
pub use self::outcome::Outcome;
pub use self::reason::Reason;
pub use self::snapshot_key::{ParseSnapshotKeyError, SnapshotKey};
pub use self::stats::{MethodStats, ProcessStats, SessionStats};
pub use self::usage::Usage;
pub use self::value::{Blob, Value, ValueFormat};

/// The one protocol version this build speaks (PROTOCOL.md 4).
pub const PROTOCOL_VERSION: u16 = 4;
