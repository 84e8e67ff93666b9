//! The rules that neither rustc nor clippy can hold, one module for each subject.
//!
//! A check reads the [`Tree`] and returns [`Problem`]s. Adding one means a function and a line in [`CHECKS`]; every check has a
//! test that plants a violation and sees it found.

mod code;
mod confined;
mod fixtures;
mod manifests;
mod places;
#[cfg(test)]
mod planted;
mod protocol_doc;
mod rust_files;
mod tree;

use std::{fmt, io, path::Path};

use tree::Tree;

/// Every check there is, in the order of the report.
const CHECKS: &[fn(&Tree) -> Vec<Problem>] = &[
    rust_files::few_lines_before_tests,
    rust_files::module_comment,
    rust_files::tests_run_the_production_path,
    rust_files::no_test_is_ignored,
    rust_files::unsafe_is_forbidden_where_it_is_not_needed,
    confined::words_stay_in_their_files,
    manifests::dependencies_respect_the_layers,
    manifests::exclusive_dependencies,
    protocol_doc::every_kind_has_a_heading,
    fixtures::hostile_guests_name_their_ending,
    fixtures::corpus_is_complete,
    places::no_machine_is_named,
    places::npm_locks_name_no_host,
];

/// A broken rule: where, and what is wrong there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    line: Option<usize>,
    text: String,
}

impl Problem {
    fn in_file(path: &str, text: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            text: text.into(),
        }
    }

    fn at_line(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            text: text.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.text),
            None => write!(f, "{}: {}", self.path, self.text),
        }
    }
}

pub(crate) fn run(root: &Path) -> io::Result<Vec<Problem>> {
    let tree = Tree::load(root)?;
    Ok(CHECKS.iter().flat_map(|check| check(&tree)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_like_a_compiler_message() {
        assert_eq!(
            Problem::in_file("a.rs", "too long").to_string(),
            "a.rs: too long"
        );
        assert_eq!(
            Problem::at_line("a.rs", 7, "odd").to_string(),
            "a.rs:7: odd"
        );
    }
}
