//! What comes out: one table for people, one JSON file a row for machines.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::error::{MeasureError, Result};
use crate::machine::Machine;
use crate::pairs::Pairs;
use crate::stats::Summary;

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its name in lower case with hyphens; that of its JSON file too.
    pub(crate) name: String,
    /// What is measured.
    pub(crate) what: String,
    pub(crate) ours: String,
    /// What ours is compared to; empty where there is nothing.
    pub(crate) other: String,
    pub(crate) ratio: String,
    pub(crate) bar: String,
    pub(crate) verdict: Verdict,
    /// Said below the table.
    pub(crate) notes: Vec<String>,
    /// The numbers behind it.
    pub(crate) data: Value,
}

/// How a row stands to its bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    /// It has no bar: for information.
    NoBar,
    /// It could not be measured; a note says why.
    NotMeasured,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::NoBar => "–",
            Verdict::NotMeasured => "not measured",
        }
    }
}

impl From<bool> for Verdict {
    /// Whether the bar is met.
    fn from(met: bool) -> Verdict {
        if met { Verdict::Met } else { Verdict::Missed }
    }
}

/// What samples are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Microseconds,
    Kibibytes,
}

impl Unit {
    fn as_str(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "µs",
            Unit::Kibibytes => "KiB",
        }
    }

    /// `1.93 ms [1.81–2.20]`: the median, the 10th and the 90th percentile.
    pub(crate) fn show(self, samples: &[f64]) -> String {
        Summary::of(samples).map_or_else(String::new, |summary| {
            let [p10, p50, p90] = [summary.p10, summary.p50, summary.p90].map(figures);
            format!("{p50} {} [{p10}–{p90}]", self.as_str())
        })
    }
}

impl Row {
    /// A row of two sides, of which ours may be at most `bar` times the other. Without a bar it is for information.
    pub(crate) fn compared(
        name: &str,
        what: &str,
        (unit, pairs): (Unit, &Pairs),
        other: &str,
        bar: Option<f64>,
    ) -> Row {
        let ratio = pairs.ratio();
        let verdict = match (ratio, bar) {
            (None, _) => Verdict::NotMeasured,
            (Some(_), None) => Verdict::NoBar,
            (Some(ratio), Some(bar)) => Verdict::from(ratio.of_medians <= bar),
        };
        let shown_ratio = ratio.map_or_else(String::new, |ratio| {
            let [all, p10, p90] = [ratio.of_medians, ratio.p10, ratio.p90].map(figures);
            format!("{all} [{p10}–{p90}]")
        });
        let shown_other = if pairs.other.is_empty() {
            format!("{other}: not there")
        } else {
            format!("{other}: {}", unit.show(&pairs.other))
        };
        Row {
            name: name.to_owned(),
            what: what.to_owned(),
            ours: unit.show(&pairs.ours),
            other: shown_other,
            ratio: shown_ratio,
            bar: bar.map_or_else(String::new, |bar| format!("≤ {bar} ×")),
            verdict,
            notes: Vec::new(),
            data: json!({ "unit": unit.as_str(), "bar": bar, "pairs": pairs.to_json() }),
        }
    }

    /// A row that could not be measured.
    pub(crate) fn failed(name: &str, error: &MeasureError) -> Row {
        Row {
            name: name.to_owned(),
            what: String::new(),
            ours: String::new(),
            other: String::new(),
            ratio: String::new(),
            bar: String::new(),
            verdict: Verdict::NotMeasured,
            notes: vec![error.with_causes()],
            data: Value::Null,
        }
    }

    fn cells(&self) -> [String; 7] {
        [
            self.name.clone(),
            self.what.clone(),
            self.ours.clone(),
            self.other.clone(),
            self.ratio.clone(),
            self.bar.clone(),
            self.verdict.as_str().to_owned(),
        ]
    }

    fn to_json(&self, machine: &Machine) -> Value {
        json!({
            "name": self.name, "what": self.what, "ours": self.ours, "other": self.other, "ratio": self.ratio,
            "bar": self.bar, "verdict": self.verdict.as_str(), "notes": self.notes, "data": self.data,
            "machine": machine.to_json(),
        })
    }
}

/// Writes `NAME.json` of each row into `out`.
pub(crate) fn write_json(out: &Path, machine: &Machine, rows: &[Row]) -> Result<()> {
    for row in rows {
        let path = out.join(format!("{}.json", row.name));
        let text = format!("{:#}\n", row.to_json(machine));
        fs::write(&path, text).map_err(MeasureError::io(format!("write {}", path.display())))?;
    }
    Ok(())
}

/// The table with its notes.
pub(crate) fn table(machine: &Machine, rows: &[Row]) -> String {
    let head = ["row", "what", "ours", "compared to", "ratio", "bar", ""].map(str::to_owned);
    let mut lines = vec![head];
    lines.extend(rows.iter().map(Row::cells));
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let width = |line: &[String; 7]| line.get(column).map_or(0, |cell| cell.chars().count());
        lines.iter().map(width).max().unwrap_or(0)
    });
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        text.push_str(&table_line(line, widths));
        if n == 0 {
            let rule = widths.map(|width| "-".repeat(width));
            text.push_str(&table_line(&rule, widths));
        }
    }
    text.push('\n');
    for line in machine.lines() {
        text.push_str(&format!("{line}\n"));
    }
    for row in rows {
        for note in &row.notes {
            text.push_str(&format!("{}: {note}\n", row.name));
        }
    }
    text
}

fn table_line(cells: &[String; 7], widths: [usize; 7]) -> String {
    let padded: Vec<String> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect();
    format!("| {} |\n", padded.join(" | "))
}

/// A number with three significant figures, or all of its whole part.
pub(crate) fn figures(number: f64) -> String {
    let size = number.abs();
    if size >= 100.0 || size == 0.0 {
        format!("{number:.0}")
    } else if size >= 10.0 {
        format!("{number:.1}")
    } else if size >= 1.0 {
        format!("{number:.2}")
    } else {
        format!("{number:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, other: &[f64], bar: Option<f64>) -> Row {
        let pairs = Pairs {
            ours: vec![ours],
            other: other.to_vec(),
        };
        Row::compared("open", "what", (Unit::Milliseconds, &pairs), "peer", bar)
    }

    #[test]
    fn the_bar_decides() {
        assert_eq!(row(3.0, &[4.0], Some(0.75)).verdict, Verdict::Met);
        assert_eq!(row(3.1, &[4.0], Some(0.75)).verdict, Verdict::Missed);
        assert_eq!(row(3.1, &[4.0], None).verdict, Verdict::NoBar);
        assert_eq!(row(3.1, &[], Some(0.75)).verdict, Verdict::NotMeasured);
    }

    #[test]
    fn cells_show_three_figures() {
        let row = row(3.0, &[4.0], Some(0.75));
        assert_eq!(row.ours, "3.00 ms [3.00–3.00]");
        assert_eq!(row.ratio, "0.750 [0.750–0.750]");
        assert_eq!(
            [123.4, 12.34, 1.234, 0.0].map(figures),
            ["123", "12.3", "1.23", "0"]
        );
    }

    #[test]
    fn columns_are_aligned() {
        let text = table(&Machine::default(), &[row(3.0, &[4.0], Some(0.75))]);
        let widths: Vec<usize> = text
            .lines()
            .take(3)
            .map(|line| line.chars().count())
            .collect();
        assert!(
            widths.iter().all(|width| Some(width) == widths.first()),
            "{text}"
        );
    }
}
