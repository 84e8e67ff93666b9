//! The thread that a text is translated on: it has the stack that the text needs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, scope};

use super::{JavaScript, Request, TypeScriptError, translate};

/// Translates on a thread with so much stack, and waits for it.
pub(super) fn run(
    stack: usize,
    text: &str,
    request: &Request<'_>,
) -> Result<JavaScript, TypeScriptError> {
    scope(|scope| {
        let thread = Builder::new()
            .name("typescript".to_owned())
            .stack_size(stack)
            .spawn_scoped(scope, || {
                let made = catch_unwind(AssertUnwindSafe(|| translate::translate(text, request)));
                made.unwrap_or(Err(TypeScriptError::Internal))
            })
            .map_err(|_| TypeScriptError::NoThread)?;
        thread.join().unwrap_or(Err(TypeScriptError::Internal))
    })
}
