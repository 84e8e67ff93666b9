//! What was seen, aligned.

use std::fmt::Write;
use std::time::Duration;

use crate::scene::{Kind, Seen};

const LABEL: usize = 46;
const COLUMN: usize = 16;

pub(crate) fn render(seen: &Seen) -> String {
    let snapshot = &seen.snapshot;
    let mut text = String::new();
    let mut line = |label: &str, with: &str, without: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{label:<LABEL$}{with:>COLUMN$}{without:>COLUMN$}");
    };
    line(&format!("{}, V8 {}", seen.build, seen.v8), "", "");
    line("", "", "");
    line("snapshot of zod and lodash-es", "", "");
    line(
        "  time to build it",
        &millis(Duration::from_micros(snapshot.build_us)),
        "",
    );
    let evaluated = Duration::from_micros(snapshot.evaluate_us);
    line("  of which evaluating the packages", &millis(evaluated), "");
    line("  size", &mib(snapshot.bytes), "");
    line("  modules in it", &snapshot.modules.to_string(), "");
    line("", "", "");
    let (with, without) = (&seen.with_snapshot, &seen.without);
    line("each session", "with snapshot", "without");
    let label = format!("  open to first result, median of {}", seen.rounds);
    line(
        &label,
        &millis(with.first_result),
        &millis(without.first_result),
    );
    let label = "  private memory, with its result";
    line(label, &mib(with.private_bytes), &mib(without.private_bytes));
    let mut count = |label: &str, of: fn(&Kind) -> u64| {
        line(label, &of(with).to_string(), &of(without).to_string());
    };
    count("  modules found in the snapshot", |kind| {
        kind.stats.modules_from_snapshot
    });
    count("  modules read in the sidecar", |kind| {
        kind.stats.modules_from_reader
    });
    count("  modules asked of the host", |kind| {
        kind.stats.modules_from_host
    });
    count("  round trips", |kind| kind.stats.round_trips);
    for method in &with.stats.methods {
        let same = without.stats.methods.iter();
        let without = same
            .filter(|other| other.method == method.method)
            .map(|other| other.count)
            .sum::<u64>();
        let label = format!("    {}", method.method);
        line(&label, &method.count.to_string(), &without.to_string());
    }
    trimmed(&text)
}

/// Without the spaces of empty columns.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n"))
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_and_lines_no_tail() {
        assert_eq!(millis(Duration::from_micros(1_250)), "1.2 ms");
        assert_eq!(mib(3 << 19), "1.5 MiB");
        assert_eq!(trimmed("a  \nb\n"), "a\nb\n");
    }
}
