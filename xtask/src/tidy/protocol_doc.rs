//! PROTOCOL.md keeps step with the code: each kind of frame has a section of its own.

use super::{
    Problem,
    code::{code_only, has_word},
    tree::Tree,
};

/// The folder in one of whose files `enum Kind` is.
const FRAMES: &str = "protocol/src/frame";
const DOCUMENTS: &[&str] = &["PROTOCOL.md", "docs/PROTOCOL.md"];
/// Stands for the kinds of the future, which no document can describe.
const CATCH_ALL: &str = "Unknown";

pub(super) fn every_kind_has_a_heading(tree: &Tree) -> Vec<Problem> {
    let Some(document) = DOCUMENTS.iter().find_map(|path| tree.file(path)) else {
        return vec![Problem::in_file(
            "PROTOCOL.md",
            "not there: it describes each kind of frame",
        )];
    };
    let Some(kinds) = tree
        .under(FRAMES)
        .map(|file| kinds(&file.text))
        .find(|kinds| !kinds.is_empty())
    else {
        return vec![Problem::in_file(
            FRAMES,
            "no `enum Kind` with variants found",
        )];
    };
    let headings = headings(&document.text);
    kinds
        .iter()
        .filter(|kind| !headings.iter().any(|heading| has_word(heading, kind)))
        .map(|kind| {
            Problem::in_file(
                &document.path,
                format!("no heading names the kind `{kind}`"),
            )
        })
        .collect()
}

/// The variants of `enum Kind`, one on a line.
fn kinds(source: &str) -> Vec<String> {
    code_only(source)
        .lines()
        .map(str::trim)
        .skip_while(|line| !has_word(line, "enum Kind"))
        .skip(1)
        .take_while(|line| *line != "}")
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|line| {
            line.chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect()
        })
        .filter(|kind| kind != CATCH_ALL)
        .collect()
}

fn headings(document: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut headings = Vec::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && line.starts_with('#') {
            headings.push(line);
        }
    }
    headings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::report;

    const HEAD: &str = "protocol/src/frame/kind.rs";
    const KINDS: &str = "//! Head\n#[repr(u8)]\npub enum Kind {\n    /// First.\n    Hello = 1,\n    Execute, // Cancel,\n    #[doc(hidden)]\n    Unknown(u8),\n}\nenum Other {\n    Pong,\n}\n";

    #[test]
    fn a_kind_without_a_heading_is_found() {
        let document = "# Protocol\n## Hello (1)\nExecute\n```\n# Execute\n```\n## ExecuteLater\n";
        let found = report(
            every_kind_has_a_heading,
            &[(HEAD, KINDS), ("PROTOCOL.md", document)],
        );
        assert_eq!(found, ["PROTOCOL.md: no heading names the kind `Execute`"]);
    }

    #[test]
    fn a_complete_document_passes() {
        let document = "## 4.1 Hello\n## 4.2 `Execute`\n";
        assert!(
            report(
                every_kind_has_a_heading,
                &[(HEAD, KINDS), ("docs/PROTOCOL.md", document)]
            )
            .is_empty()
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let without_document = report(every_kind_has_a_heading, &[(HEAD, KINDS)]);
        assert_eq!(
            without_document,
            ["PROTOCOL.md: not there: it describes each kind of frame"]
        );
        let without_kinds = report(
            every_kind_has_a_heading,
            &[(HEAD, "//! Head\n"), ("PROTOCOL.md", "")],
        );
        assert_eq!(
            without_kinds,
            ["protocol/src/frame: no `enum Kind` with variants found"]
        );
    }
}
