//! What `/proc` tells of processes, and signals to them.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// What the kernel counts of a process, at one moment.
#[derive(Debug)]
pub struct Status(String);

impl Status {
    /// `None` when there is no such process.
    pub fn of(pid: u32) -> Option<Status> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"));
        status.ok().map(Status)
    }

    /// The number behind `key`, such as `VmRSS:`; memory is in KiB. proc(5) has them.
    pub fn number(&self, key: &str) -> Option<u64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

/// The processes that `pid` has started and that have not been waited for.
pub fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.map(|dir| dir.flatten().collect::<Vec<_>>());
    let mut children = Vec::new();
    for thread in threads.unwrap_or_default() {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(list.split_whitespace().flat_map(str::parse::<u32>));
    }
    children
}

/// Children that have ended and were not waited for.
pub fn zombies_of(pid: u32) -> usize {
    let is_zombie = |child: &u32| {
        let stat = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('Z'))
    };
    children_of(pid)
        .iter()
        .filter(|child| is_zombie(child))
        .count()
}

/// How many descriptors a process has open.
pub fn descriptors_of(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Names of the threads of a process.
pub fn thread_names(pid: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.map(|dir| dir.flatten().collect::<Vec<_>>());
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).ok();
    threads
        .unwrap_or_default()
        .into_iter()
        .filter_map(name)
        .map(|name| name.trim_end().to_owned())
        .collect()
}

/// Sends a signal, by its number. One that is gone gets none.
pub fn signal(pid: u32, number: i32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap());
    // The error is that it is gone.
    let _ = kill(pid, Signal::try_from(number).unwrap());
}
