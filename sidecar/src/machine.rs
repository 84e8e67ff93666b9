//! What the machine has: the memory from which the default number of sessions follows, and
//! what of it is left.

use std::fs;
use std::path::Path;

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

/// Memory as it is when it is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Memory {
    /// That of the machine.
    Real,
    /// For tests: what is left, what this process holds.
    #[cfg(test)]
    Fixed(u64, u64),
}

impl Memory {
    #[cfg(test)]
    pub(crate) const fn fixed(available: u64, resident: u64) -> Memory {
        Memory::Fixed(available, resident)
    }

    /// What is left of the machine's memory or the control group's, whichever is less. All
    /// of it where neither says.
    pub(crate) fn available(&self) -> u64 {
        match self {
            Memory::Real => {
                let machine = fs::read_to_string("/proc/meminfo")
                    .ok()
                    .and_then(|text| kib_of(&text, "MemAvailable:"));
                let group = group_available(Path::new("/sys/fs/cgroup"));
                machine.unwrap_or(u64::MAX).min(group.unwrap_or(u64::MAX))
            }
            #[cfg(test)]
            Memory::Fixed(available, _) => *available,
        }
    }

    /// What this process holds.
    pub(crate) fn resident(&self) -> u64 {
        match self {
            Memory::Real => OwnProcess::look().resident_bytes,
            #[cfg(test)]
            Memory::Fixed(_, resident) => *resident,
        }
    }
}

/// What the operating system counts of this process; zero where it does not say.
#[derive(Debug)]
pub(crate) struct OwnProcess {
    pub(crate) resident_bytes: u64,
    pub(crate) threads: u32,
}

impl OwnProcess {
    pub(crate) fn look() -> OwnProcess {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let threads = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"))
            .and_then(|number| number.trim().parse().ok());
        OwnProcess {
            resident_bytes: kib_of(&status, "VmRSS:").unwrap_or(0),
            threads: threads.unwrap_or(0),
        }
    }
}

/// What a control group has left. Pages of files count as free: the kernel gives them up
/// before it ends a process.
fn group_available(group: &Path) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        fs::read_to_string(group.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let (limit, current) = (number("memory.max")?, number("memory.current")?);
    let files = fs::read_to_string(group.join("memory.stat"))
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("inactive_file "))?;
            line.trim().parse().ok()
        })
        .unwrap_or(0);
    Some(limit.saturating_sub(current).saturating_add(files))
}

/// The machine's memory, or the limit of the control group where that is less.
fn memory_bytes() -> u64 {
    let total = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| kib_of(&text, "MemTotal:"))
        .unwrap_or(0);
    // In a container the own group is mounted as the root. Outside, the file is missing.
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(u64::MAX);
    total.min(group)
}

/// The number behind `key`, which counts KiB, in bytes.
fn kib_of(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_counts_this_process() {
        let seen = OwnProcess::look();
        assert!(seen.threads >= 1, "{seen:?}");
        assert!(seen.resident_bytes > 1 << 20, "{seen:?}");
    }

    #[test]
    fn sessions_follow_from_memory_within_bounds() {
        assert_eq!(sessions_for(0), MIN_SESSIONS);
        assert_eq!(sessions_for(4 << 30), 256);
        assert_eq!(sessions_for(u64::MAX), MAX_SESSIONS);
    }

    #[test]
    fn this_process_holds_less_than_the_machine_has_left() {
        assert!(0 < Memory::Real.resident());
        assert!(Memory::Real.resident() < Memory::Real.available());
    }

    #[test]
    fn meminfo_is_read() {
        let text = "MemTotal:       24736560 kB\nMemFree:        23 kB\n";
        assert_eq!(kib_of(text, "MemTotal:"), Some(24_736_560 * 1024));
        assert_eq!(kib_of("MemFree: 1 kB\n", "MemTotal:"), None);
    }
}
