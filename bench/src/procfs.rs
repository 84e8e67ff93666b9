//! What the kernel says about a process and its threads.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{MeasureError, Result};

/// How session threads are called, ours and those of secure-exec alike.
pub(crate) const SESSION_THREAD: &str = "session-";

/// What threads have done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) threads: u64,
    /// Times that a thread left a processor, of its own accord or not. A thread that wakes leaves again.
    pub(crate) switches: u64,
    /// Time on a processor.
    pub(crate) cpu_ns: u64,
}

impl Activity {
    /// What happened since `before`.
    pub(crate) fn since(self, before: Activity) -> Activity {
        Activity {
            threads: self.threads,
            switches: self.switches.saturating_sub(before.switches),
            cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns),
        }
    }
}

/// Memory that the process shares with no other, in KiB.
pub(crate) fn private_kib(pid: u32) -> Result<u64> {
    let text = read(pid, "smaps_rollup")?;
    let parts = ["Private_Clean:", "Private_Dirty:"].map(|key| number_after(&text, key));
    Ok(parts.into_iter().flatten().sum())
}

/// The resident set, now and at its highest since [`reset_peak`], in KiB.
pub(crate) fn resident_kib(pid: u32) -> Result<(u64, u64)> {
    let text = read(pid, "status")?;
    let (now, peak) = (number_after(&text, "VmRSS:"), number_after(&text, "VmHWM:"));
    now.zip(peak).ok_or(MeasureError::Missing("VmRSS or VmHWM"))
}

/// Starts the record of the highest resident set anew.
pub(crate) fn reset_peak(pid: u32) -> Result<()> {
    let path = path(pid, "clear_refs");
    fs::write(&path, "5").map_err(MeasureError::io(format!("write {}", path.display())))
}

/// Sums up the threads whose name starts with `prefix`.
pub(crate) fn activity(pid: u32, prefix: &str) -> Result<Activity> {
    let mut sum = Activity::default();
    let tasks = path(pid, "task");
    let entries =
        fs::read_dir(&tasks).map_err(MeasureError::io(format!("read {}", tasks.display())))?;
    for entry in entries.flatten() {
        // A thread may end meanwhile; then it is not there to be counted.
        let one = |file: &str| fs::read_to_string(entry.path().join(file)).ok();
        let (Some(name), Some(status), Some(schedule)) =
            (one("comm"), one("status"), one("schedstat"))
        else {
            continue;
        };
        if !name.starts_with(prefix) {
            continue;
        }
        let switches = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"]
            .iter()
            .filter_map(|key| number_after(&status, key))
            .fold(0, u64::saturating_add);
        let cpu_ns = schedule
            .split_whitespace()
            .next()
            .and_then(|first| first.parse().ok())
            .unwrap_or(0);
        sum.threads = sum.threads.saturating_add(1);
        sum.switches = sum.switches.saturating_add(switches);
        sum.cpu_ns = sum.cpu_ns.saturating_add(cpu_ns);
    }
    Ok(sum)
}

/// CPU time of each thread whose name starts with `prefix`, by name, in nanoseconds.
pub(crate) fn cpu_by_thread(pid: u32, prefix: &str) -> Result<BTreeMap<String, u64>> {
    let tasks = path(pid, "task");
    let entries =
        fs::read_dir(&tasks).map_err(MeasureError::io(format!("read {}", tasks.display())))?;
    let mut times = BTreeMap::new();
    for entry in entries.flatten() {
        // A thread may end meanwhile; then it is not there to be counted.
        let one = |file: &str| fs::read_to_string(entry.path().join(file)).ok();
        if let (Some(name), Some(schedule)) = (one("comm"), one("schedstat"))
            && name.starts_with(prefix)
            && let Some(Ok(ns)) = schedule.split_whitespace().next().map(str::parse)
        {
            times.insert(name.trim().to_owned(), ns);
        }
    }
    Ok(times)
}

/// Waits until the process has at most `n` session threads, or for `most`. What a closed session leaves to do is then no part of
/// the next sample.
pub(crate) fn settle(pid: u32, n: u64, most: Duration) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < most && activity(pid, SESSION_THREAD)?.threads > n {
        thread::sleep(Duration::from_micros(200));
    }
    Ok(())
}

fn path(pid: u32, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{file}"))
}

fn read(pid: u32, file: &str) -> Result<String> {
    let path = path(pid, file);
    fs::read_to_string(&path).map_err(MeasureError::io(format!("read {}", path.display())))
}

/// The number behind `key`, which starts a line.
fn number_after(text: &str, key: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(key))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_at_the_start_of_a_line() {
        let text = "nonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t3\nVmRSS:\t  12 kB\n";
        assert_eq!(number_after(text, "voluntary_ctxt_switches:"), Some(3));
        assert_eq!(number_after(text, "VmRSS:"), Some(12));
        assert_eq!(number_after(text, "VmHWM:"), None);
    }

    #[test]
    fn this_process_has_memory_and_threads() {
        let pid = std::process::id();
        assert!(private_kib(pid).unwrap() > 0);
        let (now, peak) = resident_kib(pid).unwrap();
        assert!(0 < now && now <= peak);
        assert!(activity(pid, "").unwrap().threads > 0);
        assert_eq!(
            activity(pid, "no such thread").unwrap(),
            Activity::default()
        );
    }
}
