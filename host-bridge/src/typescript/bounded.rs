//! How much stack and time reading a text may take, known before it is read.
//!
//! The parser descends by recursion and looks at no limit, so the stack is made for the text:
//! each level of recursion takes at least one token, and [`stack_for`] adds up what the tokens
//! can need at most. It looks at bytes alone and counts those of comments and texts too, so
//! no comment and no quote can hide a token from it. What a token can need is measured, not
//! proven: for every way to nest that was tried, at least half as much again is counted.
//! Only what is used of the stack is ever backed by memory.

/// What the parser and each pass need beside the levels, and what all passes need for a tree
/// of [`MAX_DEPTH`](super::depth::MAX_DEPTH) levels.
const BASE_STACK: usize = 96 << 20;
/// The largest stack that is made.
pub(super) const MAX_STACK: usize = 2 << 30;
/// What a level costs that a bracket opens: 3.4 KiB were measured for parentheses.
const BRACKET: usize = 6 << 10;
/// What a level costs that other punctuation makes: an arrow takes two such bytes.
const PUNCTUATION: usize = 3 << 9;
/// What a level costs that a word makes, such as `new`.
const WORD: usize = 1 << 10;
/// Brackets that may be open at once, as far as one can tell without reading.
const MAX_BRACKETS: usize = 10_000;

/// A text that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unbounded {
    /// It opens too many brackets; the byte where.
    Brackets(usize),
    /// Its tokens could need a larger stack than is made.
    Tokens,
}

/// Bytes of stack that reading `text` takes at most.
pub(super) fn stack_for(text: &str) -> Result<usize, Unbounded> {
    let mut stack = BASE_STACK;
    let mut open = 0_usize;
    let mut in_word = false;
    for (at, byte) in text.bytes().enumerate() {
        let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_$".contains(&byte);
        let cost = match byte {
            b'(' | b'[' | b'{' | b'<' | b'`' => BRACKET,
            b')' | b']' | b'}' | b';' | b',' | b'\'' | b'"' => 0,
            _ if is_word && in_word => 0,
            _ if is_word => WORD,
            _ if byte.is_ascii_punctuation() => PUNCTUATION,
            _ => 0,
        };
        in_word = is_word;
        stack = stack.saturating_add(cost);
        match byte {
            b'(' | b'[' | b'{' => open = open.saturating_add(1),
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if MAX_BRACKETS < open {
            return Err(Unbounded::Brackets(at));
        }
        if MAX_STACK < stack {
            return Err(Unbounded::Tokens);
        }
    }
    Ok(stack)
}
