//! What the kernel says about the memory of the sidecar.

use std::fs;
use std::io;

/// Memory that the process shares with no other, in bytes.
pub(crate) fn private_bytes(pid: u32) -> io::Result<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    Ok(sum_private(&rollup))
}

fn sum_private(rollup: &str) -> u64 {
    let kib = |line: &str| -> Option<u64> {
        let (name, rest) = line.split_once(':')?;
        let is_private = matches!(name, "Private_Clean" | "Private_Dirty");
        let number = rest.split_whitespace().next()?;
        is_private.then(|| number.parse().ok())?
    };
    let sum: u64 = rollup.lines().filter_map(kib).sum();
    sum.saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_pages_count_clean_and_dirty() {
        let rollup = "00400000-7fff ---p 00000000 00:00 0 [rollup]\n\
            Rss:                9000 kB\nPrivate_Clean:        12 kB\nPrivate_Dirty:       300 kB\n\
            Private_Hugetlb:      50 kB\n";
        assert_eq!(sum_private(rollup), 312 * 1024);
        assert_eq!(sum_private(""), 0);
    }
}
