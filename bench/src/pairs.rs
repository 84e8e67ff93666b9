//! Two ways to do the same work, measured in turns: what disturbs the machine disturbs both.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::Result;
use crate::stats::{Summary, median};

/// How much is measured: ends with whichever comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Pairs that are counted.
    pub(crate) pairs: usize,
    /// Pairs before those, which are not.
    pub(crate) warm_up: usize,
    /// Time for all of it.
    pub(crate) time: Duration,
}

/// Samples that belong together by position: the n-th of each side was taken right beside the other.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) ours: Vec<f64>,
    pub(crate) other: Vec<f64>,
}

/// The ratio ours to other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratio {
    /// Median of ours over median of the other.
    pub(crate) of_medians: f64,
    /// 10th percentile of the ratios of the pairs.
    pub(crate) p10: f64,
    /// 90th percentile of the ratios of the pairs.
    pub(crate) p90: f64,
}

/// One side of a measurement: does the work once and says how long it took.
pub(crate) type Side<'a> = &'a mut dyn FnMut() -> Result<f64>;

impl Pairs {
    /// Takes turns, the first turn alternating too. Without `other` only ours is measured.
    pub(crate) fn take(
        extent: Extent,
        ours: Side<'_>,
        mut other: Option<Side<'_>>,
    ) -> Result<Pairs> {
        let start = Instant::now();
        let mut pairs = Pairs::default();
        for turn in 0..extent.warm_up.saturating_add(extent.pairs) {
            if start.elapsed() > extent.time && !pairs.ours.is_empty() {
                break;
            }
            let (our_sample, other_sample) = match &mut other {
                None => (ours()?, None),
                Some(other) if turn % 2 == 0 => {
                    let sample = ours()?;
                    (sample, Some(other()?))
                }
                Some(other) => {
                    let sample = other()?;
                    (ours()?, Some(sample))
                }
            };
            if turn >= extent.warm_up {
                pairs.ours.push(our_sample);
                pairs.other.extend(other_sample);
            }
        }
        Ok(pairs)
    }

    /// Adds pairs that were taken with other processes.
    pub(crate) fn append(&mut self, mut more: Pairs) {
        self.ours.append(&mut more.ours);
        self.other.append(&mut more.other);
    }

    /// `None` while a side has no samples.
    pub(crate) fn ratio(&self) -> Option<Ratio> {
        let of_medians = median(&self.ours)? / median(&self.other)?;
        let each: Vec<f64> = self
            .ours
            .iter()
            .zip(&self.other)
            .map(|(ours, other)| ours / other)
            .collect();
        let summary = Summary::of(&each)?;
        Some(Ratio {
            of_medians,
            p10: summary.p10,
            p90: summary.p90,
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "ours": Summary::of(&self.ours).map(Summary::to_json),
            "other": Summary::of(&self.other).map(Summary::to_json),
            "ratio": self.ratio().map(|ratio| json!({
                "of_medians": ratio.of_medians, "p10": ratio.p10, "p90": ratio.p90,
            })),
            "samples": { "ours": self.ours, "other": self.other },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent {
        pairs: 4,
        warm_up: 1,
        time: Duration::from_secs(60),
    };

    #[test]
    fn turns_alternate_and_the_warm_up_is_not_counted() {
        let order = std::cell::RefCell::new(String::new());
        let mut sample = 0.0;
        let mut ours = || {
            order.borrow_mut().push('a');
            sample += 1.0;
            Ok(sample)
        };
        let mut other = || {
            order.borrow_mut().push('b');
            Ok(2.0)
        };
        let pairs = Pairs::take(EXTENT, &mut ours, Some(&mut other)).unwrap();
        assert_eq!(*order.borrow(), "abbaabbaab");
        assert_eq!(pairs.ours, [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(pairs.other, [2.0; 4]);
        assert_eq!(pairs.ratio().unwrap().of_medians, 1.75);
    }

    #[test]
    fn one_side_alone_has_no_ratio() {
        let pairs = Pairs::take(EXTENT, &mut || Ok(1.0), None).unwrap();
        assert_eq!((pairs.ours.len(), pairs.ratio()), (4, None));
    }

    #[test]
    fn time_ends_the_turns_but_not_before_the_first_sample() {
        let extent = Extent {
            time: Duration::ZERO,
            ..EXTENT
        };
        let pairs = Pairs::take(extent, &mut || Ok(1.0), None).unwrap();
        assert_eq!(pairs.ours.len(), 1);
    }
}
