//! What each frame of the sidecar means to this side.

use std::fmt;
use std::sync::Arc;

use protocol::frame::{Head, HostCall, HostReply, Kind, Ping, Pong, Refused, Reply};
use protocol::{CallId, Decoded, Envelope, FrameError, HostFrame, Reason, SessionId, SidecarFrame};
use protocol::{RequestId, Value};

use super::inbox::Inbox;
use super::{Connection, Key};
use crate::error::RequestError;
use crate::function::{Function, Handlers, Responder, host_error};

/// A host function that is to be run, by a thread that does not lead.
pub(super) struct Work {
    pub(super) function: Function,
    pub(super) args: Value,
    pub(super) responder: Responder,
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Work").field(&self.responder.call()).finish()
    }
}

impl Connection {
    /// Called by the leader, outside of the lock.
    pub(super) fn dispatch(
        self: &Arc<Connection>,
        decoded: Decoded<SidecarFrame>,
        inbox: &mut Inbox,
    ) -> Option<Work> {
        let envelope = match decoded {
            Decoded::Frame(envelope) => envelope,
            Decoded::Rejected(head, err) => {
                self.unreadable(&head, err);
                return None;
            }
        };
        let Envelope {
            session,
            request,
            frame,
        } = envelope;
        let key = Key { session, request };
        match frame {
            SidecarFrame::HostCall(call) => return self.host_call(session, request, call),
            SidecarFrame::Output(output) => {
                let handlers = self.handlers(session);
                if let Some(on_output) = handlers.as_ref().and_then(|all| all.on_output.as_ref()) {
                    on_output(request, output);
                }
            }
            SidecarFrame::SessionEvent(event) => {
                let handlers = self.handlers(session);
                if let Some(on_event) = handlers.as_ref().and_then(|all| all.on_event.as_ref()) {
                    on_event(request, event.event);
                }
            }
            SidecarFrame::Ping(Ping { payload }) => {
                let pong = HostFrame::Pong(Pong { payload });
                // The error cannot be: a pong fits.
                let _ = self.lock().send(session, request, &pong);
            }
            SidecarFrame::GoAway(away) => {
                self.lock().go_away = Some((away.reason, away.message));
            }
            SidecarFrame::Refused(refused) => self.refused(key, refused),
            SidecarFrame::Reset(reset) => self.lock().reset(session, &reset),
            SidecarFrame::Welcome(ref welcome) => {
                inbox.set_max_body(welcome.max_frame);
                let mut state = self.lock();
                state.outgoing.set_max_body(welcome.max_frame);
                state.n_welcomes = state.n_welcomes.saturating_add(1);
                state.answer(key, frame);
            }
            answer => self.lock().answer(key, answer),
        }
        None
    }

    fn handlers(&self, session: SessionId) -> Option<Arc<Handlers>> {
        let mut state = self.lock();
        let entry = state.session_mut(session)?;
        Some(Arc::clone(&entry.handlers))
    }

    fn host_call(
        self: &Arc<Connection>,
        session: SessionId,
        request: RequestId,
        call: HostCall,
    ) -> Option<Work> {
        if self.lock().is_closing() {
            return None;
        }
        let handlers = self.handlers(session)?;
        let Some(function) = handlers.functions.get(&call.method) else {
            self.refuse_call(session, request, "the host has no such function");
            return None;
        };
        Some(Work {
            function: Arc::clone(function),
            args: call.args,
            responder: Responder::new(Arc::clone(self), session, CallId::from_head(request)),
        })
    }

    /// PROTOCOL.md 6.2: a refusal is the answer to a request when its kind is the request's,
    /// and `DuplicateRequest` never is.
    fn refused(&self, key: Key, refused: Refused) {
        let mut state = self.lock();
        let kind = Kind::from_wire(refused.kind);
        if state.awaits(key) == Some(kind) && refused.reason != Reason::DuplicateRequest {
            let Refused {
                reason,
                message,
                limit,
                ..
            } = refused;
            let err = RequestError::Refused {
                reason,
                message,
                limit,
            };
            state.settle(key, Err(err));
        }
    }

    fn unreadable(&self, head: &Head, err: FrameError) {
        if head.kind == Kind::HostCall {
            self.refuse_call(head.session, head.request, "the host cannot read the call");
            return;
        }
        let key = Key {
            session: head.session,
            request: head.request,
        };
        self.lock().settle(key, Err(RequestError::Unreadable(err)));
    }

    /// Sent by the leader, who must not wait.
    fn refuse_call(&self, session: SessionId, request: RequestId, message: &str) {
        let error = host_error(message.to_owned(), "ERR_HOST_FUNCTION");
        let reply = HostFrame::HostReply(HostReply {
            reply: Reply::Err(error),
        });
        // The error cannot be: so short a reply fits.
        let _ = self.lock().send(session, request, &reply);
    }
}
