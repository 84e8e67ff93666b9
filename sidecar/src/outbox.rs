//! What waits to be written to the host, and in which order it goes.
//!
//! ```text
//!   frames of the connection ──────> control ──────────────────> first
//!   frames of sessions ────────────> a lane for each session ──> in turns, see `lanes.rs`
//! ```
//!
//! Invariant: the frames of one session leave in the order in which they came. So the
//! `Output` of a request is on the wire before its `Outcome`; between sessions, what a host
//! waits for goes ahead of output, and none delays another by more than a bounded amount.
//!
//! Invariant: what waits is bounded. Guests pay for their frames with a [`Toll`] that they
//! get back when the frame is written; the rest, which only the host's own frames cause, is
//! bounded by `Config::max_unread`: when more waits, no frame of the host is read.

mod lanes;

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use host_bridge::OutputTicket;
use protocol::bounds::HELLO_MAX_FRAME;
use protocol::frame::{GoAway, HostCall};
use protocol::{CallId, EncodeError, RequestId, SessionId, SidecarFrame};

use self::lanes::Lanes;
use crate::credit::Ticket;

/// A frame longer than this does not share its buffer with later ones.
const MAX_SHARED: usize = 64 * 1024;
/// What a waiting frame takes besides its bytes, roughly.
const PARCEL_WEIGHT: usize = 256;

