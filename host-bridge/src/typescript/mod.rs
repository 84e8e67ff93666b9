//! From TypeScript, and from elements of JSX, to JavaScript: text in, text out.
//!
//! Types are blanked in place with the code that Node uses (`swc_ts_fast_strip`), so what
//! remains keeps its line and column. What needs code of its own, an `enum` for instance, is
//! refused, or rewritten where the session asked for that; what is rewritten brings a source
//! map with it.
//!
//! The text may be hostile, and the library's parser has no limits: it descends as deep as
//! the text does, and takes exponential time for some that are short. Invariant: each
//! translation runs on a thread of its own with the stack that its text can need at most
//! ([`bounded`]); no pass walks over a tree deeper than [`MAX_DEPTH`](depth::MAX_DEPTH); and
//! a panic of the library is an error of the text. Time has no limit in here: who has sessions
//! to protect has it done in a process that can be killed, through a [`Translator`] that
//! speaks [`pipe`].
//!
//! Reading order: [`to_javascript`], `translate.rs`, then `bounded.rs` and `depth.rs`;
//! `translator.rs` and `pipe.rs` for where it is done.

mod bounded;
mod cache;
mod depth;
mod error;
mod modifiers;
pub mod pipe;
mod place;
#[cfg(test)]
mod tests;
mod thread;
mod translate;
mod translator;

use self::bounded::Unbounded;
pub use self::cache::translated;
pub use self::error::{TypeScriptError, TypeScriptErrorClass};
pub use self::place::Place;
pub use self::translator::{Client, InProcess, Translator};

use protocol::ModuleOptions;

use crate::resolver::{Language, ModuleFormat};

/// The longest text that is translated, in bytes.
pub const MAX_TEXT_BYTES: usize = 8 << 20;

/// How a text is to be taken.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What it is written in.
    pub language: Language,
    /// By which grammar it will be run. Other than as a module, its own text decides.
    pub format: ModuleFormat,
    /// Guest path of its file; the last part names it in a source map.
    pub path: &'a str,
    /// What the session chose.
    pub options: &'a ModuleOptions,
}

impl Request<'_> {
    fn is_module(&self) -> bool {
        self.format == ModuleFormat::EsModule
    }
}

/// What a text was translated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JavaScript {
    /// The code. Without a map, what it has of the text stands where it stood.
    pub code: String,
    /// A source map (version 3, JSON) of code that was written anew.
    pub source_map: Option<String>,
}

impl JavaScript {
    /// The code, with its map inline where there is one.
    #[must_use]
    pub fn into_text(self) -> String {
        let JavaScript { code, source_map } = self;
        let map = source_map
            .and_then(|map| sourcemap::SourceMap::from_slice(map.as_bytes()).ok())
            .and_then(|map| map.to_data_url().ok());
        match map {
            Some(url) => format!("{code}\n//# sourceMappingURL={url}\n"),
            None => code,
        }
    }
}

/// Translates `text`, which is in another language than JavaScript.
///
/// # Errors
///
/// [`TypeScriptError`], with Node's code where Node has one.
pub fn to_javascript(text: &str, request: &Request<'_>) -> Result<JavaScript, TypeScriptError> {
    if MAX_TEXT_BYTES < text.len() {
        return Err(TypeScriptError::TooLong {
            size: text.len(),
            limit: MAX_TEXT_BYTES,
        });
    }
    let place = |at| Place::at(text, at);
    let stack = bounded::stack_for(text).map_err(|unbounded| match unbounded {
        Unbounded::Brackets(at) => TypeScriptError::TooDeep { place: place(at) },
        Unbounded::Tokens => TypeScriptError::TooManyTokens,
    })?;
    thread::run(stack, text, request)
}
