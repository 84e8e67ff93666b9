//! Promises that were rejected while nobody handled them. They are judged when the
//! microtasks of a turn have run: one that got a handler by then is none of ours.

use protocol::JsError;

use super::State;
use super::work::{Started, guarded};
use crate::Scope;
use crate::error::flatten;

/// The most that are remembered at once; a guest that rejects more loses the rest.
const MAX_TRACKED: usize = 1024;

/// Rejected promises of the current turn.
#[derive(Default)]
pub(crate) struct Rejections(Vec<Rejection>);

/// A rejected promise and its reason.
pub(crate) struct Rejection {
    pub(crate) promise: v8::Global<v8::Promise>,
    pub(crate) reason: v8::Global<v8::Value>,
}

impl Rejections {
    pub(crate) fn add(&mut self, rejection: Rejection) {
        if self.0.len() < MAX_TRACKED {
            self.0.push(rejection);
        }
    }

    pub(crate) fn remove(&mut self, promise: &v8::Global<v8::Promise>) {
        self.0.retain(|rejection| rejection.promise != *promise);
    }

    pub(crate) fn take(&mut self) -> Vec<Rejection> {
        std::mem::take(&mut self.0)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Whether a rejection is still unhandled and the guest itself has no listener for it.
pub(super) fn judge(
    scope: &mut Scope<'_, '_>,
    state: &State,
    rejection: &Rejection,
) -> Option<JsError> {
    let is_handled = v8::Local::new(scope, &rejection.promise).has_handler();
    if is_handled {
        return None;
    }
    let mut listened = false;
    let emitted = guarded(scope, |scope| {
        let reason = v8::Local::new(scope, &rejection.reason);
        let promise = v8::Local::new(scope, &rejection.promise);
        let args = [reason, promise.into()];
        let hooks = state.hooks.get()?;
        listened = hooks.emit_process_event(scope, "unhandledRejection", &args)?;
        Some(Started::Stopped)
    });
    match emitted {
        Started::Threw(error) => Some(*error),
        _ if listened => None,
        _ => {
            let reason = v8::Local::new(scope, &rejection.reason);
            Some(flatten(scope, reason))
        }
    }
}
