//! Samples summed up: percentiles, and the slope of a line through points.

use serde_json::{Value, json};

/// What is reported of a list of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    pub(crate) n: usize,
    pub(crate) min: f64,
    pub(crate) p10: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) max: f64,
}

impl Summary {
    /// `None` for no samples.
    pub(crate) fn of(samples: &[f64]) -> Option<Summary> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Summary {
            n: sorted.len(),
            min: *sorted.first()?,
            p10: percentile(&sorted, 10)?,
            p50: percentile(&sorted, 50)?,
            p90: percentile(&sorted, 90)?,
            max: *sorted.last()?,
        })
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "n": self.n, "min": self.min, "p10": self.p10, "p50": self.p50, "p90": self.p90, "max": self.max,
        })
    }
}

/// The median; `None` for no samples.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    Summary::of(samples).map(|summary| summary.p50)
}

/// The value that one in a hundred passes; `None` for no samples.
pub(crate) fn p99(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile(&sorted, 99)
}

/// The value below which `percent` of the sorted samples lie, between two samples on the line that joins them.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = last.saturating_mul(percent.min(100));
    let (below, part) = (position / 100, position % 100);
    let low = *sorted.get(below)?;
    let high = sorted.get(below.saturating_add(1)).copied().unwrap_or(low);
    Some(low + (high - low) * (part as f64) / 100.0)
}

/// The slope of the line of least squares through `(x, y)`; `None` when there is no such line.
pub(crate) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let covariance: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    (variance > 0.0).then_some(covariance / variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_samples() {
        let summary = Summary::of(&[5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
        assert_eq!((summary.min, summary.max, summary.n), (1.0, 5.0, 5));
        assert_eq!((summary.p10, summary.p50, summary.p90), (1.4, 3.0, 4.6));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn slope_is_that_of_the_line() {
        let line: Vec<(f64, f64)> = [10.0, 20.0, 50.0].map(|x| (x, 3.0 * x + 7.0)).to_vec();
        let found = slope(&line).unwrap();
        assert!((found - 3.0).abs() < 1e-9, "{found}");
        assert_eq!(slope(&[(1.0, 1.0)]), None);
        assert_eq!(slope(&[]), None);
    }
}
