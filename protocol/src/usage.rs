//! What one request used.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// What one request used, from its start to its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Elapsed time, in microseconds.
    pub wall_us: u64,
    /// Time on the CPU, in microseconds.
    pub cpu_us: u64,
    /// Largest JavaScript heap seen, in bytes.
    pub heap_peak_bytes: u64,
    /// Largest memory of buffers, WebAssembly and large blocks of native code seen, in bytes.
    pub external_peak_bytes: u64,
    /// Host calls made.
    pub round_trips: u64,
    /// Modules loaded from a host directory.
    pub modules_from_reader: u64,
    /// Modules found in the snapshot.
    pub modules_from_snapshot: u64,
    /// Modules whose source the host supplied in a frame.
    pub modules_from_host: u64,
    /// Output written, in bytes, dropped bytes included.
    pub output_bytes: u64,
    /// Output dropped over the limit, in bytes.
    pub output_dropped_bytes: u64,
}

impl Wire for Usage {
    fn load(src: &mut Reader) -> Result<Usage, FrameError> {
        Ok(Usage {
            wall_us: src.number("usage.wall_us")?,
            cpu_us: src.number("usage.cpu_us")?,
            heap_peak_bytes: src.number("usage.heap_peak_bytes")?,
            external_peak_bytes: src.number("usage.external_peak_bytes")?,
            round_trips: src.number("usage.round_trips")?,
            modules_from_reader: src.number("usage.modules_from_reader")?,
            modules_from_snapshot: src.number("usage.modules_from_snapshot")?,
            modules_from_host: src.number("usage.modules_from_host")?,
            output_bytes: src.number("usage.output_bytes")?,
            output_dropped_bytes: src.number("usage.output_dropped_bytes")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.wall_us);
        dst.number(self.cpu_us);
        dst.number(self.heap_peak_bytes);
        dst.number(self.external_peak_bytes);
        dst.number(self.round_trips);
        dst.number(self.modules_from_reader);
        dst.number(self.modules_from_snapshot);
        dst.number(self.modules_from_host);
        dst.number(self.output_bytes);
        dst.number(self.output_dropped_bytes);
        Ok(())
    }
}
