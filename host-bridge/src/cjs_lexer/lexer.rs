//! The walk over all tokens: what is code, what is open, and where a pattern may begin.

use std::collections::{HashMap, HashSet};

use super::cursor::{Cursor, is_line_end, is_word_part};
use super::patterns::{self, Entry, OnExports};
use super::unescape::unescape;
use super::{CjsExports, LexError, MAX_DEPTH};

/// The state of one walk.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    cursor: Cursor<'a>,
    previous: Previous,
    open: Vec<Open>,
    found: Found<'a>,
}

/// What the token before is, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// The start of a statement: nothing, `;`, `{` of a block, `}` of a block, `=>`.
    Statement,
    /// An operator or an opening bracket: an operand follows.
    Operator,
    /// A keyword that an expression follows.
    ExpressionKeyword,
    /// `if`, `for`, `while` or `with`.
    ControlKeyword,
    /// The closing parenthesis behind a control keyword.
    ControlHead,
    /// `:`
    Colon,
    /// `.` or `?.`
    Dot,
    /// The end of an operand.
    Operand,
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    ControlHead,
    Block,
    ObjectLiteral,
    /// `${`
    Substitution,
}

#[derive(Debug, Default)]
struct Found<'a> {
    exports: Ordered,
    reexports: Ordered,
    /// Names with a getter that may run code: no exports, whatever else defines them.
    hidden: HashSet<String>,
    /// Variables that hold a required module, at the top level.
    bindings: HashMap<&'a str, &'a str>,
}

