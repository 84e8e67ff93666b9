//! The process as `GetStats` shows it: from counters and from the operating system, without
//! a word with any session's thread.

use host_bridge::millis;
use protocol::ProcessStats;

use crate::machine::OwnProcess;
use crate::state::State;

/// How much waits in a queue, and the most that ever did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Depth {
    now: u32,
    peak: u32,
}

impl Depth {
    pub(crate) fn note(&mut self, waiting: usize) {
        self.now = u32::try_from(waiting).unwrap_or(u32::MAX);
        self.peak = self.peak.max(self.now);
    }
}

impl State {
    pub(crate) fn process_stats(&self) -> ProcessStats {
        let load = self.port.load();
        let bytes = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let counters = &self.counters;
        let own = OwnProcess::look();
        let mut stats = ProcessStats {
            uptime_ms: millis(counters.started.elapsed()),
            sessions_opened_total: counters.sessions_opened,
            snapshots: u32::try_from(self.engine.n_snapshots()).unwrap_or(u32::MAX),
            frames_in: counters.frames_in,
            frames_out: load.frames_written,
            frames_refused: counters.frames_refused,
            outbox_control_bytes: bytes(load.control),
            outbox_output_bytes: bytes(load.output),
            outbox_peak_bytes: bytes(load.peak),
            outbox_control_peak_bytes: bytes(load.control_peak),
            outbox_output_peak_bytes: bytes(load.output_peak),
            frames_waiting: counters.frames_waiting.now,
            frames_waiting_peak: counters.frames_waiting.peak,
            reports_waiting: counters.reports_waiting.now,
            reports_waiting_peak: counters.reports_waiting.peak,
            resident_bytes: own.resident_bytes,
            threads: own.threads,
            ..ProcessStats::default()
        };
        self.sessions.count_into(&mut stats);
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_a_depth_stays() {
        let mut depth = Depth::default();
        depth.note(3);
        depth.note(1);
        assert_eq!(depth, Depth { now: 1, peak: 3 });
    }
}
