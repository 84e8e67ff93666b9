//! Where texts are translated: in this process, or wherever the sidecar has it done.

use std::fmt::Debug;

use super::{JavaScript, Request, TypeScriptError, to_javascript};
use crate::Terminator;

/// Translates for session threads, which wait for it.
pub trait Translator: Send + Sync + Debug {
    /// As [`to_javascript`]. When `terminator` stops the running request, whoever waits is
    /// let go with [`TypeScriptError::Stopped`] as soon as that can be done.
    ///
    /// # Errors
    ///
    /// [`TypeScriptError`].
    fn translate(
        &self,
        text: &str,
        request: &Request<'_>,
        terminator: &Terminator,
    ) -> Result<JavaScript, TypeScriptError>;
}

/// Translates in this process, without a limit on time: for a process that can be killed.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl Translator for InProcess {
    fn translate(
        &self,
        text: &str,
        request: &Request<'_>,
        _: &Terminator,
    ) -> Result<JavaScript, TypeScriptError> {
        to_javascript(text, request)
    }
}
