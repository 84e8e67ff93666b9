//! Output within its limit: the head is sent as it is written, the tail is kept and sent
//! at the end of the request, and what lies between is counted and replaced by a marker.

use std::collections::VecDeque;

use host_bridge::{Interrupted, Mailbox};
use protocol::frame::{Level, Stream};

/// Share of the limit that is kept for the tail: an eighth, at most this many bytes.
const MAX_TAIL: u64 = 256 * 1024;
/// The largest piece of one `Output` frame.
const MAX_PIECE: usize = 64 * 1024;

/// Meters the output of one request at a time.
#[derive(Debug)]
pub(crate) struct OutputMeter {
    head_left: u64,
    tail_room: u64,
    limit: u64,
    written: u64,
    dropped: u64,
    tail: VecDeque<Piece>,
    tail_bytes: u64,
}

/// A piece of text on its way to the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) stream: Stream,
    pub(crate) level: Level,
    pub(crate) text: bytes::Bytes,
}

impl OutputMeter {
    pub(crate) fn new(limit: u64) -> OutputMeter {
        let tail_room = (limit / 8).min(MAX_TAIL);
        OutputMeter {
            head_left: limit.saturating_sub(tail_room),
            tail_room,
            limit,
            written: 0,
            dropped: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
        }
    }

    /// Starts over for the next request.
    pub(crate) fn reset(&mut self) {
        *self = OutputMeter::new(self.limit);
    }

    /// Takes one write; what is to be sent now comes back, in pieces.
    pub(crate) fn write(&mut self, stream: Stream, level: Level, text: String) -> Vec<Piece> {
        let mut now = Vec::new();
        for text in pieces(text.into()) {
            let len = wide(text.len());
            self.written = self.written.saturating_add(len);
            let piece = Piece {
                stream,
                level,
                text,
            };
            // Once something went to the tail, all that follows does: order is kept.
            if self.tail.is_empty() && self.dropped == 0 && len <= self.head_left {
                self.head_left = self.head_left.saturating_sub(len);
                now.push(piece);
            } else {
                self.keep(piece, len);
            }
        }
        now
    }

    /// The end of the request: the marker, if anything was dropped, and the tail.
    pub(crate) fn finish(&mut self) -> Vec<Piece> {
        let mut last = Vec::new();
        if self.dropped > 0 {
            let text = format!(
                "[{} bytes of output dropped: the limit is {} bytes]\n",
                self.dropped, self.limit
            );
            last.push(Piece {
                stream: Stream::Stderr,
                level: Level::Raw,
                text: text.into(),
            });
        }
        last.extend(self.tail.drain(..));
        self.tail_bytes = 0;
        last
    }

    /// Bytes written by the guest, and those of them that were dropped.
    pub(crate) fn totals(&self) -> (u64, u64) {
        (self.written, self.dropped)
    }

    fn keep(&mut self, piece: Piece, len: u64) {
        self.tail.push_back(piece);
        self.tail_bytes = self.tail_bytes.saturating_add(len);
        while self.tail_bytes > self.tail_room {
            let Some(oldest) = self.tail.pop_front() else {
                break;
            };
            let len = wide(oldest.text.len());
            self.tail_bytes = self.tail_bytes.saturating_sub(len);
            self.dropped = self.dropped.saturating_add(len);
        }
    }
}

/// Reserves room for `piece` in the session's allowance and gives it to `send`.
///
/// # Errors
///
/// [`Interrupted`] when the request is stopped while it waits for room.
pub(crate) fn send_piece<T: Send + 'static>(
    mailbox: &std::sync::Arc<Mailbox<T>>,
    piece: Piece,
    send: impl FnOnce(Piece, host_bridge::OutputTicket),
) -> Result<(), Interrupted> {
    let ticket = mailbox.reserve_output(piece.text.len())?;
    send(piece, ticket);
    Ok(())
}

/// Cuts text at character boundaries.
fn pieces(text: bytes::Bytes) -> Vec<bytes::Bytes> {
    let mut rest = text;
    let mut all = Vec::new();
    while rest.len() > MAX_PIECE {
        let is_boundary = |at: &usize| rest.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
        let at = (MAX_PIECE.saturating_sub(3)..=MAX_PIECE)
            .rev()
            .find(is_boundary)
            .unwrap_or(MAX_PIECE);
        all.push(rest.split_to(at));
    }
    all.push(rest);
    all
}

fn wide(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: &[Piece]) -> Vec<String> {
        pieces
            .iter()
            .map(|piece| String::from_utf8(piece.text.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn the_limit_holds_just_below_at_and_above() {
        for (n, dropped) in [(15, 0), (16, 0), (17, 1)] {
            let mut meter = OutputMeter::new(16);
            for _ in 0..n {
                meter.write(Stream::Stdout, Level::Log, "x".into());
            }
            assert_eq!(meter.totals(), (n, dropped), "{n}");
        }
    }

    #[test]
    fn head_and_tail_are_kept_and_the_gap_is_counted() {
        let mut meter = OutputMeter::new(80);
        let mut sent = Vec::new();
        for n in 0..100 {
            sent.extend(meter.write(Stream::Stdout, Level::Log, format!("{n:09}\n")));
        }
        sent.extend(meter.finish());
        let texts = texts(&sent);
        assert_eq!(texts.len(), 7 + 1 + 1);
        assert_eq!(texts[0], "000000000\n");
        assert!(texts[7].contains("920 bytes"), "{}", texts[7]);
        assert_eq!(texts[8], "000000099\n");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let text = "é".repeat(MAX_PIECE);
        let all = pieces(text.clone().into());
        assert!(all.len() > 1);
        let joined: String = all
            .iter()
            .map(|piece| std::str::from_utf8(piece).unwrap())
            .collect();
        assert_eq!(joined, text);
    }
}
