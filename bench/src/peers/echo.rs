//! The least that a round trip between two processes can be: a child that reads as many bytes as a reply has and writes as many as a
//! call has, over pipes, with blocking reads and writes. The child is this very program, started as `measure echo`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::error::{MeasureError, Result};
use crate::process::{Process, command};

/// The child's side: for each `read` bytes of standard input writes `write` bytes to standard output, until its input ends.
///
/// # Errors
///
/// Those of the pipes, but for the end of input.
#[expect(
    clippy::disallowed_methods,
    reason = "this child has no protocol; standard output is its pipe"
)]
pub(crate) fn serve(read: usize, write: usize) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut request = vec![0; read];
    let answer = vec![b'x'; write];
    loop {
        match input.read_exact(&mut request) {
            Ok(()) => {
                output.write_all(&answer)?;
                output.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The other side.
#[derive(Debug)]
pub(crate) struct Echo {
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// What is written, the size of a reply.
    reply: Vec<u8>,
    /// What is read, the size of a call.
    call: Vec<u8>,
    _process: Process,
}

impl Echo {
    /// Starts the child for calls and replies of these sizes in bytes.
    pub(crate) fn start(
        program: &Path,
        (call, reply): (usize, usize),
        bound: Duration,
        log: &Path,
    ) -> Result<Echo> {
        let mut echo = command(program);
        echo.args(["echo", &reply.to_string(), &call.to_string()]);
        let (process, stdin, stdout) = Process::start(echo, bound, log)?;
        Ok(Echo {
            stdin,
            stdout,
            reply: vec![b'x'; reply],
            call: vec![0; call],
            _process: process,
        })
    }

    /// Makes `n` round trips and says how long each took, in microseconds.
    pub(crate) fn round_trips(&mut self, n: usize) -> Result<Vec<f64>> {
        let mut times = Vec::with_capacity(n);
        let mut last = Instant::now();
        for _ in 0..n {
            self.stdin
                .write_all(&self.reply)
                .map_err(MeasureError::io("write to the echo"))?;
            self.stdout
                .read_exact(&mut self.call)
                .map_err(MeasureError::io("read from the echo"))?;
            let now = Instant::now();
            times.push(now.duration_since(last).as_secs_f64() * 1e6);
            last = now;
        }
        Ok(times)
    }
}
