//! Heap snapshots: the base realm, and realms in which an SDK has been evaluated.
//!
//! The blob holds one context. Its data are, in this order, the hooks of the realm and the
//! modules of the module map.

mod build;
mod given;
mod hooks;
mod image;
mod mapping;
mod restore;

pub use self::build::{SnapshotError, build_snapshot, explain_snapshot};
pub(crate) use self::given::natives;
pub(crate) use self::image::{Image, base_image};
pub(crate) use self::restore::restore;
