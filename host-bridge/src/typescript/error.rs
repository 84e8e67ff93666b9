//! Why a text was not translated.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::place::Place;

/// Which of the language's errors a [`TypeScriptError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeScriptErrorClass {
    /// `Error`.
    Error,
    /// `TypeError`.
    TypeError,
    /// `SyntaxError`.
    SyntaxError,
    /// `RangeError`.
    RangeError,
}

/// Why a text was not translated. The text of an error holds no path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum TypeScriptError {
    /// It is no text of its language.
    #[error("{message} ({place})\n{}", place.excerpt)]
    Invalid {
        /// What is wrong.
        message: String,
        /// Where.
        place: Place,
    },
    /// It has what cannot be taken away without putting code in its place.
    #[error(
        "{message} ({place}); a session that is opened with `typescript: transform` rewrites it\n{}",
        place.excerpt
    )]
    NeedsTransform {
        /// What it has.
        message: String,
        /// Where.
        place: Place,
    },
    /// It has what is not supported in any way.
    #[error("{message} ({place})\n{}", place.excerpt)]
    Unsupported {
        /// What it has.
        message: String,
        /// Where.
        place: Place,
    },
    /// It is in a language with elements, and the session has no use for them.
    #[error(
        "elements of JSX are off in this session; one that is opened with `jsx: automatic` or \
         `jsx: classic` takes them"
    )]
    JsxOff,
    /// It is longer than what is translated.
    #[error("the text has {size} bytes, and {limit} is the most that is translated")]
    TooLong {
        /// Its bytes.
        size: usize,
        /// The most.
        limit: usize,
    },
    /// It is nested too deeply to be translated.
    #[error("the code is nested too deeply to be translated ({place})")]
    TooDeep {
        /// Where the limit was reached, or where the code begins that reaches it.
        place: Place,
    },
    /// It has so many tokens that reading it could take more stack than there is.
    #[error("the code has more tokens than are read; split the file")]
    TooManyTokens,
    /// It takes longer than a translation may.
    #[error("translating the code takes longer than {} ms", limit.as_millis())]
    TooSlow {
        /// What a translation may take.
        limit: Duration,
    },
    /// Every process that translates was busy for as long as one waits.
    #[error("every process that translates was busy for {} ms; try again", waited.as_millis())]
    Busy {
        /// How long was waited.
        waited: Duration,
    },
    /// The process that translated it died, most likely for want of memory or of stack.
    #[error("the process that translated the code has died: {how}")]
    Died {
        /// How it ended.
        how: String,
    },
    /// The request that it was for was stopped.
    #[error("the request was stopped while the code was being translated")]
    Stopped,
    /// The operating system refused a thread to translate it on.
    #[error("the operating system refused a thread to translate on")]
    NoThread,
    /// The operating system refused a process to translate it in.
    #[error("the operating system refused a process to translate in")]
    NoProcess,
    /// A fault of the translator.
    #[error("the translator failed on this text")]
    Internal,
}

impl TypeScriptError {
    /// Whether the text is to blame, and not what this machine could not do now.
    pub(super) fn is_of_the_text(&self) -> bool {
        !matches!(
            self,
            TypeScriptError::TooSlow { .. }
                | TypeScriptError::Busy { .. }
                | TypeScriptError::Died { .. }
                | TypeScriptError::Stopped
                | TypeScriptError::NoThread
                | TypeScriptError::NoProcess
        )
    }

    /// Node's code where Node has one.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            TypeScriptError::Invalid { .. } => "ERR_INVALID_TYPESCRIPT_SYNTAX",
            TypeScriptError::NeedsTransform { .. } | TypeScriptError::Unsupported { .. } => {
                "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
            }
            TypeScriptError::JsxOff => "ERR_UNKNOWN_FILE_EXTENSION",
            TypeScriptError::TooLong { .. }
            | TypeScriptError::TooDeep { .. }
            | TypeScriptError::TooManyTokens
            | TypeScriptError::TooSlow { .. }
            | TypeScriptError::Busy { .. }
            | TypeScriptError::Died { .. } => "ERR_LIMIT_TYPESCRIPT",
            TypeScriptError::Stopped
            | TypeScriptError::NoThread
            | TypeScriptError::NoProcess
            | TypeScriptError::Internal => "ERR_INTERNAL_ASSERTION",
        }
    }

    /// The class of the error that the guest sees.
    #[must_use]
    pub fn class(&self) -> TypeScriptErrorClass {
        match self.code() {
            "ERR_INVALID_TYPESCRIPT_SYNTAX" | "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" => {
                TypeScriptErrorClass::SyntaxError
            }
            "ERR_UNKNOWN_FILE_EXTENSION" => TypeScriptErrorClass::TypeError,
            "ERR_LIMIT_TYPESCRIPT" => TypeScriptErrorClass::RangeError,
            _ => TypeScriptErrorClass::Error,
        }
    }
}
