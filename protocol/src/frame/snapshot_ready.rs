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
    /// Whether it existed already.
    pub reused: bool,
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
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.array(&self.key.0);
        dst.number(self.bytes);
        dst.number(self.modules);
        dst.number(self.build_us);
        dst.number(self.evaluate_us);
        dst.number(self.reused);
        Ok(())
    }
}
