//! Fixtures are data of a test, or they are not there.

use super::{
    Problem,
    tree::{TextFile, Tree},
};

const HOSTILE: &str = "fixtures/hostile";
const CORPUS: &str = "fixtures/js";
const ENDING: &str = "// ending: ";
/// What the folder of a case holds besides its guest: the output that the guest must give.
const EXPECTED: &str = "main.out";
const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "ts", "mts", "cts"];

/// The tests run each file of the folder and compare how it ends with its header.
pub(super) fn hostile_guests_name_their_ending(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.under(HOSTILE) {
        if is_script(file) {
            let header = file.text.lines().next().unwrap_or_default();
            let ending = header.strip_prefix(ENDING).unwrap_or_default();
            if ending.trim().is_empty() {
                problems.push(Problem::at_line(
                    &file.path,
                    1,
                    format!("does not start with `{ENDING}…`"),
                ));
            }
        } else if !is_document(file) && !is_mentioned(tree, file) {
            problems.push(Problem::in_file(
                &file.path,
                "no test and no guest names this file",
            ));
        }
    }
    problems
}

/// The tests run each folder `<area>/<name>/` that holds the expected output; other files must be named by something.
pub(super) fn corpus_is_complete(tree: &Tree) -> Vec<Problem> {
    tree.under(CORPUS)
        .filter(|file| !is_document(file) && !is_in_case(tree, file) && !is_mentioned(tree, file))
        .map(|file| {
            let text = format!("in no folder with a {EXPECTED}, and nothing names this file");
            Problem::in_file(&file.path, text)
        })
        .collect()
}

fn is_script(file: &TextFile) -> bool {
    let extension = file
        .name()
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    SCRIPTS.contains(&extension)
}

fn is_document(file: &TextFile) -> bool {
    file.name().ends_with(".md")
}

/// Whether a folder above the file, up to the area, is a case with a guest.
fn is_in_case(tree: &Tree, file: &TextFile) -> bool {
    let mut folder = file.folder();
    while folder.len() > CORPUS.len() {
        let has_guest = SCRIPTS
            .iter()
            .any(|extension| tree.file(&format!("{folder}/main.{extension}")).is_some());
        if has_guest && tree.file(&format!("{folder}/{EXPECTED}")).is_some() {
            return true;
        }
        folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    false
}

/// Whether a test, or another fixture in the same folder, names the file.
fn is_mentioned(tree: &Tree, file: &TextFile) -> bool {
    let beside = |other: &TextFile| {
        is_script(other) && other.folder() == file.folder() && other.path != file.path
    };
    tree.files()
        .filter(|other| other.path.ends_with(".rs") || beside(other))
        .any(|other| other.text.contains(file.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::report;

    #[test]
    fn a_hostile_guest_names_its_ending() {
        let found = report(
            hostile_guests_name_their_ending,
            &[
                (
                    "fixtures/hostile/loop.js",
                    "// ending: limit cpu\nfor (;;);\n",
                ),
                ("fixtures/hostile/silent.mjs", "for (;;);\n"),
                ("fixtures/hostile/empty.ts", "// ending: \n"),
                ("fixtures/hostile/used.wasm.txt", ""),
                (
                    "fixtures/hostile/wasm.js",
                    "// ending: ok\nload('used.wasm.txt')\n",
                ),
                ("fixtures/hostile/stray.txt", ""),
                ("fixtures/hostile/README.md", "About"),
            ],
        );
        assert_eq!(
            found,
            [
                "fixtures/hostile/empty.ts:1: does not start with `// ending: …`",
                "fixtures/hostile/silent.mjs:1: does not start with `// ending: …`",
                "fixtures/hostile/stray.txt: no test and no guest names this file",
            ]
        );
    }

    #[test]
    fn the_corpus_has_no_strays() {
        let found = report(
            corpus_is_complete,
            &[
                ("fixtures/js/errors/cause/main.js", ""),
                ("fixtures/js/errors/cause/main.out", ""),
                ("fixtures/js/errors/cause/lib/data.json", "{}"),
                ("fixtures/js/errors/no-output/main.js", ""),
                ("fixtures/js/errors/no-guest/main.out", ""),
                ("fixtures/js/shared/prelude.js", ""),
                ("tests/tests/corpus.rs", "include_str!(\"prelude.js\")"),
            ],
        );
        assert_eq!(
            found,
            [
                "fixtures/js/errors/no-guest/main.out: in no folder with a main.out, and nothing names this file",
                "fixtures/js/errors/no-output/main.js: in no folder with a main.out, and nothing names this file",
            ]
        );
    }
}
