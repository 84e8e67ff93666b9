//! What can keep a measurement from being made.

use std::io;

use protocol::{EncodeError, FrameError, Reason};

/// A measurement could not be made; a missed bar is no error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeasureError {
    /// The operating system refused something.
    #[error("{what}")]
    Io {
        what: String,
        #[source]
        source: io::Error,
    },
    /// A process closed its stream in the middle of a measurement, or was killed because it took too long.
    #[error("{0} ended early or was killed at its time bound")]
    Gone(&'static str),
    /// A frame could not be written.
    #[error("a frame cannot be written")]
    Encode(#[from] EncodeError),
    /// A frame could not be read.
    #[error("a frame cannot be read")]
    Frame(#[from] FrameError),
    /// The sidecar refused a request.
    #[error("refused: {reason}: {message}")]
    Refused { reason: Reason, message: String },
    /// Something came that does not belong to the measurement.
    #[error("expected {expected}, got {got}")]
    Unexpected { expected: String, got: String },
    /// What the measurement needs is not there.
    #[error("{0}")]
    Missing(&'static str),
}

pub(crate) type Result<T> = std::result::Result<T, MeasureError>;

impl MeasureError {
    /// For `map_err`: an I/O error with what was being done.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> MeasureError {
        let what = what.into();
        |source| MeasureError::Io { what, source }
    }

    pub(crate) fn unexpected(
        expected: impl Into<String>,
        got: impl std::fmt::Debug,
    ) -> MeasureError {
        MeasureError::Unexpected {
            expected: expected.into(),
            got: format!("{got:?}"),
        }
    }

    /// The error and its causes, on one line.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}