/// Strings, each once, in the order they came.
#[derive(Debug, Default)]
struct Ordered {
    list: Vec<String>,
    known: HashSet<String>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Lexer<'a> {
        Lexer {
            cursor: Cursor::new(source),
            previous: Previous::Statement,
            open: Vec::new(),
            found: Found::default(),
        }
    }

    pub(super) fn run(mut self) -> Result<CjsExports, LexError> {
        if self.cursor.starts_with("#!") {
            self.cursor.advance_while(|c| !is_line_end(c));
        }
        loop {
            self.cursor.skip_trivia();
            let Some(next) = self.cursor.peek() else {
                break;
            };
            self.token(next)?;
        }
        match self.open.len() {
            0 => Ok(self.found.finish()),
            n_open => Err(LexError::Unclosed { n_open }),
        }
    }

    fn token(&mut self, next: char) -> Result<(), LexError> {
        let at = self.cursor.at();
        match next {
            '0'..='9' => {
                self.cursor.advance_while(|c| is_word_part(c) || c == '.');
                self.previous = Previous::Operand;
            }
            '\'' | '"' => {
                self.cursor.advance(1);
                self.cursor
                    .skip_string(next)
                    .ok_or(LexError::UnterminatedString { at })?;
                self.previous = Previous::Operand;
            }
            '`' => {
                self.cursor.advance(1);
                self.template(at)?;
            }
            '/' if self.regex_may_follow() => self.regex(at)?,
            '(' | '{' => self.open(next)?,
            ')' | '}' => self.close(next, at)?,
            _ => match self.cursor.word() {
                Some(word) => self.word(word, at)?,
                None => self.punctuation(next),
            },
        }
        Ok(())
    }

    fn punctuation(&mut self, next: char) {
        let is_operand = self.previous == Previous::Operand;
        let (n_bytes, previous) = if self.cursor.starts_with("...") {
            (3, Previous::Operator)
        } else if self.cursor.starts_with("=>") {
            (2, Previous::Statement)
        } else if self.cursor.starts_with("++") || self.cursor.starts_with("--") {
            // Behind an operand it is part of it, before one it is an operator.
            let previous = if is_operand {
                Previous::Operand
            } else {
                Previous::Operator
            };
            (2, previous)
        } else {
            let previous = match next {
                '.' => Previous::Dot,
                ':' => Previous::Colon,
                ';' => Previous::Statement,
                ']' => Previous::Operand,
                _ => Previous::Operator,
            };
            (next.len_utf8(), previous)
        };
        self.cursor.advance(n_bytes);
        self.previous = previous;
    }

    fn open(&mut self, bracket: char) -> Result<(), LexError> {
        self.cursor.advance(1);
        let open = match (bracket, self.previous) {
            ('(', Previous::ControlKeyword) => Open::ControlHead,
            ('(', _) => Open::Parenthesis,
            (_, Previous::Operator | Previous::ExpressionKeyword) => Open::ObjectLiteral,
            (_, Previous::Colon) if self.open.last() == Some(&Open::ObjectLiteral) => {
                Open::ObjectLiteral
            }
            _ => Open::Block,
        };
        self.push(open)?;
        self.previous = match open {
            Open::Block => Previous::Statement,
            _ => Previous::Operator,
        };
        Ok(())
    }

    fn close(&mut self, bracket: char, at: usize) -> Result<(), LexError> {
        self.cursor.advance(1);
        self.previous = match (bracket, self.open.pop()) {
            (')', Some(Open::Parenthesis)) | ('}', Some(Open::ObjectLiteral)) => Previous::Operand,
            (')', Some(Open::ControlHead)) => Previous::ControlHead,
            ('}', Some(Open::Block)) => Previous::Statement,
            ('}', Some(Open::Substitution)) => return self.template(at),
            _ => return Err(LexError::UnexpectedClose { at }),
        };
        Ok(())
    }

    fn push(&mut self, open: Open) -> Result<(), LexError> {
        if MAX_DEPTH <= self.open.len() {
            return Err(LexError::TooDeep { limit: MAX_DEPTH });
        }
        self.open.push(open);
        Ok(())
    }

    /// From behind the backtick, or behind a substitution, to the next of either.
    fn template(&mut self, at: usize) -> Result<(), LexError> {
        loop {
            self.cursor
                .advance_while(|c| !matches!(c, '`' | '\\' | '$'));
            match self.cursor.peek() {
                None => return Err(LexError::UnterminatedTemplate { at }),
                Some('`') => {
                    self.cursor.advance(1);
                    self.previous = Previous::Operand;
                    return Ok(());
                }
                Some('\\') => {
                    self.cursor.advance(1);
                    let escaped = self.cursor.peek().map_or(0, char::len_utf8);
                    self.cursor.advance(escaped);
                }
                Some(_) if self.cursor.starts_with("${") => {
                    self.cursor.advance(2);
                    self.previous = Previous::Operator;
                    return self.push(Open::Substitution);
                }
                Some(_) => {
                    self.cursor.advance(1);
                }
            }
        }
    }

    fn regex_may_follow(&self) -> bool {
        !matches!(self.previous, Previous::Operand | Previous::Dot)
    }

    fn regex(&mut self, at: usize) -> Result<(), LexError> {
        self.cursor.advance(1);
        let mut is_in_class = false;
        loop {
            self.cursor
                .advance_while(|c| !matches!(c, '/' | '[' | ']' | '\\') && !is_line_end(c));
            let next = self.cursor.peek().filter(|c| !is_line_end(*c));
            let Some(next) = next else {
                return Err(LexError::UnterminatedRegex { at });
            };
            self.cursor.advance(1);
            match next {
                '/' if !is_in_class => break,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '\\' => {
                    let escaped = self.cursor.peek().filter(|c| !is_line_end(*c));
                    self.cursor.advance(escaped.map_or(0, char::len_utf8));
                }
                _ => {}
            }
        }
        self.cursor.advance_while(is_word_part);
        self.previous = Previous::Operand;
        Ok(())
    }

    fn word(&mut self, word: &'a str, at: usize) -> Result<(), LexError> {
        let is_member = self.previous == Previous::Dot;
        let is_top_level = self.open.is_empty();
        if is_top_level && matches!(word, "__export" | "__exportStar") {
            if let Some(specifier) = patterns::export_star(self.cursor) {
                self.found.reexport(specifier);
            }
        } else if !is_member {
            match word {
                "exports" => self.found.on_exports(self.cursor),
                "module" => self.found.on_module(self.cursor),
                "Object" => {
                    self.found.on_define(self.cursor);
                    if is_top_level {
                        self.found.on_star_loop(self.cursor);
                    }
                }
                "var" | "let" | "const" if is_top_level => {
                    self.found.bindings.extend(patterns::binding(self.cursor));
                }
                "import" | "export" if is_top_level && self.is_module_syntax(word) => {
                    return Err(LexError::ModuleSyntax { at });
                }
                _ => {}
            }
        }
        self.previous = if is_member {
            Previous::Operand
        } else {
            kind_of(word)
        };
        Ok(())
    }

    /// Whether what follows `import` or `export` makes it a declaration or `import.meta`.
    fn is_module_syntax(&self, word: &str) -> bool {
        let mut next = self.cursor;
        if next.word().is_some() {
            return true;
        }
        match word {
            "import" => {
                let is_text = next.string().is_some();
                is_text || next.eat("{") || next.eat("*") || next.eat(".")
            }
            _ => next.eat("{") || next.eat("*"),
        }
    }
}

