//! A child process that cannot outlive its time or its owner.

use std::fs::File;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{MeasureError, Result};

/// How long a process may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(3);

/// A child with its time bound. When the bound is over the child is killed, so a blocking read of its output ends.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Dropped first of all when the child is about to be reaped: the thread then ends without killing.
    bound: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Process {
    /// Starts `command` with pipes on descriptors 0 and 1 and `log` on 2.
    pub(crate) fn start(
        mut command: Command,
        bound: Duration,
        log: &Path,
    ) -> Result<(Process, ChildStdin, ChildStdout)> {
        let name = command.get_program().to_string_lossy().into_owned();
        let log = File::options()
            .create(true)
            .append(true)
            .open(log)
            .map_err(MeasureError::io(format!("open {}", log.display())))?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(MeasureError::io(format!("start {name}")))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(MeasureError::Missing("the child has no pipes"));
        };
        let bound = Some(kill_after(bound, pid_of(&child))?);
        Ok((Process { child, bound }, stdin, stdout))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end.
    pub(crate) fn terminate(&self) {
        // A process that has ended already is what is wanted.
        let _ = kill(pid_of(&self.child), Signal::SIGTERM);
    }

    /// Waits for the end, kills after a grace period.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        if let Some((keep, thread)) = self.bound.take() {
            drop(keep);
            // The thread has nothing that can panic.
            let _ = thread.join();
        }
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(MeasureError::io("wait"))? {
                return Ok(status);
            }
            if start.elapsed() > GRACE {
                self.child.kill().map_err(MeasureError::io("kill"))?;
                return self.child.wait().map_err(MeasureError::io("wait"));
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing more can be done for a child that cannot even be killed.
        let _ = self.wait();
    }
}

/// A command that starts `program`.
#[expect(
    clippy::disallowed_methods,
    reason = "the rule against starting processes is for the sidecar"
)]
pub(crate) fn command(program: &Path) -> Command {
    Command::new(program)
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

fn kill_after(time: Duration, pid: Pid) -> Result<(SyncSender<()>, JoinHandle<()>)> {
    let (keep, gone) = sync_channel(0);
    let thread = thread::Builder::new()
        .name("time-bound".to_owned())
        .spawn(move || {
            if gone.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                // The child is reaped only after this thread has ended, so the number is still its own. Where it leads a group,
                // the others of the group end too; where it does not there is no such group.
                let group = Pid::from_raw(pid.as_raw().saturating_neg());
                let _ = kill(group, Signal::SIGKILL);
                let _ = kill(pid, Signal::SIGKILL);
            }
        })
        .map_err(MeasureError::io("start a thread"))?;
    Ok((keep, thread))
}
