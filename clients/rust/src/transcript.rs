//! Output of guests, kept up to a bound: for hosts that want it afterwards and not as it
//! comes.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::RequestId;
use protocol::frame::{Level, Output, Stream};

/// A piece of output and the request that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The request, [`RequestId::NONE`] for output between requests.
    pub request: RequestId,
    /// Which stream.
    pub stream: Stream,
    /// Which console method, or raw.
    pub level: Level,
    /// The bytes; UTF-8 unless the guest wrote raw bytes.
    pub text: Vec<u8>,
}

/// Keeps output in order, of one session or of several. A clone is the same transcript.
#[derive(Debug, Clone)]
pub struct Transcript {
    max_bytes: usize,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    written: Vec<Written>,
    bytes: usize,
    dropped_bytes: u64,
}

impl Transcript {
    /// Keeps up to `max_bytes`; what comes later is counted and dropped.
    pub fn new(max_bytes: usize) -> Transcript {
        Transcript {
            max_bytes,
            kept: Arc::default(),
        }
    }

    /// What [`SessionBuilder::on_output`](crate::SessionBuilder::on_output) takes.
    pub fn recorder(&self) -> impl Fn(RequestId, Output) + Send + Sync + 'static {
        let transcript = self.clone();
        move |request, output| transcript.record(request, &output)
    }

    /// Takes out what is kept.
    pub fn take(&self) -> Vec<Written> {
        let mut kept = self.lock();
        kept.bytes = 0;
        std::mem::take(&mut kept.written)
    }

    /// Takes out what is kept as text, both streams together.
    pub fn take_text(&self) -> String {
        let all: Vec<u8> = self.take().into_iter().flat_map(|one| one.text).collect();
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Bytes that were dropped so far.
    pub fn dropped_bytes(&self) -> u64 {
        self.lock().dropped_bytes
    }

    fn record(&self, request: RequestId, output: &Output) {
        let mut kept = self.lock();
        let text = output.text.to_vec();
        let bytes = kept.bytes.saturating_add(text.len());
        if self.max_bytes < bytes {
            let len = u64::try_from(text.len()).unwrap_or(u64::MAX);
            kept.dropped_bytes = kept.dropped_bytes.saturating_add(len);
            return;
        }
        kept.bytes = bytes;
        kept.written.push(Written {
            request,
            stream: output.stream,
            level: output.level,
            text,
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(text: &'static str) -> Output {
        Output {
            stream: Stream::Stdout,
            level: Level::Log,
            text: text.into(),
        }
    }

    #[test]
    fn keeps_what_fits_in_order() {
        let transcript = Transcript::new(5);
        let record = transcript.recorder();
        record(RequestId(1), output("abc"));
        record(RequestId(1), output("def"));
        record(RequestId(2), output("gh"));
        assert_eq!(transcript.take_text(), "abcgh");
        assert_eq!(transcript.dropped_bytes(), 3);
        assert!(transcript.take().is_empty());
        record(RequestId(3), output("ijk"));
        assert_eq!(transcript.take()[0].request, RequestId(3));
    }
}
