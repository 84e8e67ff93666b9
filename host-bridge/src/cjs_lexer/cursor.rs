//! A place in a source, and the tokens from there on.
//!
//! A cursor is two words: a pattern that may fail takes a copy.

/// A place in a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// What is left.
    rest: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str) -> Cursor<'a> {
        Cursor {
            rest: source,
            at: 0,
        }
    }

    /// Byte offset in the source.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Goes over `n_bytes`, which end on a character, and gives them.
    pub(super) fn advance(&mut self, n_bytes: usize) -> &'a str {
        let (gone, rest) = self
            .rest
            .split_at_checked(n_bytes)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at = self.at.saturating_add(gone.len());
        gone
    }

    /// Goes over what `is_part` accepts, and gives it.
    pub(super) fn advance_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_part(c));
        self.advance(end.unwrap_or(self.rest.len()))
    }

    /// Goes past the next `end`, or to the end of the source.
    pub(super) fn advance_past(&mut self, end: &str) {
        let n_bytes = self.rest.find(end).map(|at| at.saturating_add(end.len()));
        self.advance(n_bytes.unwrap_or(self.rest.len()));
    }

    /// Goes over white space and comments. A comment that does not end takes all.
    pub(super) fn skip_trivia(&mut self) {
        loop {
            self.advance_while(is_space);
            if self.starts_with("//") {
                self.advance_while(|c| !is_line_end(c));
            } else if self.starts_with("/*") {
                self.advance(2);
                self.advance_past("*/");
            } else {
                return;
            }
        }
    }

    /// Goes over `text` if it comes next, as punctuation.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let mut after = *self;
        after.skip_trivia();
        if !after.starts_with(text) {
            return false;
        }
        after.advance(text.len());
        *self = after;
        true
    }

    /// As [`Cursor::eat`], for patterns.
    pub(super) fn punct(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    /// The identifier or keyword that comes next. Escapes are not identifiers here.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        let mut after = *self;
        after.skip_trivia();
        if !after.peek().is_some_and(is_word_start) {
            return None;
        }
        let word = after.advance_while(is_word_part);
        *self = after;
        Some(word)
    }

    /// Goes over `wanted` if that is the word that comes next.
    pub(super) fn eat_word(&mut self, wanted: &str) -> bool {
        let mut after = *self;
        let found = after.word() == Some(wanted);
        if found {
            *self = after;
        }
        found
    }

    /// As [`Cursor::eat_word`], for patterns.
    pub(super) fn keyword(&mut self, wanted: &str) -> Option<()> {
        self.eat_word(wanted).then_some(())
    }

    /// The string literal that comes next, without its quotes and as it is written.
    pub(super) fn string(&mut self) -> Option<&'a str> {
        let mut after = *self;
        after.skip_trivia();
        let quote = after.peek().filter(|c| matches!(c, '\'' | '"'))?;
        after.advance(1);
        let content = after.rest;
        let start = after.at;
        after.skip_string(quote)?;
        let n_bytes = after.at.checked_sub(start)?.checked_sub(1)?;
        *self = after;
        content.get(..n_bytes)
    }

    /// From behind the opening quote to behind the closing one.
    pub(super) fn skip_string(&mut self, quote: char) -> Option<()> {
        loop {
            self.advance_while(|c| c != quote && !matches!(c, '\\' | '\n' | '\r'));
            match self.peek()? {
                '\\' => {
                    self.advance(1);
                    // CR LF behind `\` is one line end.
                    let n_bytes = match self.peek()? {
                        '\r' if self.starts_with("\r\n") => 2,
                        escaped => escaped.len_utf8(),
                    };
                    self.advance(n_bytes);
                }
                '\n' | '\r' => return None,
                _ => {
                    self.advance(1);
                    return Some(());
                }
            }
        }
    }
}

/// ECMA-262, WhiteSpace and LineTerminator.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}

/// ECMA-262, LineTerminator.
pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// ECMA-262, IdentifierStart, without escapes. Characters outside ASCII are all taken for
/// letters: in a source without errors they are nothing else.
pub(super) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$') || !c.is_ascii() && !is_space(c)
}

pub(super) fn is_word_part(c: char) -> bool {
    is_word_start(c) || c.is_ascii_digit()
}
