//! What one reader may read, and what it has read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::ReadError;

/// What one reader may read.
///
/// Not counted: lookups that read nothing, and memory that shared contents hold for other
/// readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderLimits {
    /// Bytes of one file. 32 MiB by default.
    pub max_file_bytes: u64,
    /// Bytes of all reads together; a file read twice counts twice. 1 GiB by default.
    pub max_total_bytes: u64,
    /// Reads. 100,000 by default.
    pub max_files: u64,
}

impl Default for ReaderLimits {
    fn default() -> ReaderLimits {
        ReaderLimits {
            max_file_bytes: 32 << 20,
            max_total_bytes: 1 << 30,
            max_files: 100_000,
        }
    }
}

impl ReaderLimits {
    /// `size`, if one file may have it.
    pub(super) fn check_size(&self, size: u64) -> Result<u64, ReadError> {
        if self.max_file_bytes < size {
            return Err(ReadError::TooLarge {
                limit: self.max_file_bytes,
                size,
            });
        }
        Ok(size)
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget {
    limits: ReaderLimits,
    n_files: AtomicU64,
    n_bytes: AtomicU64,
}

impl Budget {
    pub(super) fn new(limits: ReaderLimits) -> Budget {
        Budget {
            limits,
            n_files: AtomicU64::new(0),
            n_bytes: AtomicU64::new(0),
        }
    }

    /// Charges one file of `n_bytes`, or nothing.
    pub(super) fn charge_file(&self, n_bytes: u64) -> Result<(), ReadError> {
        let limit = self.limits.max_files;
        if !spend(&self.n_files, 1, limit) {
            return Err(ReadError::TooManyFiles { limit });
        }
        self.charge_bytes(n_bytes).inspect_err(|_| {
            self.n_files.fetch_sub(1, Relaxed);
        })
    }

    /// Charges bytes of a file that is charged already, or nothing.
    pub(super) fn charge_bytes(&self, n_bytes: u64) -> Result<(), ReadError> {
        let limit = self.limits.max_total_bytes;
        if spend(&self.n_bytes, n_bytes, limit) {
            Ok(())
        } else {
            Err(ReadError::TooManyBytes { limit })
        }
    }
}

/// Adds `amount` to `spent` unless that exceeds `limit`.
fn spend(spent: &AtomicU64, amount: u64, limit: u64) -> bool {
    spent
        .fetch_update(Relaxed, Relaxed, |spent| {
            spent.checked_add(amount).filter(|total| *total <= limit)
        })
        .is_ok()
}
