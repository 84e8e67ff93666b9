//! Where texts are translated: in this process, or wherever the sidecar has it done.

use std::fmt::Debug;

use super::{JavaScript, Request, TypeScriptError, to_javascript};
use crate::{Counters, Terminator};

/// For whom a text is translated.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// Stops the request that waits.
    pub terminator: &'a Terminator,
    /// What the session has cost: work that is done elsewhere is counted there, and who has
    /// cost less goes first.
    pub counters: &'a Counters,
}

/// Translates for session threads, which wait for it.
pub trait Translator: Send + Sync + Debug {
    /// As [`to_javascript`]. When the client's request is stopped, whoever waits is
    /// let go with [`TypeScriptError::Stopped`] as soon as that can be done.
    ///
    /// # Errors
    ///
    /// [`TypeScriptError`].
    fn translate(
        &self,
        text: &str,
        request: &Request<'_>,
        client: Client<'_>,
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
        _: Client<'_>,
    ) -> Result<JavaScript, TypeScriptError> {
        to_javascript(text, request)
    }
}
