//! How a session reaches the router.

use std::fmt;

use protocol::RequestId;

use crate::SessionEvent;

/// Where a session reports. Blocks while the router is behind; the guest waits.
pub struct EventSender {
    send: Box<dyn Fn(SessionEvent) + Send + Sync>,
    stopping: Box<dyn Fn(RequestId) + Send + Sync>,
    lift: Box<dyn Fn() + Send + Sync>,
}

impl EventSender {
    /// Delivers through `send`.
    pub fn new(send: impl Fn(SessionEvent) + Send + Sync + 'static) -> EventSender {
        EventSender {
            send: Box::new(send),
            stopping: Box::new(|_| {}),
            lift: Box::new(|| {}),
        }
    }

    /// Tells `stopping` when a request is told to stop, for whatever reason: from then on it
    /// has the grace period. It is called from any thread and must not block.
    #[must_use]
    pub fn on_stopping(self, stopping: impl Fn(RequestId) + Send + Sync + 'static) -> EventSender {
        EventSender {
            stopping: Box::new(stopping),
            ..self
        }
    }

    /// Tells `lift` when nobody is to wait in [`EventSender::send`] any more.
    #[must_use]
    pub fn on_lift(self, lift: impl Fn() + Send + Sync + 'static) -> EventSender {
        EventSender {
            lift: Box::new(lift),
            ..self
        }
    }

    /// The session has ended: what it still reports must not wait for the host. Never blocks.
    pub fn lift(&self) {
        (self.lift)();
    }

    /// `request` was told to stop. Never blocks.
    pub fn stopping(&self, request: RequestId) {
        (self.stopping)(request);
    }

    /// Reports `event`.
    pub fn send(&self, event: SessionEvent) {
        (self.send)(event);
    }
}

impl fmt::Debug for EventSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSender")
    }
}
