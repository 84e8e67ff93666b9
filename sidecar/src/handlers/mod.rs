//! What each kind of frame does, one file a kind, and what sessions report.

pub(crate) mod call;
pub(crate) mod cancel;
pub(crate) mod close_session;
pub(crate) mod execute;
pub(crate) mod get_stats;
pub(crate) mod give_up;
pub(crate) mod hello;
pub(crate) mod host_reply;
pub(crate) mod open_session;
pub(crate) mod ping;
pub(crate) mod pong;
pub(crate) mod session_event;
pub(crate) mod session_exit;
pub(crate) mod shutdown;
pub(crate) mod snapshot_built;
pub(crate) mod warm_snapshot;

mod submit;
