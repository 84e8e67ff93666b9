//! Processes: command lines that are run to their end, and processes that must be gone.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{Program, program};

/// Longer than any command line of a test takes.
const LONGEST: Duration = Duration::from_secs(50);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A command line that has ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; of a signal, 128 and its number.
    pub code: i32,
    /// What it wrote.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How long it ran.
    pub took: Duration,
}

impl Ran {
    /// Standard output, which must be one JSON value.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|err| panic!("{err}: {self:?}"))
    }
}

/// Runs `isolate-sidecar run ARGS` without input.
pub fn run_cli(args: &[&str]) -> Ran {
    run_cli_with(args, b"")
}

/// Runs `isolate-sidecar run ARGS` with this on standard input.
pub fn run_cli_with(args: &[&str], stdin: &[u8]) -> Ran {
    let args: Vec<&str> = ["run"].iter().chain(args).copied().collect();
    run_program(&program(Program::Sidecar), &args, stdin)
}

/// Runs a program to its end, and kills it when it does not end.
#[expect(clippy::disallowed_methods, reason = "runs the program that is tested")]
pub fn run_program(program: &Path, args: &[&str], stdin: &[u8]) -> Ran {
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // The error is that it does not read.
    let _ = input.write_all(stdin);
    drop(input);
    let stdout = reader(child.stdout.take().unwrap());
    let stderr = reader(child.stderr.take().unwrap());
    let status = within(LONGEST, || child.try_wait().unwrap());
    if status.is_none() {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    let took = begun.elapsed();
    Ran {
        code: code_of(status),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        took,
    }
}

/// Looks until something is there, or the time is over.
pub fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if time < begun.elapsed() {
            return None;
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Whether a process ends within this time, be it waited for or not.
pub fn is_gone_within(pid: u32, time: Duration) -> bool {
    within(time, || is_gone(pid).then_some(())).is_some()
}

fn is_gone(pid: u32) -> bool {
    // pid (name) state ..
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return true;
    };
    let state = stat
        .rsplit_once(") ")
        .map(|(_, rest)| rest.starts_with(['Z', 'X']));
    state.unwrap_or(true)
}

fn code_of(status: ExitStatus) -> i32 {
    let of_signal = || status.signal().map(|signal| signal.saturating_add(128));
    status.code().or_else(of_signal).unwrap()
}

fn reader(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    let read = move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    thread::Builder::new().spawn(read).unwrap()
}

/// The id of a child of process `parent` with this word in its command line.
pub fn child_of(parent: u32, word: &str) -> Option<i32> {
    let parent = format!(" {parent} ");
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name, which may hold anything, come the state and the parent.
        let is_child = stat.rsplit_once(')')?.1.get(2..)?.starts_with(&parent);
        let command = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (is_child && command.contains(word)).then_some(pid)
    })
}
