//! Named exports of CommonJS sources: what an `import` of such a module may name.
//!
//! Node finds these names without running the module, by patterns in the token stream. The
//! patterns are the grammar in the documentation of the npm package `cjs-module-lexer`,
//! which is frozen: what works in one release of Node works in all, and nothing is added
//! here. In short: `exports.x =`, `exports['x'] =`, `module.exports = { x, y: z }`,
//! `Object.defineProperty(exports, 'x', ..)` with a value or a plain getter, and, for
//! exports of other modules, `module.exports = require('x')`, `...require('x')` and the
//! `export *` of TypeScript and Babel. There is no scope analysis.
//!
//! Where the grammar leaves room this lexer follows Node: `exports.x == 1` counts as an
//! assignment. It follows the grammar, and not Node, where Node wants some tokens of the
//! `export *` patterns to stand without space between them.
//!
//! One pass over the source; a pattern looks ahead over each token a fixed number of times,
//! so the time is linear in the length of the source. Nesting is bounded by [`MAX_DEPTH`].

mod cursor;
mod lexer;
mod patterns;
#[cfg(test)]
mod tests;
mod unescape;

use std::mem::size_of;
use std::sync::Arc;

use self::lexer::Lexer;
use crate::reader::FileContents;

/// Parentheses, braces and template substitutions that may be open at once.
pub const MAX_DEPTH: usize = 4096;

/// What an `import` of a CommonJS module may name, before its re-exports are followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CjsExports {
    /// Names, each once, in the order of the source.
    pub exports: Vec<String>,
    /// Specifiers of modules whose names are exported too, to be resolved with `require`.
    pub reexports: Vec<String>,
}

/// Why a source has no tokens to look at. Node then takes the module to have no named
/// exports, and leaves it to the engine to report a syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LexError {
    /// A string that does not end on its line.
    #[error("unterminated string at byte {at}")]
    UnterminatedString {
        /// Where it begins.
        at: usize,
    },
    /// A template literal that does not end.
    #[error("unterminated template literal at byte {at}")]
    UnterminatedTemplate {
        /// Where its last part begins.
        at: usize,
    },
    /// A regular expression that does not end on its line.
    #[error("unterminated regular expression at byte {at}")]
    UnterminatedRegex {
        /// Where it begins.
        at: usize,
    },
    /// A closing parenthesis or brace without its opening one.
    #[error("unexpected closing bracket at byte {at}")]
    UnexpectedClose {
        /// Where it is.
        at: usize,
    },
    /// The source ends with something open.
    #[error("{n_open} brackets are not closed")]
    Unclosed {
        /// How many are open.
        n_open: usize,
    },
    /// More is open at once than may be.
    #[error("brackets are nested deeper than {limit}")]
    TooDeep {
        /// [`MAX_DEPTH`].
        limit: usize,
    },
    /// `import` or `export` as only an ECMAScript module has it.
    #[error("import or export of an ECMAScript module at byte {at}")]
    ModuleSyntax {
        /// Where it is.
        at: usize,
    },
}

/// The names that `source`, the text of a CommonJS module, seems to export.
///
/// # Errors
///
/// [`LexError`] where the source does not fall into tokens, or is an ECMAScript module.
///
/// # Examples
///
/// ```
/// let found = host_bridge::cjs_lexer::named_exports("exports.a = 1; exports['b'] = 2")?;
/// assert_eq!(found.exports, ["a", "b"]);
/// # Ok::<(), host_bridge::cjs_lexer::LexError>(())
/// ```
pub fn named_exports(source: &str) -> Result<CjsExports, LexError> {
    Lexer::new(source).run()
}

/// The names that a CommonJS file seems to export, found once for all sessions that share
/// its contents. A file that is not UTF-8, or that does not fall into tokens, has none.
#[must_use]
pub fn exports_of(contents: &FileContents) -> Arc<CjsExports> {
    contents.derived_weighed(|bytes| {
        let source = std::str::from_utf8(bytes).ok();
        let found = source.and_then(|source| match source.strip_prefix('\u{feff}') {
            // To Node's lexer the mark is a part of the first word.
            Some(rest) => named_exports(&format!("_{rest}")).ok(),
            None => named_exports(source).ok(),
        });
        let found = found.unwrap_or_default();
        let n_bytes = found.n_bytes();
        (found, n_bytes)
    })
}

impl CjsExports {
    /// Memory that these names hold.
    fn n_bytes(&self) -> usize {
        let names = self.exports.iter().chain(&self.reexports);
        names.fold(size_of::<CjsExports>(), |n_bytes, name| {
            n_bytes
                .saturating_add(size_of::<String>())
                .saturating_add(name.capacity())
        })
    }
}
