//! `SnapshotReady`: the answer to `WarmSnapshot`.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, SnapshotKey};

/// The snapshot can be named in `OpenSession`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotReady {
    /// Its name.
    pub key: SnapshotKey,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Modules in it.
    pub modules: u32,
    /// Time to make it, evaluation included, in microseconds.
    pub build_us: u64,
    /// Time to evaluate the entries, in microseconds.
    pub evaluate_us: u64,
    /// Whether this process had it already.
    pub reused: bool,
    /// Files that were read for it, whose digests are part of its name.
    pub files: u32,
    /// Whether nothing was built: it was found on disk or in this process, and all files
    /// are as they were. The times are those of the build that made it.
    pub from_cache: bool,
}

impl Wire for SnapshotReady {
    fn load(src: &mut Reader) -> Result<SnapshotReady, FrameError> {
        Ok(SnapshotReady {
            key: src.snapshot_key("snapshot_ready.key")?,
            bytes: src.number("snapshot_ready.bytes")?,
            modules: src.number("snapshot_ready.modules")?,
            build_us: src.number("snapshot_ready.build_us")?,
            evaluate_us: src.number("snapshot_ready.evaluate_us")?,
            reused: src.number("snapshot_ready.reused")?,
            files: src.number("snapshot_ready.files")?,
            from_cache: src.number("snapshot_ready.from_cache")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.array(&self.key.0);
        dst.number(self.bytes);
        dst.number(self.modules);
        dst.number(self.build_us);
        dst.number(self.evaluate_us);
        dst.number(self.reused);
        dst.number(self.files);
        dst.number(self.from_cache);
        Ok(())
    }
}
