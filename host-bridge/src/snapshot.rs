//! What a snapshot is made from, and what comes out: plain data that passes between the
//! process that builds it and the one that opens sessions from it.

use std::collections::BTreeMap;

use bytes::Bytes;
use protocol::{EnvVar, LimitsRequest, Root, SnapshotKey};

/// What a snapshot is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotSpec {
    /// Directories that modules may come from.
    pub roots: Vec<Root>,
    /// Specifiers that are imported, in this order, as if by a module in `cwd`.
    pub entries: Vec<String>,
    /// A script that runs before the entries.
    pub script: Option<String>,
    /// `process.env` while the snapshot is made.
    pub env: Vec<EnvVar>,
    /// `process.argv` while the snapshot is made.
    pub argv: Vec<String>,
    /// `process.cwd()` while the snapshot is made; a guest path.
    pub cwd: String,
    /// Conditions beyond Node's own.
    pub conditions: Vec<String>,
    /// Limits of the build.
    pub limits: LimitsRequest,
}

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
}
