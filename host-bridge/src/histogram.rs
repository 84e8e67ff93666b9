//! Latencies in a fixed amount of memory: 16 buckets a power of two, so a quantile is
//! exact to about 6 %.

use std::time::Duration;

const SUB_BITS: u32 = 4;
const SUBS: usize = 1 << SUB_BITS;
/// Covers up to 2^40 µs, about 12 days; anything above counts as that.
const N_BUCKETS: usize = SUBS * 38;

/// Counts of durations, in microseconds.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Box<[u32; N_BUCKETS]>,
    n: u64,
    max_us: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: Box::new([0; N_BUCKETS]),
            n: 0,
            max_us: 0,
        }
    }
}

impl Histogram {
    /// Adds one duration.
    pub fn record(&mut self, duration: Duration) {
        let us = crate::micros(duration);
        if let Some(count) = self.counts.get_mut(bucket(us)) {
            *count = count.saturating_add(1);
        }
        self.n = self.n.saturating_add(1);
        self.max_us = self.max_us.max(us);
    }

    /// How many durations were added.
    pub fn count(&self) -> u64 {
        self.n
    }

    /// The longest one, exactly, in µs.
    pub fn max_us(&self) -> u64 {
        self.max_us
    }

    /// The duration that `percent` (0–100) of all do not exceed, in µs; 0 when empty.
    pub fn percentile_us(&self, percent: u64) -> u64 {
        let rank = self.n.saturating_mul(percent.min(100)).div_ceil(100).max(1);
        let mut seen = 0u64;
        for (index, count) in self.counts.iter().enumerate() {
            seen = seen.saturating_add(u64::from(*count));
            if seen >= rank {
                return upper_bound(index).min(self.max_us);
            }
        }
        self.max_us
    }
}

fn bucket(us: u64) -> usize {
    let Ok(small) = usize::try_from(us) else {
        return N_BUCKETS.saturating_sub(1);
    };
    if small < SUBS {
        return small;
    }
    let exponent = us.ilog2().saturating_sub(SUB_BITS);
    let sub = usize::try_from(us.checked_shr(exponent).unwrap_or(0)).unwrap_or(0) & (SUBS - 1);
    let row = usize::try_from(exponent).unwrap_or(0).saturating_add(1);
    row.saturating_mul(SUBS)
        .saturating_add(sub)
        .min(N_BUCKETS.saturating_sub(1))
}

fn upper_bound(index: usize) -> u64 {
    let (row, sub) = (index / SUBS, index % SUBS);
    let sub = u64::try_from(sub).unwrap_or(0);
    let Some(exponent) = row.checked_sub(1) else {
        return sub;
    };
    let exponent = u32::try_from(exponent).unwrap_or(0);
    let base = u64::try_from(SUBS).unwrap_or(16).saturating_add(sub);
    base.saturating_add(1)
        .checked_shl(exponent)
        .unwrap_or(u64::MAX)
        .saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_their_own_bounds() {
        for us in (0..5000).chain([1 << 20, (1 << 30) + 12345, 1 << 39]) {
            let index = bucket(us);
            assert!(us <= upper_bound(index), "{us} in {index}");
            if index > 0 {
                assert!(us > upper_bound(index - 1), "{us} in {index}");
            }
        }
        assert_eq!(bucket(u64::MAX), N_BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_close_and_max_is_exact() {
        let mut histogram = Histogram::default();
        for us in 1..=1000 {
            histogram.record(Duration::from_micros(us));
        }
        let p50 = histogram.percentile_us(50);
        assert!((500..=535).contains(&p50), "{p50}");
        let p99 = histogram.percentile_us(99);
        assert!((990..=1000).contains(&p99), "{p99}");
        assert_eq!(histogram.max_us(), 1000);
        assert_eq!(Histogram::default().percentile_us(50), 0);
    }
}
