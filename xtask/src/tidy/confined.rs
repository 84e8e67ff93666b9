//! Words of Rust that may stand in a few named files only.

use super::{
    Problem,
    code::{code_only, has_word},
    rust_files::before_tests,
    tree::{TextFile, Tree},
};

/// A word, the files that may say it, and why no other may. Adding a file is an architecture change; a file that does not say
/// the word leaves the list.
struct Confined {
    word: &'static str,
    files: &'static [&'static str],
    reach: Reach,
    rule: &'static str,
}

enum Reach {
    /// Every Rust file, tests too.
    Everything,
    /// What ships: `src/` of each package, without its tests.
    Sources,
}

const CONFINED: &[Confined] = &[
    Confined {
        word: "unsafe",
        files: &[
            "runtime/src/callbacks.rs",
            "runtime/src/external_text.rs",
            "runtime/src/guards/allocator.rs",
            "runtime/src/guards/heap.rs",
            "runtime/src/guards/loss.rs",
            "runtime/src/guards/pages.rs",
            "runtime/src/guards/quarantine/signal.rs",
            "runtime/src/platform.rs",
            "runtime/src/snapshot/mapping.rs",
        ],
        reach: Reach::Everything,
        rule: "`unsafe` stays in a short list of files",
    },
    Confined {
        word: "ContextScope::new",
        files: &["runtime/src/enter.rs"],
        reach: Reach::Sources,
        rule: "there is one door into guest code",
    },
];

pub(super) fn words_stay_in_their_files(tree: &Tree) -> Vec<Problem> {
    CONFINED
        .iter()
        .flat_map(|confined| confined.check(tree))
        .collect()
}

impl Confined {
    /// One problem for each file: where it says the word first.
    fn check(&self, tree: &Tree) -> Vec<Problem> {
        let mut problems = Vec::new();
        for file in tree.rust_files() {
            if self.files.contains(&file.path.as_str()) {
                continue;
            }
            if let Some(first) = self.lines(file).first() {
                let text = format!("`{}` outside its files: {}", self.word, self.rule);
                problems.push(Problem::at_line(&file.path, *first, text));
            }
        }
        for path in self.files {
            let text = match tree.file(path) {
                None => "is not there",
                Some(file) if self.lines(file).is_empty() => "does not say it",
                Some(_) => continue,
            };
            let text = format!("on the list of `{}`, but {text}", self.word);
            problems.push(Problem::in_file(path, text));
        }
        problems
    }

    /// The numbers of the lines of `file` that say the word.
    fn lines(&self, file: &TextFile) -> Vec<usize> {
        let text = match self.reach {
            Reach::Everything => file.text.as_str(),
            Reach::Sources if file.path.contains("/src/") && file.name() != "tests.rs" => {
                before_tests(&file.text)
            }
            Reach::Sources => return Vec::new(),
        };
        (1..)
            .zip(code_only(text).lines())
            .filter(|(_, line)| has_word(line, self.word))
            .map(|(number, _)| number)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::Planted;

    const DOOR: Confined = Confined {
        word: "Door::open",
        files: &["a/src/door.rs"],
        reach: Reach::Sources,
        rule: "one door",
    };
    const KEY: Confined = Confined {
        word: "key",
        files: &["a/src/door.rs"],
        reach: Reach::Everything,
        rule: "one key",
    };

    fn report(confined: &Confined, files: &[(&str, &str)]) -> Vec<String> {
        let problems = confined.check(&Planted::new(files).tree());
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_word_outside_its_files_is_found() {
        let found = report(
            &KEY,
            &[
                ("a/src/door.rs", "key"),
                ("a/src/b.rs", "// key\nlet keys = \"key\";\nkey { }\nkey\n"),
                ("a/tests/c.rs", "key"),
            ],
        );
        assert_eq!(
            found,
            [
                "a/src/b.rs:3: `key` outside its files: one key",
                "a/tests/c.rs:1: `key` outside its files: one key"
            ]
        );
    }

    #[test]
    fn tests_are_left_out_where_only_sources_count() {
        let found = report(
            &DOOR,
            &[
                ("a/src/door.rs", "Door::open()"),
                (
                    "a/src/b.rs",
                    "fn b() {}\n\n#[cfg(test)]\nmod tests {\n    Door::open()\n}\n",
                ),
                ("a/src/c/tests.rs", "Door::open()"),
                ("a/src/d.rs", "v8::Door::open()"),
                ("a/tests/e.rs", "Door::open()"),
            ],
        );
        assert_eq!(
            found,
            ["a/src/d.rs:1: `Door::open` outside its files: one door"]
        );
    }

    #[test]
    fn a_list_names_only_files_that_need_it() {
        let absent = report(&KEY, &[("a/src/b.rs", "")]);
        assert_eq!(
            absent,
            ["a/src/door.rs: on the list of `key`, but is not there"]
        );
        let innocent = report(&KEY, &[("a/src/door.rs", "// key\n")]);
        assert_eq!(
            innocent,
            ["a/src/door.rs: on the list of `key`, but does not say it"]
        );
    }

    #[test]
    fn the_lists_are_in_order() {
        for confined in CONFINED {
            assert!(confined.files.is_sorted(), "{}", confined.word);
        }
    }
}
