//! Bytes of the host in, events for the router out. While the router is behind, nothing is
//! read: the pipe pushes back on the host.
//!
//! Invariant: what waits for the router is bounded in number and in bytes.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Arc;
use std::thread;

use bytes::BytesMut;
use protocol::{Decoded, FrameDecoder, HostFrame};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{UnixStream, unix::pipe};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::{Channel, ChannelKind};
use crate::error::ConnectionError;
use crate::handshake::agreed_max_frame;
use crate::router::Event;

/// Room for reading small frames. Larger bodies get a buffer of their own size.
const READ_BUFFER: usize = 16 * 1024;
/// A frame up to this size costs nothing while it waits for the router: few of them do.
const MAX_FREE: usize = 64 * 1024;
/// KiB of larger frames that wait for the router. One larger than that waits alone.
const MAX_LARGE_KIB: u32 = 8 * 1024;

/// Something from the host on its way to the router.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) event: Event,
    /// Given back when the event was handled.
    _room: Option<OwnedSemaphorePermit>,
}

/// Starts to read `input`. Must be called inside the tokio runtime.
pub(crate) fn start_reader(
    input: Channel,
    max_frame: u32,
    events: mpsc::Sender<Incoming>,
) -> io::Result<()> {
    let feed = Feed::new(max_frame);
    match input.kind {
        ChannelKind::Pipe => {
            let pipe = pipe::Receiver::from_owned_fd(input.fd)?;
            tokio::spawn(pump(pipe, feed, events));
        }
        ChannelKind::Socket => {
            let socket = UnixStream::from_std(StdUnixStream::from(input.fd))?;
            tokio::spawn(pump(socket, feed, events));
        }
        ChannelKind::File => {
            let runtime = Handle::current();
            thread::Builder::new()
                .name("stdin".to_owned())
                .spawn(move || pump_file(File::from(input.fd), feed, &events, &runtime))?;
        }
    }
    Ok(())
}

async fn pump(mut input: impl AsyncRead + Unpin, mut feed: Feed, events: mpsc::Sender<Incoming>) {
    loop {
        feed.make_room();
        let result = input.read_buf(&mut feed.buffer).await;
        let is_last = !matches!(result, Ok(n) if n > 0);
        while let Some((event, len)) = feed.next() {
            let incoming = feed.admit(event, len).await;
            if events.send(incoming).await.is_err() {
                return;
            }
        }
        if is_last || feed.is_broken {
            if let Some(event) = feed.end(result) {
                // The router may be gone already; then nobody needs to know.
                let _ = events.send(Incoming { event, _room: None }).await;
            }
            return;
        }
    }
}

fn pump_file(mut input: File, mut feed: Feed, events: &mpsc::Sender<Incoming>, runtime: &Handle) {
    let mut chunk = vec![0; READ_BUFFER];
    loop {
        let result = input.read(&mut chunk);
        let n = *result.as_ref().unwrap_or(&0);
        feed.buffer
            .extend_from_slice(chunk.get(..n).unwrap_or_default());
        while let Some((event, len)) = feed.next() {
            let incoming = runtime.block_on(feed.admit(event, len));
            if events.blocking_send(incoming).is_err() {
                return;
            }
        }
        if n == 0 || feed.is_broken {
            if let Some(event) = feed.end(result) {
                // The router may be gone already; then nobody needs to know.
                let _ = events.blocking_send(Incoming { event, _room: None });
            }
            return;
        }
    }
}

/// What has been read and not yet become an event.
#[derive(Debug)]
struct Feed {
    decoder: FrameDecoder<HostFrame>,
    buffer: BytesMut,
    /// What the router has not taken of large frames.
    room: Arc<Semaphore>,
    /// The most that this side agrees to.
    max_frame: u32,
    is_greeted: bool,
    is_broken: bool,
}

impl Feed {
    fn new(max_frame: u32) -> Feed {
        Feed {
            decoder: FrameDecoder::new(),
            buffer: BytesMut::with_capacity(READ_BUFFER),
            room: Arc::new(Semaphore::new(
                usize::try_from(MAX_LARGE_KIB).unwrap_or(usize::MAX),
            )),
            max_frame,
            is_greeted: false,
            is_broken: false,
        }
    }

    /// A body under way has its room already, made by the decoder.
    fn make_room(&mut self) {
        let spare = self.buffer.capacity().saturating_sub(self.buffer.len());
        if spare == 0 || (self.buffer.is_empty() && spare < READ_BUFFER / 4) {
            self.buffer.reserve(READ_BUFFER);
        }
    }

    /// Waits until `event`, of a frame of `len` bytes, may wait for the router.
    async fn admit(&self, event: Event, len: usize) -> Incoming {
        let kib = u32::try_from(len / 1024).unwrap_or(u32::MAX);
        let kib = kib.min(MAX_LARGE_KIB);
        let _room = match len > MAX_FREE {
            // The error is that the semaphore is closed, which it never is.
            true => Arc::clone(&self.room).acquire_many_owned(kib).await.ok(),
            false => None,
        };
        Incoming { event, _room }
    }

    /// The next event, and how many bytes it was.
    fn next(&mut self) -> Option<(Event, usize)> {
        let before = self.buffer.len();
        let event = self.decode()?;
        Some((event, before.saturating_sub(self.buffer.len())))
    }

    fn decode(&mut self) -> Option<Event> {
        if self.is_broken {
            return None;
        }
        match self.decoder.decode(&mut self.buffer) {
            Ok(None) => None,
            Ok(Some(Decoded::Frame(envelope))) => {
                if let HostFrame::Hello(hello) = &envelope.frame
                    && !self.is_greeted
                {
                    self.is_greeted = true;
                    let agreed = agreed_max_frame(hello.max_frame, self.max_frame);
                    self.decoder.set_max_body(agreed);
                }
                Some(Event::Frame(envelope))
            }
            Ok(Some(Decoded::Rejected(head, err))) => Some(Event::Rejected(head, err)),
            Err(err) => {
                self.is_broken = true;
                Some(Event::StreamError(ConnectionError::Frame(err)))
            }
        }
    }

    /// The last event, after a read that brought nothing.
    fn end(&self, result: io::Result<usize>) -> Option<Event> {
        if self.is_broken {
            return None;
        }
        Some(match result {
            // A socket whose other end vanished with unread data in it.
            Err(err) if err.kind() != io::ErrorKind::ConnectionReset => {
                Event::StreamError(ConnectionError::Read(err))
            }
            _ if self.decoder.is_between_frames(&self.buffer) => Event::StdinClosed,
            _ => Event::StreamError(ConnectionError::CutShort),
        })
    }
}
