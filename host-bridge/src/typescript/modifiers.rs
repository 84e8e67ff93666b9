//! Modifiers of class members that are names: `public` at the end of a line is a property.
//!
//! The library takes every such word for a modifier of what follows, on whatever line that
//! is. TypeScript does so only on the same line, so a `;` is put where the line ends.

use swc_common::{BytePos, Spanned as _};
use swc_ecma_ast::{ClassMember, Program};
use swc_ecma_visit::{Visit, VisitWith as _};

/// The words that stand on the line of what they modify. `static` may stand on another.
const WORDS: [&str; 7] = [
    "public",
    "private",
    "protected",
    "readonly",
    "abstract",
    "override",
    "declare",
];

/// A word that is a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken {
    /// Byte of the word.
    pub(super) word: usize,
    /// Byte of a blank behind it that can become a `;`, if there is one.
    pub(super) blank: Option<usize>,
}

/// Whether a word stands before a line break or a comment anywhere, be it code or not.
pub(super) fn may_be_broken(text: &str) -> bool {
    let ends = |after: &str| {
        let rest = after.trim_start_matches(|c: char| c.is_whitespace() && !is_break(c));
        rest.starts_with('/') || rest.starts_with(is_break)
    };
    WORDS.iter().any(|word| text.split(word).skip(1).any(ends))
}

/// All words of `program`, which was read from `text`, that are names.
pub(super) fn broken(program: &Program, text: &str, start: BytePos) -> Vec<Broken> {
    let mut finder = Finder {
        text,
        start,
        found: Vec::new(),
    };
    program.visit_with(&mut finder);
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    start: BytePos,
    found: Vec<Broken>,
}

impl Visit for Finder<'_> {
    fn visit_class_member(&mut self, member: &ClassMember) {
        let at = super::translate::offset(member.span_lo(), self.start);
        let rest = self.text.get(at..).unwrap_or_default();
        self.found.extend(in_member(rest).map(|broken| Broken {
            word: broken.word.saturating_add(at),
            blank: broken.blank.map(|blank| blank.saturating_add(at)),
        }));
        member.visit_children_with(self);
    }
}

/// The first broken word of a member, whose text begins here and has its words in a row.
fn in_member(text: &str) -> Option<Broken> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let len = rest
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(len)?;
        let gap = Gap::of(after);
        let is_word = WORDS.contains(&word);
        // A word that nothing follows but `=`, `;` and the like is a name anyway.
        let goes_on = after
            .get(gap.len..)
            .is_some_and(|next| next.starts_with(starts_member));
        if (!is_word && word != "static") || gap.len == 0 || !goes_on {
            return None;
        }
        let end = at.saturating_add(len);
        if is_word && gap.has_break {
            return Some(Broken {
                word: at,
                blank: gap.blank.map(|blank| end.saturating_add(blank)),
            });
        }
        at = end.saturating_add(gap.len);
    }
}

fn starts_member(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() || "_$#[*'\"\\".contains(c)
}

/// White space and comments.
#[derive(Default)]
struct Gap {
    len: usize,
    has_break: bool,
    /// A byte of white space outside of comments that ends no line by itself.
    blank: Option<usize>,
}

impl Gap {
    fn of(text: &str) -> Gap {
        let mut gap = Gap::default();
        while let Some(rest) = text.get(gap.len..) {
            let step = if rest.starts_with("//") {
                rest.find(['\n', '\r', '\u{2028}', '\u{2029}'])
                    .unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let len = rest
                    .find("*/")
                    .map_or(rest.len(), |at| at.saturating_add(2));
                gap.has_break |= rest.get(..len).is_some_and(|text| text.contains(is_break));
                len
            } else if let Some(c) = rest.chars().next().filter(|c| c.is_whitespace()) {
                gap.has_break |= is_break(c);
                if c == ' ' || c == '\t' || rest.starts_with("\r\n") {
                    gap.blank = gap.blank.or(Some(gap.len));
                }
                c.len_utf8()
            } else {
                break;
            };
            gap.len = gap.len.saturating_add(step);
        }
        gap
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
