//! Standard error: the log and the traces, one JSON object a line.
//!
//! Invariant: whoever logs never waits for the reader of standard error. Lines go through
//! a bounded queue to a thread of their own; when it is full they are dropped, and the
//! next line that gets through is followed by how many.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::log_filter;

/// Lines that wait for standard error.
const MAX_LINES: usize = 1024;

static QUEUE: OnceLock<SyncSender<Message>> = OnceLock::new();
static N_DROPPED: AtomicU64 = AtomicU64::new(0);

enum Message {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

/// Sets up the log, with the filter that the environment asks for. Lines are written
/// directly until [`start_log_thread`].
pub fn init_log() {
    let filter = EnvFilter::builder().parse_lossy(log_filter());
    // Fails when a log is set up already; then that one is used.
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(filter)
        .with_writer(LogWriter)
        .try_init();
}

/// From here on nobody waits for standard error. Not to be called before the engine's
/// platform is initialised: that must precede every thread.
///
/// # Errors
///
/// When the operating system refuses a thread.
pub fn start_log_thread() -> io::Result<()> {
    let (sender, lines) = sync_channel(MAX_LINES);
    thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_lines(&lines))?;
    // When it is set already, the new thread ends at once.
    let _ = QUEUE.set(sender);
    Ok(())
}

/// Waits until what was logged is written, but not longer than `within`.
pub fn flush_log(within: Duration) {
    let (sender, done) = sync_channel(1);
    if let Some(queue) = QUEUE.get()
        && queue.try_send(Message::Flush(sender)).is_ok()
    {
        // In time or not: there is nothing more to be done about it.
        let _ = done.recv_timeout(within);
    }
}

/// Writes one line, which ends in a line break.
pub(crate) fn write_line(line: Vec<u8>) {
    match QUEUE.get() {
        None => write_all(&line),
        Some(queue) => {
            if queue.try_send(Message::Line(line)).is_err() {
                N_DROPPED.fetch_add(1, Relaxed);
            }
        }
    }
}

fn write_lines(lines: &Receiver<Message>) {
    for message in lines {
        match message {
            Message::Line(line) => {
                write_all(&line);
                let n_dropped = N_DROPPED.swap(0, Relaxed);
                if n_dropped > 0 {
                    let note = format!("{{\"level\":\"WARN\",\"lines_dropped\":{n_dropped}}}\n");
                    write_all(note.as_bytes());
                }
            }
            Message::Flush(done) => {
                // The one who asked may have given up.
                let _ = done.try_send(());
            }
        }
    }
}

fn write_all(line: &[u8]) {
    // A closed standard error is no reason to fail.
    let _ = io::stderr().lock().write_all(line);
}

/// Gives the log its writer; each event is one write.
struct LogWriter;

struct LineWriter;

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter
    }
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        write_line(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
