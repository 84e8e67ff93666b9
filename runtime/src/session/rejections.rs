//! Promises that were rejected while nobody handled them. They are judged when the
//! microtasks of a turn have run: one that got a handler by then is none of ours.

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
