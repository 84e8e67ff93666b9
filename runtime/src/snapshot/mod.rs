//! Heap snapshots: the base realm, and realms in which an SDK has been evaluated.
//!
//! The blob holds one context. Its data are, in this order, the hooks of the realm and the
//! modules of the module map.

mod build;
mod error;
mod given;
mod hooks;
mod image;
mod mapping;
mod restore;

pub use self::build::{build_snapshot, explain_snapshot};
pub use self::error::SnapshotError;
pub(crate) use self::given::natives;
pub use self::image::snapshot_maker;
pub(crate) use self::image::{Image, base_image};
pub use self::mapping::map_file;
pub(crate) use self::restore::restore;
