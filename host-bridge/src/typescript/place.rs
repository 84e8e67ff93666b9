//! Where in a text an error is, and what stands there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Characters of a line that an excerpt shows before and after the place.
const MAX_EXCERPT: usize = 60;

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in UTF-16 code units as in a stack.
    pub column: usize,
    /// The line there, cut where it is long, and a mark below the place.
    pub excerpt: String,
}

impl Place {
    /// The place at a byte of `text`.
    pub(super) fn at(text: &str, offset: usize) -> Place {
        let (before, after) = text
            .split_at_checked(text.floor_char_boundary(offset))
            .unwrap_or((text, ""));
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let line_before = before.get(start..).unwrap_or_default();
        let line_after = after.split(['\r', '\n']).next().unwrap_or_default();
        let shown_before = last_chars(line_before, MAX_EXCERPT);
        let shown_after: String = line_after.chars().take(MAX_EXCERPT).collect();
        // Tabs stay, so that the mark is below the place however wide they are.
        let mark: String = shown_before
            .chars()
            .map(|c| if c == '\t' { c } else { ' ' })
            .collect();
        Place {
            line: before.matches('\n').count().saturating_add(1),
            column: line_before.encode_utf16().count().saturating_add(1),
            excerpt: format!("{shown_before}{shown_after}\n{mark}^"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn last_chars(text: &str, count: usize) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take(count)
        .last()
        .map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or_default()
}
