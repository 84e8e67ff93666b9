//! Differences that are meant: `fixtures/conformance/known-differences.txt`.
//!
//! A line is `CLASS/TREE ENTRY CHECK = REASON`. The three patterns are compared with the whole name, `*` stands for anything in
//! them, and `_` in the pattern of a check for a space too.

use std::fmt;
use std::path::Path;
use std::{fs, io};

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    line: usize,
    tree: String,
    entry: String,
    check: String,
    reason: String,
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Known {
            line,
            tree,
            entry,
            check,
            reason,
        } = self;
        write!(f, "line {line}: {tree} {entry} {check} = {reason}")
    }
}

impl Known {
    pub(super) fn matches(&self, tree: &str, entry: &str, check: &str) -> bool {
        matches(&self.tree, tree)
            && matches(&self.entry, entry)
            && matches(&self.check, &check.replace(' ', "_"))
    }
}

/// The list; an error names the line that is none.
pub(super) fn load(path: &Path) -> io::Result<Vec<Known>> {
    parse(&fs::read_to_string(path)?).map_err(|line| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{}:{line}: not `TREE ENTRY CHECK = REASON`", path.display()),
        )
    })
}

fn parse(text: &str) -> Result<Vec<Known>, usize> {
    let mut list = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (patterns, reason) = text.split_once(" = ").ok_or(line)?;
        let patterns: Vec<&str> = patterns.split_whitespace().collect();
        let [tree, entry, check] = patterns.as_slice() else {
            return Err(line);
        };
        list.push(Known {
            line,
            tree: (*tree).to_owned(),
            entry: (*entry).to_owned(),
            check: (*check).to_owned(),
            reason: reason.to_owned(),
        });
    }
    Ok(list)
}

/// Whether all of `text` is as `pattern` says.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    loop {
        if matches(rest, text) {
            return true;
        }
        let mut letters = text.chars();
        if letters.next().is_none() {
            return false;
        }
        text = letters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_names() {
        let known = &parse("# why\n\nurls/* main.* import_*'x' = it is so\n").unwrap()[0];
        assert!(known.matches("urls/a", "main.mjs", "import of 'x'"));
        assert!(!known.matches("urls/a", "main.mjs", "import of 'x' #2"));
        assert!(!known.matches("formats/a", "main.mjs", "import of 'x'"));
        assert!(!known.matches("urls/a", "other.mjs", "import of 'x'"));
        assert_eq!(parse("a b = c").unwrap_err(), 1);
        assert_eq!(
            known.to_string(),
            "line 3: urls/* main.* import_*'x' = it is so"
        );
    }
}
