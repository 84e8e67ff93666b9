//! What a session and the process have done so far.

use crate::bounds::{MAX_LIST, MAX_NAME};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// One host method as one session called it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MethodStats {
    /// The method.
    pub method: String,
    /// Calls made.
    pub count: u64,
    /// Calls that failed: an error reply, a timeout or a cancellation.
    pub errors: u64,
    /// Encoded arguments sent to the host, in bytes.
    pub bytes_out: u64,
    /// Encoded results received from the host, in bytes.
    pub bytes_in: u64,
    /// Median latency, in microseconds.
    pub p50_us: u64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: u64,
    /// Longest latency, in microseconds.
    pub max_us: u64,
}

/// One session since it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionStats {
    /// Requests that ran guest code.
    pub requests: u64,
    /// Host calls made.
    pub round_trips: u64,
    /// Encoded arguments of host calls, in bytes.
    pub bytes_out: u64,
    /// Encoded results of host calls, in bytes.
    pub bytes_in: u64,
    /// Host calls by method.
    pub methods: Vec<MethodStats>,
    /// Modules loaded from a host directory.
    pub modules_from_reader: u64,
    /// Modules found in the snapshot.
    pub modules_from_snapshot: u64,
    /// Modules whose source the host supplied in a frame.
    pub modules_from_host: u64,
    /// JavaScript heap in use, in bytes.
    pub heap_used_bytes: u64,
    /// Largest JavaScript heap seen, in bytes.
    pub heap_peak_bytes: u64,
    /// Memory of buffers, WebAssembly and large blocks of native code, in bytes.
    pub external_bytes: u64,
    /// Largest memory of buffers, WebAssembly and large blocks of native code seen, in bytes.
    pub external_peak_bytes: u64,
    /// Time on the CPU, in microseconds.
    pub cpu_us: u64,
    /// Output dropped over the limit, in bytes.
    pub output_dropped_bytes: u64,
}

/// The sidecar process since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessStats {
    /// Time since the start, in milliseconds.
    pub uptime_ms: u64,
    /// Sessions being opened now.
    pub sessions_opening: u32,
    /// Sessions waiting for a request now.
    pub sessions_idle: u32,
    /// Sessions running guest code now.
    pub sessions_running: u32,
    /// Sessions being closed now.
    pub sessions_closing: u32,
    /// Sessions whose thread is parked for good.
    pub sessions_quarantined: u32,
    /// Sessions opened since the start.
    pub sessions_opened_total: u64,
    /// Snapshots loaded now.
    pub snapshots: u32,
    /// Frames read from the host.
    pub frames_in: u64,
    /// Frames written to the host.
    pub frames_out: u64,
    /// Frames from the host that were refused.
    pub frames_refused: u64,
    /// Control frames waiting to be written now, in bytes.
    pub outbox_control_bytes: u64,
    /// Output frames waiting to be written now, in bytes.
    pub outbox_output_bytes: u64,
    /// Most bytes that ever waited to be written.
    pub outbox_peak_bytes: u64,
}

impl Wire for MethodStats {
    fn load(src: &mut Reader) -> Result<MethodStats, FrameError> {
        Ok(MethodStats {
            method: src.text("method_stats.method", MAX_NAME)?,
            count: src.number("method_stats.count")?,
            errors: src.number("method_stats.errors")?,
            bytes_out: src.number("method_stats.bytes_out")?,
            bytes_in: src.number("method_stats.bytes_in")?,
            p50_us: src.number("method_stats.p50_us")?,
            p99_us: src.number("method_stats.p99_us")?,
            max_us: src.number("method_stats.max_us")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("method_stats.method", MAX_NAME, &self.method)?;
        dst.number(self.count);
        dst.number(self.errors);
        dst.number(self.bytes_out);
        dst.number(self.bytes_in);
        dst.number(self.p50_us);
        dst.number(self.p99_us);
        dst.number(self.max_us);
        Ok(())
    }
}

impl Wire for SessionStats {
    fn load(src: &mut Reader) -> Result<SessionStats, FrameError> {
        Ok(SessionStats {
            requests: src.number("session_stats.requests")?,
            round_trips: src.number("session_stats.round_trips")?,
            bytes_out: src.number("session_stats.bytes_out")?,
            bytes_in: src.number("session_stats.bytes_in")?,
            methods: src.values("session_stats.methods", MAX_LIST)?,
            modules_from_reader: src.number("session_stats.modules_from_reader")?,
            modules_from_snapshot: src.number("session_stats.modules_from_snapshot")?,
            modules_from_host: src.number("session_stats.modules_from_host")?,
            heap_used_bytes: src.number("session_stats.heap_used_bytes")?,
            heap_peak_bytes: src.number("session_stats.heap_peak_bytes")?,
            external_bytes: src.number("session_stats.external_bytes")?,
            external_peak_bytes: src.number("session_stats.external_peak_bytes")?,
            cpu_us: src.number("session_stats.cpu_us")?,
            output_dropped_bytes: src.number("session_stats.output_dropped_bytes")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.requests);
        dst.number(self.round_trips);
        dst.number(self.bytes_out);
        dst.number(self.bytes_in);
        dst.values("session_stats.methods", MAX_LIST, &self.methods)?;
        dst.number(self.modules_from_reader);
        dst.number(self.modules_from_snapshot);
        dst.number(self.modules_from_host);
        dst.number(self.heap_used_bytes);
        dst.number(self.heap_peak_bytes);
        dst.number(self.external_bytes);
        dst.number(self.external_peak_bytes);
        dst.number(self.cpu_us);
        dst.number(self.output_dropped_bytes);
        Ok(())
    }
}

impl Wire for ProcessStats {
    fn load(src: &mut Reader) -> Result<ProcessStats, FrameError> {
        Ok(ProcessStats {
            uptime_ms: src.number("process_stats.uptime_ms")?,
            sessions_opening: src.number("process_stats.sessions_opening")?,
            sessions_idle: src.number("process_stats.sessions_idle")?,
            sessions_running: src.number("process_stats.sessions_running")?,
            sessions_closing: src.number("process_stats.sessions_closing")?,
            sessions_quarantined: src.number("process_stats.sessions_quarantined")?,
            sessions_opened_total: src.number("process_stats.sessions_opened_total")?,
            snapshots: src.number("process_stats.snapshots")?,
            frames_in: src.number("process_stats.frames_in")?,
            frames_out: src.number("process_stats.frames_out")?,
            frames_refused: src.number("process_stats.frames_refused")?,
            outbox_control_bytes: src.number("process_stats.outbox_control_bytes")?,
            outbox_output_bytes: src.number("process_stats.outbox_output_bytes")?,
            outbox_peak_bytes: src.number("process_stats.outbox_peak_bytes")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.uptime_ms);
        dst.number(self.sessions_opening);
        dst.number(self.sessions_idle);
        dst.number(self.sessions_running);
        dst.number(self.sessions_closing);
        dst.number(self.sessions_quarantined);
        dst.number(self.sessions_opened_total);
        dst.number(self.snapshots);
        dst.number(self.frames_in);
        dst.number(self.frames_out);
        dst.number(self.frames_refused);
        dst.number(self.outbox_control_bytes);
        dst.number(self.outbox_output_bytes);
        dst.number(self.outbox_peak_bytes);
        Ok(())
    }
}
