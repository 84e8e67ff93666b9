//! What a run came to: counts by class, and each difference in full.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::Job;
use super::known::Known;
use super::seen::{Compared, Likeness};
use super::tree::CLASSES;

/// Counts of a class, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    trees: usize,
    checks: usize,
    equal: usize,
    verbatim: usize,
    known: usize,
    pub(super) different: usize,
}

/// All comparisons of a run.
#[derive(Debug, Default)]
pub(super) struct Report {
    by_class: BTreeMap<String, Counts>,
    is_used: Vec<bool>,
    /// Differences that nobody knows, in full.
    pub(super) differences: String,
    /// Errors of the same code with other words.
    pub(super) words: String,
}

impl Report {
    pub(super) fn count_tree(&mut self, class: &str) {
        self.by_class.entry(class.to_owned()).or_default().trees += 1;
    }

    pub(super) fn add(&mut self, job: &Job<'_>, compared: &[Compared], known: &[Known]) {
        self.is_used.resize(known.len(), false);
        let class = job.tree.class().to_owned();
        for one in compared {
            let counts = self.by_class.entry(class.clone()).or_default();
            counts.checks += 1;
            if Likeness::Equal <= one.likeness {
                counts.equal += 1;
            }
            match one.likeness {
                Likeness::Verbatim => counts.verbatim += 1,
                Likeness::NodeAtFault => counts.known += 1,
                Likeness::Equal => write_difference(&mut self.words, job, one),
                Likeness::Different => {
                    let is_known =
                        |known: &Known| known.matches(&job.tree.name, job.entry, &one.check);
                    let marks = self.is_used.iter_mut().zip(known);
                    let mut marks = marks.filter(|(_, known)| is_known(known)).peekable();
                    if marks.peek().is_some() {
                        counts.known += 1;
                    } else {
                        counts.different += 1;
                        write_difference(&mut self.differences, job, one);
                    }
                    marks.for_each(|(used, _)| *used = true);
                }
            }
        }
    }

    /// Lines of the list that were good for nothing.
    pub(super) fn unused<'a>(&self, known: &'a [Known]) -> Vec<&'a Known> {
        let used = |index: usize| self.is_used.get(index).copied().unwrap_or_default();
        let unused = known.iter().enumerate().filter(|(index, _)| !used(*index));
        unused.map(|(_, known)| known).collect()
    }

    pub(super) fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.by_class.values() {
            total.trees += counts.trees;
            total.checks += counts.checks;
            total.equal += counts.equal;
            total.verbatim += counts.verbatim;
            total.known += counts.known;
            total.different += counts.different;
        }
        total
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "{:<12}{:>7}{:>9}{:>9}{:>8}{:>11}{:>9}{:>11}\n",
            "class", "trees", "checks", "equal", "known", "different", "%", "verbatim %"
        );
        let total = self.total();
        let classes = CLASSES
            .iter()
            .filter_map(|class| Some((*class, self.by_class.get(*class)?)));
        for (class, counts) in classes.chain([("all", &total)]) {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{class:<12}{:>7}{:>9}{:>9}{:>8}{:>11}{:>9}{:>11}",
                counts.trees,
                counts.checks,
                counts.equal,
                counts.known,
                counts.different,
                percent(counts.equal, counts.checks),
                percent(counts.verbatim, counts.checks),
            );
        }
        text
    }
}

/// With two decimals, rounded down: what is not all is never `100.00`.
fn percent(part: usize, all: usize) -> String {
    let hundredths = (part * 10_000).checked_div(all).unwrap_or(10_000);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn write_difference(text: &mut String, job: &Job<'_>, one: &Compared) {
    let told = |value: &Option<Value>| match value {
        Some(value) => value.to_string(),
        None => "(nothing)".to_owned(),
    };
    let Job { tree, entry, .. } = job;
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{} {entry} {}\n  node  {}\n  ours  {}",
        tree.name,
        one.check,
        told(&one.node),
        told(&one.ours)
    );
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!(percent(9999, 10_000), "99.99");
        assert_eq!(percent(99_999, 100_000), "99.99");
        assert_eq!(percent(0, 0), "100.00");
        assert_eq!(percent(1, 3), "33.33");
    }
}
