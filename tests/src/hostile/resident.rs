//! What a sidecar and its children hold in memory, as the kernel counts it.

use std::collections::HashMap;
use std::fs;

use crate::system::{Status, children_of};

/// Watches how far the resident memory of a process and of its children rises.
#[derive(Debug)]
pub struct Resident {
    pid: u32,
    before: Counts,
    /// The most that each child was seen with above what it had when it was first seen.
    children: HashMap<u32, (u64, u64)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    all_kib: u64,
    /// Pages of files: the program itself, which is read in as it is used.
    files_kib: u64,
    peak_kib: u64,
}

impl Resident {
    /// Sets the kernel's mark for the peak back and begins.
    pub fn watch(pid: u32) -> Resident {
        // Where the mark cannot be set back, the peak is too high and no test passes wrongly.
        let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
        let mut watch = Resident {
            pid,
            before: counts(pid).unwrap_or_default(),
            children: HashMap::new(),
        };
        watch.look_at_children();
        watch
    }

    /// Notes the children that there are: one that has ended cannot be asked any more.
    pub fn look_at_children(&mut self) {
        for child in children_of(self.pid) {
            let Some(now) = counts(child) else { continue };
            let seen = self
                .children
                .entry(child)
                .or_insert((now.all_kib, now.peak_kib));
            seen.1 = seen.1.max(now.peak_kib);
        }
    }

    /// By how much memory rose, at the most, in KiB. Pages of the program do not count.
    pub fn grown_kib(&mut self) -> u64 {
        self.look_at_children();
        let now = counts(self.pid).unwrap_or_default();
        let files = now.files_kib.saturating_sub(self.before.files_kib);
        let own = now
            .peak_kib
            .saturating_sub(self.before.all_kib)
            .saturating_sub(files);
        let most = |(first, peak): &(u64, u64)| peak.saturating_sub(*first);
        let child = self.children.values().map(most).max().unwrap_or(0);
        own.max(child)
    }
}

fn counts(pid: u32) -> Option<Counts> {
    let status = Status::of(pid)?;
    Some(Counts {
        all_kib: status.number("VmRSS:")?,
        files_kib: status.number("RssFile:")?,
        peak_kib: status.number("VmHWM:")?,
    })
}
