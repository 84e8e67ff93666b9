//! What a session tells while it runs, from the handlers of its output and events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use isolate_sidecar_client::{Canceller, JsError, Output, Stream};

/// Output of one stream, as long as no other comes between.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) stream: Stream,
    pub(super) text: Vec<u8>,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) output: Vec<Piece>,
    pub(super) unhandled: Option<JsError>,
    canceller: Option<Canceller>,
}

/// Shared by the handlers and whoever waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Told>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    pub(super) fn keep(&mut self, output: &Output) {
        match self.output.last_mut() {
            Some(last) if last.stream == output.stream => last.text.extend_from_slice(&output.text),
            _ => self.output.push(Piece {
                stream: output.stream,
                text: output.text.to_vec(),
            }),
        }
    }

    /// As in Node, nothing runs any more after the first unhandled rejection.
    pub(super) fn reject(&mut self, error: JsError) {
        self.unhandled.get_or_insert(error);
        self.cancel();
    }

    pub(super) fn cancel(&self) {
        if let Some(canceller) = &self.canceller {
            canceller.cancel();
        }
    }

    pub(super) fn may_cancel(&mut self, canceller: Canceller) {
        if self.unhandled.is_some() {
            canceller.cancel();
        }
        self.canceller = Some(canceller);
    }
}
