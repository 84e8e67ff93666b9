//! One build, in a child process: spec in, image out, a deadline over all of it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use host_bridge::BuiltSnapshot;
use nix::sys::signal::Signal;
use protocol::Reason;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::config::{ChildCommand, LOG_VARIABLE, variable};
use crate::snapshot_pipe::{Answer, MAX_RESULT, PipeError, read_answer};

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// The child says why; its text names the module or object.
    #[error("{message}")]
    Refused { reason: Reason, message: String },
    #[error("the build did not end within {0:?}; ask for a larger limits.wall_ms in WarmSnapshot")]
    TimedOut(Duration),
    #[error("the build's process was killed by {0}")]
    Killed(String),
    #[error("the build's process ended with exit code {0} and without a result")]
    Exited(i32),
    #[error("the build's result cannot be read: {0}")]
    Pipe(#[from] PipeError),
    #[error("the build's process cannot be run: {0}")]
    Io(#[from] io::Error),
}

impl BuildError {
    pub(crate) fn reason(&self) -> Reason {
        match self {
            BuildError::Refused { reason, .. } => *reason,
            _ => Reason::SnapshotFailed,
        }
    }
}

/// Runs one build of an encoded spec to its end: what the child wrote, and what that is. When
/// the future is dropped, the child is killed.
pub(super) async fn build(
    command: &ChildCommand,
    spec: Bytes,
    within: Duration,
) -> Result<(Bytes, BuiltSnapshot), BuildError> {
    let child = start(command)?;
    let (output, status) = timeout(within, talk(child, spec))
        .await
        .map_err(|_| BuildError::TimedOut(within))??;
    // A complete answer counts whatever the exit status: the child's last act is to write.
    match read_answer(output.clone()) {
        Ok(Answer::Built(built)) => Ok((output, *built)),
        Ok(Answer::Failure(reason, message)) => Err(BuildError::Refused { reason, message }),
        Err(err) => Err(failure(status, err)),
    }
}

fn start(command: &ChildCommand) -> io::Result<Child> {
    let mut child = Command::new(&command.program);
    child
        .args(&command.args)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    if let Some(filter) = variable(LOG_VARIABLE) {
        child.env(LOG_VARIABLE, filter);
    }
    child.spawn()
}

async fn talk(mut child: Child, spec: Bytes) -> Result<(Bytes, ExitStatus), BuildError> {
    let input = child.stdin.take();
    let output = child.stdout.take();
    let write = async move {
        if let Some(mut input) = input {
            // A child that dies early says more by its exit status than by EPIPE here.
            let _ = input.write_all(&spec).await;
        }
    };
    let read = async move {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            let limit = u64::try_from(MAX_RESULT).unwrap_or(u64::MAX);
            let mut output = output.take(limit.saturating_add(1));
            output.read_to_end(&mut bytes).await?;
        }
        if bytes.len() > MAX_RESULT {
            return Err(PipeError::TooLong(MAX_RESULT));
        }
        Ok(Bytes::from(bytes))
    };
    let ((), bytes) = tokio::join!(write, read);
    Ok((bytes?, child.wait().await?))
}

fn failure(status: ExitStatus, err: PipeError) -> BuildError {
    if let Some(number) = status.signal() {
        let name = Signal::try_from(number).map_or("an unknown signal", Signal::as_str);
        // This is how V8 ends over an object that no snapshot can hold.
        let hint = match Signal::try_from(number) {
            Ok(Signal::SIGTRAP | Signal::SIGILL | Signal::SIGABRT) => {
                ": V8 gave up, most likely over an object that cannot be in a snapshot, such as \
                 an Intl.v8BreakIterator that a module keeps (docs/SNAPSHOTS.md lists them); \
                 standard error has V8's own words"
            }
            _ => "",
        };
        return BuildError::Killed(format!("signal {number} ({name}){hint}"));
    }
    match status.code() {
        Some(code) if code != 0 => BuildError::Exited(code),
        _ => BuildError::Pipe(err),
    }
}
