//! What the machine has: the memory from which the default number of sessions follows.

use std::fs;

/// Memory that one session is expected to take on average. A bare realm takes less than
/// 1 MiB, one from an agent SDK's snapshot about 8 MiB.
const BYTES_PER_SESSION: u64 = 8 * 1024 * 1024;
/// However small the machine.
const MIN_SESSIONS: u32 = 64;
/// However large: each session is a thread, and all share one 4 GiB cage of V8.
const MAX_SESSIONS: u32 = 4096;

/// How many sessions are admitted when the command line does not say: half of the memory
/// that the process may use, at 8 MiB a session, between 64 and 4,096.
pub fn default_max_sessions() -> u32 {
    sessions_for(memory_bytes())
}

fn sessions_for(memory_bytes: u64) -> u32 {
    let n = (memory_bytes / 2)
        .checked_div(BYTES_PER_SESSION)
        .unwrap_or(0);
    u32::try_from(n)
        .unwrap_or(u32::MAX)
        .clamp(MIN_SESSIONS, MAX_SESSIONS)
}

/// The machine's memory, or the limit of the control group where that is less.
fn memory_bytes() -> u64 {
    let total = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| total_of(&text))
        .unwrap_or(0);
    // In a container the own group is mounted as the root. Outside, the file is missing.
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(u64::MAX);
    total.min(group)
}

fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_follow_from_memory_within_bounds() {
        assert_eq!(sessions_for(0), MIN_SESSIONS);
        assert_eq!(sessions_for(4 << 30), 256);
        assert_eq!(sessions_for(u64::MAX), MAX_SESSIONS);
    }

    #[test]
    fn meminfo_is_read() {
        let text = "MemTotal:       24736560 kB\nMemFree:        23 kB\n";
        assert_eq!(total_of(text), Some(24_736_560 * 1024));
        assert_eq!(total_of("MemFree: 1 kB\n"), None);
    }
}
