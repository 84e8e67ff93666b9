//! What was seen of all guests, as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use e2e_tests::{Afterwards, Ending};
use isolate_sidecar_client::Isolation;

use super::Row;

const KIB: f64 = 1024.0;
/// How many guests are named of those that took the most.
const NAMED: usize = 8;

/// The whole report.
pub(super) fn report(rows: &[Row], noise: &[u64], isolation: &Isolation) -> String {
    let place = match isolation {
        Isolation::Thread => "a thread of the sidecar",
        _ => "a process of its own",
    };
    let mut text = format!(
        "# Hostile guests\n\nWritten by `cargo xtask hostile-report`. Each guest of `fixtures/hostile` once, in a sidecar of its own and there in {place}, beside ten neighbours whose every answer is checked.\n\n",
    );
    let median = noise.get(noise.len() / 2).copied().unwrap_or(0);
    let worst = noise.last().copied().unwrap_or(0);
    let _ = writeln!(
        text,
        "Memory is the rise of the peak of the resident set (`VmHWM`, set back before the guest begins) without pages of the program. Beside a guest that does nothing it is {} MiB, at most {} MiB.\n",
        mib(median),
        mib(worst)
    );
    text.push_str(&classes(rows));
    text.push_str(&memory(rows));
    text.push_str(&entries(rows));
    text.push_str(&failures(rows));
    text
}

fn classes(rows: &[Row]) -> String {
    let mut text = String::from(
        "| class | guests | as stated | neighbours right | same process | parked for good | latest after its deadline | slowest round of the neighbours |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut classes: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        classes.entry(row.hostile.class()).or_default().push(row);
    }
    for (class, rows) in &classes {
        text.push_str(&class_line(class, rows));
    }
    text.push_str(&class_line("all", &rows.iter().collect::<Vec<_>>()));
    text.push('\n');
    text
}

fn class_line(class: &str, rows: &[&Row]) -> String {
    let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
    let late = rows.iter().filter_map(|row| late(row)).max();
    let slowest = rows.iter().map(|row| row.trial.neighbours.slowest).max();
    format!(
        "| {class} | {} | {} | {} | {} | {} | {} | {} ms |\n",
        rows.len(),
        count(&|row| row.trial.faults(&row.hostile).is_empty()),
        count(&|row| row.trial.neighbours.wrong.is_none()),
        count(&|row| row.same_pid),
        count(&|row| row.trial.is_quarantined),
        late.map_or_else(|| "-".to_owned(), |late| format!("{} ms", late.as_millis())),
        slowest.unwrap_or_default().as_millis()
    )
}

/// How long after its deadline a guest ended that a deadline ended.
fn late(row: &Row) -> Option<Duration> {
    let by_time = matches!(&row.trial.ending, Ok(Ending::Limit(which)) if which == "wall");
    by_time.then(|| row.trial.took.saturating_sub(row.hostile.deadline()))
}

/// The rise of memory over the cap of those that are after memory.
fn memory(rows: &[Row]) -> String {
    let mut over: Vec<(f64, &Row)> = rows
        .iter()
        .filter(|row| row.hostile.class() == "memory")
        .map(|row| (ratio(row), row))
        .collect();
    over.sort_by(|a, b| b.0.total_cmp(&a.0));
    let n = over.len();
    let Some((median, _)) = over.get(n / 2) else {
        return String::new();
    };
    let parked = over
        .iter()
        .filter(|(_, row)| row.trial.is_quarantined)
        .count();
    let beyond = over.iter().filter(|(_, row)| is_beyond(row)).count();
    let mut text = format!(
        "Rise of memory over the cap, {n} guests of the class memory: median {median:.2}; {beyond} rise by more than twice the cap and 16 MiB; {parked} are parked for good. The highest:\n\n| guest | cap | rise | over the cap | ended with |\n|---|---|---|---|---|\n"
    );
    for (ratio, row) in over.iter().take(NAMED) {
        let _ = writeln!(
            text,
            "| {} | {} MiB | {} MiB | {ratio:.2} | {}{} |",
            row.hostile.name,
            row.hostile.heap_mib,
            mib(row.trial.grown_kib),
            ending(row),
            if row.trial.is_quarantined {
                ", parked"
            } else {
                ""
            }
        );
    }
    text.push('\n');
    text
}

fn is_beyond(row: &Row) -> bool {
    let cap = row.hostile.heap_mib.saturating_mul(2).saturating_add(16);
    cap.saturating_mul(1024) < row.trial.grown_kib
}

fn entries(rows: &[Row]) -> String {
    let mut entries: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for row in rows {
        let (all, right) = entries.entry(row.hostile.entry).or_default();
        *all = all.saturating_add(1);
        *right = right.saturating_add(usize::from(row.trial.faults(&row.hostile).is_empty()));
    }
    let mut text = String::from("| what runs the guest | guests | as stated |\n|---|---|---|\n");
    for (entry, (all, right)) in entries {
        let _ = writeln!(text, "| {entry} | {all} | {right} |");
    }
    text.push('\n');
    text
}

fn failures(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let faults = row.trial.faults(&row.hostile);
        if !faults.is_empty() {
            let _ = writeln!(text, "* {}: {}", row.hostile.name, faults.join("; "));
        }
    }
    let head = match text.is_empty() {
        true => "Nothing was other than stated.\n",
        false => "Not as stated:\n\n",
    };
    let needing: Vec<&str> = rows
        .iter()
        .filter(|row| row.hostile.needs_process)
        .map(|row| row.hostile.name.as_str())
        .collect();
    let needing = match needing.is_empty() {
        true => "No guest needs a process of its own.\n".to_owned(),
        false => format!(
            "These need a process of their own: {}.\n",
            needing.join(", ")
        ),
    };
    format!("{head}{text}\n{needing}")
}

/// A line for each guest, fields apart by tabs.
pub(super) fn lines(rows: &[Row]) -> String {
    let mut text = String::from(
        "guest\tentry\tending\ttook_ms\twall_ms\tcap_mib\tgrown_mib\tratio\tparked\tafterwards\trounds\tslowest_ms\tsaid\tfaults\n",
    );
    for row in rows {
        let Row { hostile, trial, .. } = row;
        let afterwards = match &trial.afterwards {
            Afterwards::Answers => "answers",
            Afterwards::Lost => "lost",
            Afterwards::None => "-",
            Afterwards::Wrong(_) => "wrong",
        };
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{}\t{afterwards}\t{}\t{}\t{}\t{}",
            hostile.name,
            hostile.entry,
            ending(row),
            trial.took.as_millis(),
            hostile.wall_ms,
            hostile.heap_mib,
            mib(trial.grown_kib),
            ratio(row),
            trial.is_quarantined,
            trial.neighbours.rounds,
            trial.neighbours.slowest.as_millis(),
            trial.said.replace(['\n', '\t'], " "),
            trial.faults(hostile).join("; ").replace(['\n', '\t'], " "),
        );
    }
    text
}

fn ending(row: &Row) -> String {
    match &row.trial.ending {
        Ok(ending) => ending.to_string(),
        Err(why) => format!("sidecar lost: {why}"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn ratio(row: &Row) -> f64 {
    match row.hostile.heap_mib {
        0 => 0.0,
        cap => row.trial.grown_kib as f64 / KIB / cap as f64,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn mib(kib: u64) -> String {
    format!("{:.1}", kib as f64 / KIB)
}