fn kind_of(word: &str) -> Previous {
    match word {
        "if" | "for" | "while" | "with" => Previous::ControlKeyword,
        "return" | "typeof" | "case" | "in" | "instanceof" | "new" | "void" | "delete"
        | "throw" | "yield" | "await" | "extends" => Previous::ExpressionKeyword,
        "else" | "do" | "try" | "finally" => Previous::Statement,
        _ => Previous::Operand,
    }
}

impl<'a> Found<'a> {
    fn on_exports(&mut self, cursor: Cursor<'a>) {
        match patterns::on_exports(cursor) {
            OnExports::Word(name) => self.exports.insert(name.to_owned()),
            OnExports::Text(name) => self.exports.extend(unescape(name)),
            OnExports::Assign(_) | OnExports::Nothing => {}
        }
    }

    fn on_module(&mut self, cursor: Cursor<'a>) {
        let Some(cursor) = patterns::module_exports(cursor) else {
            return;
        };
        let OnExports::Assign(mut value) = patterns::on_exports(cursor) else {
            self.on_exports(cursor);
            return;
        };
        // The last assignment is the one whose re-exports count.
        self.reexports = Ordered::default();
        if value.eat("{") {
            patterns::literal(value, |entry| match entry {
                Entry::Word(name) => self.exports.insert(name.to_owned()),
                Entry::Text(name) => self.exports.extend(unescape(name)),
                Entry::Spread(specifier) => self.reexports.extend(unescape(specifier)),
            });
        } else if let Some(specifier) = patterns::require(&mut value) {
            self.reexport(specifier);
        }
    }

    fn on_define(&mut self, cursor: Cursor<'a>) {
        let Some(define) = patterns::define(cursor) else {
            return;
        };
        match unescape(define.name) {
            Some(name) if define.is_plain => self.exports.insert(name),
            Some(name) => {
                self.hidden.insert(name);
            }
            None => {}
        }
    }

    fn on_star_loop(&mut self, cursor: Cursor<'a>) {
        let source = patterns::export_star_loop(cursor);
        if let Some(specifier) = source.and_then(|name| self.bindings.get(name).copied()) {
            self.reexport(specifier);
        }
    }

    fn reexport(&mut self, specifier: &str) {
        self.reexports.extend(unescape(specifier));
    }

    fn finish(self) -> CjsExports {
        let mut exports = self.exports.list;
        exports.retain(|name| !self.hidden.contains(name));
        CjsExports {
            exports,
            reexports: self.reexports.list,
        }
    }
}

impl Ordered {
    fn insert(&mut self, text: String) {
        if self.known.insert(text.clone()) {
            self.list.push(text);
        }
    }

    fn extend(&mut self, text: Option<String>) {
        if let Some(text) = text {
            self.insert(text);
        }
    }
}
