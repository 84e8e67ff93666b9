//! What comes out when a snapshot is made of a `WarmSnapshot`: plain data that passes
//! between the process that builds it and the one that opens sessions from it.

use std::collections::BTreeMap;

use bytes::Bytes;
use protocol::SnapshotKey;

use crate::reader::Observations;

/// A module whose evaluated instance is inside a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotModule {
    /// `file:` URL with guest path, or `node:` name.
    pub url: String,
    /// Which import attribute `type` it was loaded with; empty for none.
    pub attribute: String,
}

/// A heap snapshot with the map of its modules.
#[derive(Debug, Clone)]
pub struct SnapshotImage {
    /// Names it: digest of everything that went into it.
    pub key: SnapshotKey,
    /// The engine's blob.
    pub blob: Bytes,
    /// The modules inside; position is the index of their handle in the blob.
    pub modules: Vec<SnapshotModule>,
    /// Entry specifier to module URL: what the snapshot was asked to hold.
    pub entries: BTreeMap<String, String>,
    /// Guest directory that the entries were resolved from.
    pub cwd: String,
    /// Whether the blob is a mapped file of the cache: all processes that map it share its
    /// memory already.
    pub is_mapped: bool,
}

/// How a build went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotReport {
    /// Whole build in µs, process start not counted.
    pub build_us: u64,
    /// Loading and evaluating the entries, in µs.
    pub evaluate_us: u64,
    /// Modules inside.
    pub modules: u32,
    /// Files that were read, whose digests are part of the key.
    pub files: u32,
}

/// What a build gives.
#[derive(Debug, Clone)]
pub struct BuiltSnapshot {
    /// The snapshot.
    pub image: SnapshotImage,
    /// How it went.
    pub report: SnapshotReport,
    /// While these hold, a build of the same spec would give an equal snapshot. `None` means
    /// that nobody can tell.
    pub seen: Option<Observations>,
}
