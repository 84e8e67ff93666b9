//! The threads that texts are translated on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};

use super::{JavaScript, MAX_GIVEN_UP, MAX_TIME, Request, TypeScriptError, translate};

/// Translations of this process that nobody waits for any more and that are still running.
static GIVEN_UP: AtomicUsize = AtomicUsize::new(0);

/// Translates on a thread with so much stack, and waits for at most [`MAX_TIME`].
pub(super) fn run(
    stack: usize,
    text: &str,
    request: &Request<'_>,
) -> Result<JavaScript, TypeScriptError> {
    if MAX_GIVEN_UP <= GIVEN_UP.load(Ordering::Acquire) {
        return Err(TypeScriptError::Busy);
    }
    // A thread that is given up outlives who asked, so everything is its own.
    let (text, path, options) = (
        text.to_owned(),
        request.path.to_owned(),
        request.options.clone(),
    );
    let (language, format) = (request.language, request.format);
    let (sender, receiver) = sync_channel(0);
    std::thread::Builder::new()
        .name("typescript".to_owned())
        .stack_size(stack)
        .spawn(move || {
            let request = Request {
                language,
                format,
                path: &path,
                options: &options,
            };
            let made = catch_unwind(AssertUnwindSafe(|| translate::translate(&text, &request)));
            let made = made.unwrap_or(Err(TypeScriptError::Internal));
            if sender.send(made).is_err() {
                GIVEN_UP.fetch_sub(1, Ordering::AcqRel);
            }
        })
        .map_err(|_| TypeScriptError::NoThread)?;
    match receiver.recv_timeout(MAX_TIME) {
        Ok(made) => made,
        Err(RecvTimeoutError::Timeout) => {
            // Counted before the receiver goes: the thread takes itself off when it finds
            // that nobody receives.
            GIVEN_UP.fetch_add(1, Ordering::AcqRel);
            Err(TypeScriptError::TooSlow { limit: MAX_TIME })
        }
        Err(RecvTimeoutError::Disconnected) => Err(TypeScriptError::Internal),
    }
}
