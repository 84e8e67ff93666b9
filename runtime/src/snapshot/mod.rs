//! Heap snapshots: the base realm, and realms in which an SDK has been evaluated.
//!
//! The blob holds one context. Its data are, in this order, the hooks of the realm and the
//! modules of the module map.

mod build;
mod error;
mod image;
mod mapping;
mod restore;

pub use self::build::build_snapshot;
pub use self::error::SnapshotError;
pub use self::image::snapshot_maker;
pub(crate) use self::image::{Image, base_image};
pub use self::mapping::map_file;
pub(crate) use self::restore::restore;
