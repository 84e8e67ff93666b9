//! Starting a sidecar.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::OwnChild;
use crate::error::SpawnError;
use crate::sidecar::{ConnectOptions, Sidecar, no_pipe};

/// How a sidecar is started: the program, its arguments and environment.
#[derive(Debug)]
pub struct SidecarCommand {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    is_env_cleared: bool,
    stderr: Stdio,
    is_own_group: bool,
    connect: ConnectOptions,
}

impl SidecarCommand {
    /// `PROGRAM serve`, with this process's environment and standard error.
    pub fn new(program: impl AsRef<Path>) -> SidecarCommand {
        SidecarCommand {
            program: program.as_ref().to_owned(),
            args: vec![OsString::from("serve")],
            env: Vec::new(),
            is_env_cleared: false,
            stderr: Stdio::inherit(),
            is_own_group: false,
            connect: ConnectOptions::default(),
        }
    }

    /// One more argument, such as a ceiling: `--max-heap-mb`, `256`.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> SidecarCommand {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> SidecarCommand {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.args.extend(args);
        self
    }

    /// One environment variable of the sidecar. No guest sees it.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> SidecarCommand {
        self.env
            .push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Nothing of this process's environment.
    pub fn env_clear(mut self) -> SidecarCommand {
        self.is_env_cleared = true;
        self
    }

    /// Where the sidecar's log goes.
    pub fn stderr(mut self, stderr: impl Into<Stdio>) -> SidecarCommand {
        self.stderr = stderr.into();
        self
    }

    /// Puts the sidecar into a process group of its own, so that an interrupt from the
    /// terminal reaches this process alone.
    pub fn own_group(mut self) -> SidecarCommand {
        self.is_own_group = true;
        self
    }

    /// Who this host is, for the sidecar's logs.
    pub fn client(mut self, client: impl Into<String>) -> SidecarCommand {
        self.connect.client = client.into();
        self
    }

    /// The longest body to agree on, in bytes.
    pub fn max_frame(mut self, max_frame: u32) -> SidecarCommand {
        self.connect.max_frame = max_frame;
        self
    }

    /// How long to wait for what should come at once, the handshake included.
    pub fn patience(mut self, patience: Duration) -> SidecarCommand {
        self.connect.patience = patience;
        self
    }

    /// Starts it and waits for its `Welcome`.
    ///
    /// # Errors
    ///
    /// See [`SpawnError`]; nothing runs any more then.
    pub fn spawn(self) -> Result<Sidecar, SpawnError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the process that a host starts"
        )]
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if self.is_env_cleared {
            command.env_clear();
        }
        command.envs(self.env);
        if self.is_own_group {
            command.process_group(0);
        }
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped());
        command.stderr(self.stderr);
        let mut child = command.spawn().map_err(|source| SpawnError::Start {
            program: self.program.display().to_string(),
            source,
        })?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let mut child = OwnChild::new(child);
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            child.kill();
            return Err(no_pipe());
        };
        let (reader, writer) = (OwnedFd::from(stdout), OwnedFd::from(stdin));
        Sidecar::connect(reader, writer, Some(child), &self.connect)
    }
}
