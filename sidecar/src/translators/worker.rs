//! One process that translates: both of its ends.
//!
//! It is this program with `translate` for its command line, and a socket for its standard
//! input. It ends when the other end of that is closed, even while it translates, so it
//! outlives no sidecar. It has limits on memory and, for each text, on time on the CPU.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use host_bridge::typescript::pipe::{
    Answer, Received, encode_request, read_answer, read_request, write_answer,
};
use host_bridge::typescript::{Request, TypeScriptError, to_javascript};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::Signal;
use nix::sys::time::{TimeVal, TimeValLike};

use crate::config::ChildCommand;

/// What one text may take of the CPU, rounded up to whole seconds of its process.
pub const TRANSLATION_CPU: Duration = Duration::from_secs(3);
/// Memory of a worker that can be written: the largest stack, and trees of the text. Address
/// space as such says nothing, the engine in the program reserves tens of GiB of it.
const MAX_MEMORY: u64 = 4 << 30;

/// A process that translates, and nobody else speaks to.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    connection: UnixStream,
    /// Time on the CPU of the texts that it has answered.
    answered_cpu: Duration,
}

/// Why a worker has not answered. It is not used again.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    #[error("it ended")]
    Ended,
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Worker {
    #[expect(
        clippy::disallowed_methods,
        reason = "this very program, which can be killed over a text where a thread cannot"
    )]
    pub(super) fn start(command: &ChildCommand) -> io::Result<Worker> {
        let (connection, theirs) = UnixStream::pair()?;
        let child = Command::new(&command.program)
            .args(&command.args)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        Ok(Worker {
            child,
            connection,
            answered_cpu: Duration::ZERO,
        })
    }

    /// Whether it has not ended meanwhile.
    pub(super) fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What ends the conversation when it is shut.
    pub(super) fn connection(&self) -> io::Result<UnixStream> {
        self.connection.try_clone()
    }

    pub(super) fn translate(
        &mut self,
        text: &str,
        request: &Request<'_>,
        within: Duration,
    ) -> Result<Answer, Failure> {
        let message = encode_request(text, request)?;
        let mut stream = Bounded {
            stream: &self.connection,
            begun: Instant::now(),
            within,
        };
        let sent = stream.write_all(&message);
        let answer = sent.and_then(|()| read_answer(&mut stream));
        match answer {
            Ok(Some(answer)) => {
                self.answered_cpu = self.answered_cpu.saturating_add(answer.cpu);
                Ok(answer)
            }
            Ok(None) => Err(Failure::Ended),
            Err(_) if within <= stream.begun.elapsed() => Err(Failure::TimedOut(within)),
            Err(error) => Err(error.into()),
        }
    }

    /// Time on the CPU that it has spent on the text that it has not answered. It may have
    /// ended, as long as nobody has asked how.
    pub(super) fn unanswered_cpu(&self) -> Duration {
        let path = format!("/proc/{}/stat", self.child.id());
        let all = std::fs::read_to_string(path)
            .ok()
            .and_then(|stat| cpu_of(&stat));
        all.unwrap_or(TRANSLATION_CPU)
            .saturating_sub(self.answered_cpu)
    }

    /// Ends it, and says what that means for the text.
    pub(super) fn end(&mut self, failure: &Failure) -> TypeScriptError {
        if let Failure::TimedOut(limit) = failure {
            return TypeScriptError::TooSlow { limit: *limit };
        }
        // What has closed its end is about to end, or is killed.
        let _ = self.connection.shutdown(std::net::Shutdown::Both);
        let status = self.child.try_wait();
        let status = match status {
            Ok(None) => self.child.wait(),
            Ok(Some(status)) => Ok(status),
            Err(error) => Err(error),
        };
        let signal = status.as_ref().ok().and_then(ExitStatusExt::signal);
        match (signal.map(Signal::try_from), status) {
            (Some(Ok(Signal::SIGXCPU)), _) => TypeScriptError::TooSlow {
                limit: TRANSLATION_CPU,
            },
            (Some(Ok(signal)), _) => TypeScriptError::Died {
                how: format!("killed by {signal}"),
            },
            (_, Ok(status)) => TypeScriptError::Died {
                how: status.to_string(),
            },
            (_, Err(_)) => TypeScriptError::Internal,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The errors are that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// User and system time in a line of `/proc/PID/stat`: fields 14 and 15, in ticks of 10 ms
/// on every Linux there is.
fn cpu_of(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let ticks = user.saturating_add(system);
    Some(Duration::from_millis(ticks.saturating_mul(10)))
}

/// A stream that fails when its time is over.
struct Bounded<'a> {
    stream: &'a UnixStream,
    begun: Instant,
    within: Duration,
}

impl Bounded<'_> {
    fn rest(&self) -> io::Result<Option<Duration>> {
        let rest = self.within.saturating_sub(self.begun.elapsed());
        match rest.is_zero() {
            true => Err(io::ErrorKind::TimedOut.into()),
            false => Ok(Some(rest)),
        }
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.rest()?)?;
        self.stream.read(into)
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.rest()?)?;
        self.stream.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The process itself: translates what comes on `connection` until its end.
///
/// # Errors
///
/// When what comes is no request, or a limit cannot be set.
pub fn serve_translations(connection: OwnedFd) -> io::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let (_, most) = getrlimit(Resource::RLIMIT_DATA)?;
    let memory = MAX_MEMORY.min(most);
    setrlimit(Resource::RLIMIT_DATA, memory, memory)?;
    let mut connection = UnixStream::from(connection);
    let output = connection.try_clone()?;
    let (sender, receiver) = sync_channel(1);
    // This thread goes on reading, and its end is that of the process.
    std::thread::Builder::new()
        .name("translator".to_owned())
        .spawn(move || answer_all(&receiver, output))?;
    while let Some(received) = read_request(&mut connection)? {
        if sender.send(received).is_err() {
            break;
        }
    }
    Ok(())
}

fn answer_all(requests: &Receiver<Received>, mut output: UnixStream) {
    while let Ok(received) = requests.recv() {
        if grant_time().is_err() {
            return;
        }
        let begun = own_cpu();
        let made = to_javascript(&received.text, &received.request());
        let cpu = own_cpu().saturating_sub(begun);
        if write_answer(&mut output, Answer { made, cpu }).is_err() {
            return;
        }
    }
}

/// Time on the CPU of this process.
fn own_cpu() -> Duration {
    let of = |time: TimeVal| {
        let micros = time.num_microseconds();
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    getrusage(UsageWho::RUSAGE_SELF).map_or(Duration::ZERO, |usage| {
        of(usage.user_time()).saturating_add(of(usage.system_time()))
    })
}

/// Moves the limit on time to [`TRANSLATION_CPU`] from now, or up to a second more.
fn grant_time() -> io::Result<()> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| u64::try_from(time.tv_sec()).unwrap_or(0);
    let micros = |time: TimeVal| u64::try_from(time.tv_usec()).unwrap_or(0);
    let (user, system) = (usage.user_time(), usage.system_time());
    let begun = micros(user)
        .saturating_add(micros(system))
        .div_ceil(1_000_000);
    let limit = seconds(user)
        .saturating_add(seconds(system))
        .saturating_add(begun)
        .saturating_add(TRANSLATION_CPU.as_secs());
    let (_, most) = getrlimit(Resource::RLIMIT_CPU)?;
    setrlimit(Resource::RLIMIT_CPU, limit.min(most), most)?;
    Ok(())
}
