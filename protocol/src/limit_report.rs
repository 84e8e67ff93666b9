//! Which limit was reached, by how much, and how to raise it.

use crate::bounds::MAX_TEXT;
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError};

/// The limits a guest or a host can run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitKind {
    /// JavaScript heap, buffers, WebAssembly memory and blocks of native code of a session,
    /// in bytes.
    Memory,
    /// Time on the CPU of a request, in milliseconds.
    Cpu,
    /// Elapsed time of a request, in milliseconds.
    Wall,
    /// Output of a request, in bytes.
    Output,
    /// Host calls in flight in a session.
    HostCalls,
    /// Time a host call waited for its reply, in milliseconds.
    HostCallTimeout,
    /// Pending timers of a session.
    Timers,
    /// Encoded size of one value, in bytes.
    Message,
    /// Sessions of the process.
    Sessions,
    /// Requests queued in a session.
    Requests,
    /// Body of one frame, in bytes.
    Frame,
    /// Modules loaded by a session.
    Modules,
}

impl LimitKind {
    /// The name that hosts and logs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            LimitKind::Memory => "memory",
            LimitKind::Cpu => "cpu",
            LimitKind::Wall => "wall",
            LimitKind::Output => "output",
            LimitKind::HostCalls => "host_calls",
            LimitKind::HostCallTimeout => "host_call_timeout",
            LimitKind::Timers => "timers",
            LimitKind::Message => "message",
            LimitKind::Sessions => "sessions",
            LimitKind::Requests => "requests",
            LimitKind::Frame => "frame",
            LimitKind::Modules => "modules",
        }
    }

    /// One sentence for the host on how to get more.
    pub const fn raise(self) -> &'static str {
        match self {
            LimitKind::Memory => {
                "Ask for a larger limits.heap_bytes in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Cpu => {
                "Ask for a larger limits.cpu_ms in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Wall => {
                "Ask for a larger limits.wall_ms in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Output => {
                "Ask for a larger limits.output_bytes in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::HostCalls => {
                "Answer host calls sooner, or ask for a larger limits.host_calls_in_flight in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::HostCallTimeout => {
                "Answer host calls sooner, or ask for a larger limits.host_call_timeout_ms in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Timers => {
                "Ask for a larger limits.timers in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Message => {
                "Ask for a larger limits.message_bytes in OpenSession, up to the ceiling in Welcome, which the sidecar's command line sets."
            }
            LimitKind::Sessions => {
                "Close a session first, or raise the number of sessions on the sidecar's command line."
            }
            LimitKind::Requests => {
                "Wait for a reply before sending more: the queue of a session has a fixed length."
            }
            LimitKind::Frame => {
                "Ask for a larger max_frame in Hello, up to 64 MiB, or send less in one frame."
            }
            LimitKind::Modules => {
                "Import fewer or smaller modules in one session: this bound belongs to the sidecar and not to the session."
            }
        }
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReport {
    /// Which limit.
    pub which: LimitKind,
    /// Its value, in the unit that [`LimitKind`] gives.
    pub limit: u64,
    /// What was used or asked for, in the same unit.
    pub usage: u64,
    /// A sentence for the host on how to raise the limit.
    pub raise: String,
}

impl LimitReport {
    /// A report with the sentence that belongs to `which`.
    pub fn new(which: LimitKind, limit: u64, usage: u64) -> LimitReport {
        LimitReport {
            which,
            limit,
            usage,
            raise: which.raise().to_owned(),
        }
    }
}

impl Wire for LimitKind {
    fn load(src: &mut Reader) -> Result<LimitKind, FrameError> {
        match src.tag("limit_kind")? {
            0 => Ok(LimitKind::Memory),
            1 => Ok(LimitKind::Cpu),
            2 => Ok(LimitKind::Wall),
            3 => Ok(LimitKind::Output),
            4 => Ok(LimitKind::HostCalls),
            5 => Ok(LimitKind::HostCallTimeout),
            6 => Ok(LimitKind::Timers),
            7 => Ok(LimitKind::Message),
            8 => Ok(LimitKind::Sessions),
            9 => Ok(LimitKind::Requests),
            10 => Ok(LimitKind::Frame),
            11 => Ok(LimitKind::Modules),
            other => Err(unknown_tag("limit_kind", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            LimitKind::Memory => dst.tag(0),
            LimitKind::Cpu => dst.tag(1),
            LimitKind::Wall => dst.tag(2),
            LimitKind::Output => dst.tag(3),
            LimitKind::HostCalls => dst.tag(4),
            LimitKind::HostCallTimeout => dst.tag(5),
            LimitKind::Timers => dst.tag(6),
            LimitKind::Message => dst.tag(7),
            LimitKind::Sessions => dst.tag(8),
            LimitKind::Requests => dst.tag(9),
            LimitKind::Frame => dst.tag(10),
            LimitKind::Modules => dst.tag(11),
        }
        Ok(())
    }
}

impl Wire for LimitReport {
    fn load(src: &mut Reader) -> Result<LimitReport, FrameError> {
        Ok(LimitReport {
            which: LimitKind::load(src)?,
            limit: src.number("limit_report.limit")?,
            usage: src.number("limit_report.usage")?,
            raise: src.text("limit_report.raise", MAX_TEXT)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.which.encode(dst)?;
        dst.number(self.limit);
        dst.number(self.usage);
        dst.text("limit_report.raise", MAX_TEXT, &self.raise)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_how_to_raise_its_limit() {
        let report = LimitReport::new(LimitKind::Timers, 4096, 4097);
        assert_eq!(report.which.as_str(), "timers");
        assert!(report.raise.contains("limits.timers"), "{}", report.raise);
        assert!(report.raise.len() <= MAX_TEXT);
    }
}
