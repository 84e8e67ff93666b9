//! What every Rust file keeps to: its length, its module comment, and that its tests test what runs.

use super::{
    Problem,
    code::code_only,
    tree::{TextFile, Tree},
};

const MAX_LINES: usize = 400;
/// Crates whose every root file says `#![forbid(unsafe_code)]`.
const FORBID_UNSAFE: &[&str] = &["protocol", "host-bridge", "sidecar"];

pub(super) fn few_lines_before_tests(tree: &Tree) -> Vec<Problem> {
    let too_long = |file: &TextFile| {
        let lines = before_tests(&file.text).lines().count();
        (MAX_LINES < lines).then(|| {
            let text = format!("{lines} lines before its tests, the limit is {MAX_LINES}");
            Problem::in_file(&file.path, text)
        })
    };
    tree.rust_files().filter_map(too_long).collect()
}

/// The part of a source file that comes before its inline module of tests.
pub(super) fn before_tests(text: &str) -> &str {
    let starts = text.match_indices("\n#[cfg(test)]\n").map(|(at, _)| at);
    for start in starts {
        let (code, tests) = text.split_at(start);
        let module = tests
            .lines()
            .skip(2)
            .find(|line| !line.starts_with("#["))
            .unwrap_or_default();
        if module.starts_with("mod ") && module.ends_with('{') {
            return code;
        }
    }
    text
}

pub(super) fn module_comment(tree: &Tree) -> Vec<Problem> {
    tree.rust_files()
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| {
            Problem::in_file(
                &file.path,
                "no module comment: the first line starts with `//!`",
            )
        })
        .collect()
}

pub(super) fn tests_run_the_production_path(tree: &Tree) -> Vec<Problem> {
    lines_with(
        tree,
        "not(test)",
        "`cfg(not(test))`: tests run the code that ships",
    )
}

pub(super) fn no_test_is_ignored(tree: &Tree) -> Vec<Problem> {
    let text = "an ignored test: assert what happens today instead, with a FIXME";
    let mut problems = lines_with(tree, "#[ignore", text);
    problems.extend(lines_with(tree, ",ignore)]", text));
    problems.extend(lines_with(tree, ",ignore=", text));
    problems
}

/// Lines of code in which `needle` stands, spaces apart.
fn lines_with(tree: &Tree, needle: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust_files() {
        for (line, code) in (1..).zip(code_only(&file.text).lines()) {
            if code.replace(' ', "").contains(needle) {
                problems.push(Problem::at_line(&file.path, line, text));
            }
        }
    }
    problems
}

pub(super) fn unsafe_is_forbidden_where_it_is_not_needed(tree: &Tree) -> Vec<Problem> {
    let is_root = |file: &&TextFile| {
        FORBID_UNSAFE.iter().any(|package| {
            let inside = file.path.strip_prefix(&format!("{package}/src/"));
            inside.is_some_and(|path| {
                matches!(path, "lib.rs" | "main.rs") || path.starts_with("bin/")
            })
        })
    };
    tree.rust_files()
        .filter(is_root)
        .filter(|file| !code_only(&file.text).contains("#![forbid(unsafe_code)]"))
        .map(|file| Problem::in_file(&file.path, "no `#![forbid(unsafe_code)]`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::report;

    #[test]
    fn length_counts_up_to_the_tests() {
        let code = "//! A\n".repeat(MAX_LINES);
        let with_tests = format!("{code}\n#[cfg(test)]\nmod tests {{\n{code}}}\n");
        let longer = format!("{code}//! B\n\n#[cfg(test)]\nmod tests;\n");
        let found = report(
            few_lines_before_tests,
            &[
                ("a/src/ok.rs", &with_tests),
                ("a/tests/long.rs", &longer),
                ("fixtures/x.rs", &longer),
            ],
        );
        assert_eq!(
            found,
            ["a/tests/long.rs: 404 lines before its tests, the limit is 400"]
        );
    }

    #[test]
    fn tests_may_carry_attributes() {
        let text = "fn a() {}\n\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n}\n";
        assert_eq!(before_tests(text), "fn a() {}\n");
        let helper = "#[cfg(test)]\nuse a;\n\n#[cfg(test)]\nuse b;\nfn c() {}\n";
        assert_eq!(before_tests(helper), helper);
    }

    #[test]
    fn files_begin_with_their_story() {
        let found = report(
            module_comment,
            &[("a/src/a.rs", "//! A\n"), ("a/src/b.rs", "// b\n")],
        );
        assert_eq!(
            found,
            ["a/src/b.rs: no module comment: the first line starts with `//!`"]
        );
    }

    #[test]
    fn production_code_is_not_hidden_from_tests() {
        let found = report(
            tests_run_the_production_path,
            &[
                (
                    "a/src/a.rs",
                    "// cfg(not(test))\n#[cfg(all(unix, not( test )))]\nfn a() {}\n",
                ),
                (
                    "a/src/b.rs",
                    "const A: &str = \"not(test)\";\n#[cfg(test)]\nmod t;\n",
                ),
            ],
        );
        assert_eq!(
            found,
            ["a/src/a.rs:2: `cfg(not(test))`: tests run the code that ships"]
        );
    }

    #[test]
    fn ignored_tests_are_found() {
        let source = "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n#[cfg_attr(x, ignore)]\nfn c(ignore: u8) {}\n";
        let found = report(no_test_is_ignored, &[("a/src/a.rs", source)]);
        let lines: Vec<&str> = found
            .iter()
            .filter_map(|line| line.split(": ").next())
            .collect();
        assert_eq!(lines, ["a/src/a.rs:2", "a/src/a.rs:4", "a/src/a.rs:6"]);
    }

    #[test]
    fn root_files_forbid_unsafe() {
        let found = report(
            unsafe_is_forbidden_where_it_is_not_needed,
            &[
                ("sidecar/src/lib.rs", "//! A\n#![forbid(unsafe_code)]\n"),
                ("sidecar/src/main.rs", "//! #![forbid(unsafe_code)]\n"),
                ("sidecar/src/router.rs", "//! A\n"),
                ("runtime/src/lib.rs", "//! A\n"),
            ],
        );
        assert_eq!(found, ["sidecar/src/main.rs: no `#![forbid(unsafe_code)]`"]);
    }
}