/// What a guest has laid down for a frame. Dropping it, once the frame is written or given
/// up, gives it back.
#[derive(Debug)]
pub(crate) enum Toll {
    /// Nothing: the host caused the frame.
    Unpaid,
    /// For `Output`.
    Output(#[expect(dead_code, reason = "held for its drop")] OutputTicket),
    /// For everything else that guests send.
    Credit(#[expect(dead_code, reason = "held for its drop")] Ticket),
}

/// One encoded frame.
#[derive(Debug)]
pub(crate) struct Parcel {
    /// Head and body.
    pub(crate) bytes: Bytes,
    toll: Toll,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Outbox {
    max_body: u32,
    scratch: BytesMut,
    control: VecDeque<Parcel>,
    lanes: Lanes,
    farewell: Option<Parcel>,
    is_closed: bool,
    load: Load,
}

/// How much waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// Bytes of control frames.
    pub(crate) control: usize,
    /// The most that these ever were.
    pub(crate) control_peak: usize,
    /// Bytes of `Output` frames.
    pub(crate) output: usize,
    /// The most that these ever were.
    pub(crate) output_peak: usize,
    /// Most bytes that ever waited.
    pub(crate) peak: usize,
    /// What the part of `control` that no guest has paid for takes, in bytes of memory.
    unpaid: usize,
    /// Frames written since the start.
    pub(crate) frames_written: u64,
}

impl Outbox {
    pub(crate) fn new() -> Outbox {
        Outbox {
            max_body: HELLO_MAX_FRAME,
            scratch: BytesMut::new(),
            control: VecDeque::new(),
            lanes: Lanes::default(),
            farewell: None,
            is_closed: false,
            load: Load::default(),
        }
    }

    /// The largest body that the host reads, as agreed in the handshake.
    pub(crate) fn set_max_body(&mut self, max_body: u32) {
        self.max_body = max_body;
    }

    /// See [`Outbox::set_max_body`].
    pub(crate) fn max_body(&self) -> u32 {
        self.max_body
    }

    /// Queues a frame.
    ///
    /// # Errors
    ///
    /// When it cannot be encoded within what the host reads; nothing is queued then.
    pub(crate) fn push(
        &mut self,
        session: SessionId,
        request: RequestId,
        frame: &SidecarFrame,
        toll: Toll,
    ) -> Result<(), EncodeError> {
        if self.is_closed {
            return Ok(());
        }
        let bytes = self.encode(session, request, frame)?;
        self.add(session, bytes, toll);
        Ok(())
    }

    /// Queues a host call, or gives it back when it cannot be encoded.
    pub(crate) fn push_call(
        &mut self,
        session: SessionId,
        call: CallId,
        frame: HostCall,
        ticket: Ticket,
    ) -> Result<(), (HostCall, Ticket)> {
        let frame = SidecarFrame::HostCall(frame);
        match self.encode(session, call.to_head(), &frame) {
            Ok(bytes) => self.add(session, bytes, Toll::Credit(ticket)),
            Err(_) => {
                if let SidecarFrame::HostCall(frame) = frame {
                    return Err((frame, ticket));
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, session: SessionId, bytes: Bytes, toll: Toll) {
        let parcel = Parcel { bytes, toll };
        self.load.add(&parcel);
        if session.is_connection() {
            self.control.push_back(parcel);
        } else {
            self.lanes.push(session, parcel);
        }
    }

    /// Queues the last frame: it goes after everything else, and nothing goes after it.
    pub(crate) fn close_with(&mut self, go_away: GoAway) {
        let frame = SidecarFrame::GoAway(go_away);
        if let Ok(bytes) = self.encode(SessionId::CONNECTION, RequestId::NONE, &frame) {
            let toll = Toll::Unpaid;
            let parcel = Parcel { bytes, toll };
            self.load.add(&parcel);
            self.farewell = Some(parcel);
        }
        self.is_closed = true;
    }

    /// Gives up everything that waits: there is nobody to read it.
    pub(crate) fn abandon(&mut self) {
        *self = Outbox {
            is_closed: true,
            load: self.load.written_only(),
            ..Outbox::new()
        };
    }

    /// Takes the next frame to be written.
    pub(crate) fn pop(&mut self) -> Option<Parcel> {
        let parcel = self
            .control
            .pop_front()
            .or_else(|| self.lanes.pop())
            .or_else(|| self.farewell.take());
        self.shrink();
        parcel
    }

    /// Accounts for a frame of `len` bytes that [`Outbox::pop`] gave and that is on the
    /// wire.
    pub(crate) fn written(&mut self, len: usize, parcel: &Parcel) {
        self.load.remove(len, parcel);
    }

    /// Whether nothing waits, and more may come.
    pub(crate) fn is_idle(&self) -> bool {
        self.control.is_empty() && self.lanes.is_empty() && !self.is_closed
    }

    /// How much waits, popped and unwritten frames included.
    pub(crate) fn load(&self) -> Load {
        self.load
    }

    /// What the frames take that the host has caused and not read, in bytes of memory.
    pub(crate) fn unread(&self) -> usize {
        self.load.unpaid
    }

    fn encode(
        &mut self,
        session: SessionId,
        request: RequestId,
        frame: &SidecarFrame,
    ) -> Result<Bytes, EncodeError> {
        frame.encode_within(self.max_body, session, request, &mut self.scratch)?;
        let bytes = self.scratch.split().freeze();
        if bytes.len() > MAX_SHARED {
            self.scratch = BytesMut::new();
        }
        Ok(bytes)
    }

    /// After a burst, its memory goes back.
    fn shrink(&mut self) {
        if self.control.is_empty() && self.control.capacity() > 1024 {
            self.control = VecDeque::new();
        }
    }
}

impl Parcel {
    fn is_output(&self) -> bool {
        matches!(self.toll, Toll::Output(_))
    }
}

impl Load {
    fn add(&mut self, parcel: &Parcel) {
        let len = parcel.bytes.len();
        if parcel.is_output() {
            self.output = self.output.saturating_add(len);
        } else {
            self.control = self.control.saturating_add(len);
        }
        if matches!(parcel.toll, Toll::Unpaid) {
            let weight = len.saturating_add(PARCEL_WEIGHT);
            self.unpaid = self.unpaid.saturating_add(weight);
        }
        self.control_peak = self.control_peak.max(self.control);
        self.output_peak = self.output_peak.max(self.output);
        self.peak = self.peak.max(self.output.saturating_add(self.control));
    }

    fn remove(&mut self, len: usize, parcel: &Parcel) {
        if parcel.is_output() {
            self.output = self.output.saturating_sub(len);
        } else {
            self.control = self.control.saturating_sub(len);
        }
        if matches!(parcel.toll, Toll::Unpaid) {
            let weight = len.saturating_add(PARCEL_WEIGHT);
            self.unpaid = self.unpaid.saturating_sub(weight);
        }
        self.frames_written = self.frames_written.saturating_add(1);
    }

    fn written_only(self) -> Load {
        Load {
            control: 0,
            output: 0,
            unpaid: 0,
            ..self
        }
    }
}

#[cfg(test)]
mod tests;
