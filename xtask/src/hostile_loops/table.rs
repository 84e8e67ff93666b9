//! What a run says: a table by class, and each program that was not stopped in time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::known::Known;
use super::run::{Ended, Ran};

/// How late a program may be stopped.
pub(super) const IN_TIME: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Row {
    all: usize,
    itself: usize,
    other_limit: usize,
    in_time: usize,
    late: usize,
    given_up: usize,
    lost: usize,
    process: usize,
    lates: Vec<Duration>,
}

/// Whether a program was stopped in time, or did not have to be.
pub(super) fn is_good(ran: &Ran) -> bool {
    match ran.ended {
        Ended::Itself | Ended::OtherLimit | Ended::Lost => true,
        Ended::Stopped { late } => late <= IN_TIME,
        Ended::GivenUp | Ended::OutOfService => false,
    }
}

/// The table, as Markdown.
pub(super) fn table(head: &str, all: &[Ran], known: &Known) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for ran in all {
        rows.entry(&ran.program.class).or_default().count(ran);
        rows.entry("all").or_default().count(ran);
    }
    let mut text = format!("{head}\n\n{COLUMNS}\n");
    for (class, row) in &mut rows {
        row.write(class, &mut text);
    }
    let mut bad: Vec<&Ran> = all.iter().filter(|ran| !is_good(ran)).collect();
    bad.sort_by(|a, b| a.program.name.cmp(&b.program.name));
    let _ = writeln!(text, "\n## Not stopped in time: {}\n", bad.len());
    for ran in bad {
        let how = match ran.ended {
            Ended::Stopped { late } => format!("stopped {} ms late", late.as_millis()),
            Ended::GivenUp => format!("given up, outcome after {} ms", ran.took.as_millis()),
            _ => "the process ended".to_owned(),
        };
        let why = known
            .reason(&ran.program.name)
            .unwrap_or("not known before");
        let _ = writeln!(text, "* `{}`: {how} ({why})", ran.program.name);
    }
    text
}

const COLUMNS: &str = "| class | programs | end by themselves | other limit or lost to memory | stopped in time | later | given up | process ended | late p50 | late p99 | late max |
|---|---|---|---|---|---|---|---|---|---|---|";

impl Row {
    fn count(&mut self, ran: &Ran) {
        let place = match ran.ended {
            Ended::Itself => &mut self.itself,
            Ended::OtherLimit => &mut self.other_limit,
            Ended::Lost => &mut self.lost,
            Ended::GivenUp => &mut self.given_up,
            Ended::OutOfService => &mut self.process,
            Ended::Stopped { late } => {
                self.lates.push(late);
                match late <= IN_TIME {
                    true => &mut self.in_time,
                    false => &mut self.late,
                }
            }
        };
        *place = place.saturating_add(1);
        self.all = self.all.saturating_add(1);
    }

    fn write(&mut self, class: &str, text: &mut String) {
        self.lates.sort();
        let at = |percent: usize| {
            let index = self.lates.len().saturating_mul(percent) / 100;
            let index = index.min(self.lates.len().saturating_sub(1));
            let late = self.lates.get(index).copied().unwrap_or_default();
            format!("{:.1} ms", late.as_secs_f64() * 1e3)
        };
        let _ = writeln!(
            text,
            "| {class} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.all,
            self.itself,
            self.other_limit.saturating_add(self.lost),
            self.in_time,
            self.late,
            self.given_up,
            self.process,
            at(50),
            at(99),
            at(100),
        );
    }
}
