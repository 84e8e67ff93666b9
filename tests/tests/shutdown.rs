//! The end of the process: asked for, forced, or together with its host.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use e2e_tests::{RawSidecar, is_gone_within, session, sidecar};
use isolate_sidecar_client::{Outcome, RequestError, SessionOptions, SidecarCommand, script};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use protocol::HostFrame;
use protocol::frame::{OpenSession, SidecarFrame};

const SOON: Duration = Duration::from_secs(2);

/// Opens session 1 and lets it spin.
fn spin(sidecar: &mut RawSidecar) {
    sidecar.send(
        1,
        1,
        OpenSession {
            cwd: "/app".to_owned(),
            ..OpenSession::default()
        },
    );
    let opened = sidecar.expect().frame;
    assert!(
        matches!(opened, SidecarFrame::SessionOpened(_)),
        "{opened:?}"
    );
    let endless = script("spin.js", "console.log('spins'); for (;;);");
    sidecar.send(1, 2, HostFrame::Execute(endless));
    let output = sidecar.expect().frame;
    assert!(matches!(output, SidecarFrame::Output(_)), "{output:?}");
}

#[track_caller]
fn exit_code(sidecar: &mut RawSidecar) -> Option<i32> {
    let status = sidecar.ended_within(SOON);
    let status = status.expect("it goes on");
    assert_eq!(status.signal(), None);
    status.code()
}

#[test]
fn the_end_of_standard_input_is_a_clean_end() {
    let mut sidecar = RawSidecar::start();
    sidecar.close_stdin();
    assert_eq!(exit_code(&mut sidecar), Some(0));
    let mut sidecar = RawSidecar::start();
    spin(&mut sidecar);
    sidecar.close_stdin();
    assert_eq!(exit_code(&mut sidecar), Some(0));
}

#[test]
fn the_end_of_standard_input_within_a_frame_is_not() {
    let mut sidecar = RawSidecar::start();
    sidecar.send_bytes(&[0, 0, 0, 9, 0x03]);
    sidecar.close_stdin();
    assert_eq!(exit_code(&mut sidecar), Some(71));
}

#[test]
fn sigterm_ends_it_with_its_number() {
    let mut sidecar = RawSidecar::start();
    spin(&mut sidecar);
    let pid = i32::try_from(sidecar.pid()).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    assert_eq!(exit_code(&mut sidecar), Some(143));
}

#[test]
fn a_closed_standard_output_ends_it() {
    let mut sidecar = RawSidecar::start();
    spin(&mut sidecar);
    sidecar.close_stdout();
    assert_eq!(exit_code(&mut sidecar), Some(72));
}

#[test]
fn shutdown_lets_requests_end_and_cancels_the_rest() {
    let sidecar = sidecar();
    let quick = session(&sidecar);
    let endless = session(&sidecar);
    let source = "new Promise((done) => setTimeout(() => done('in time'), 200))";
    let in_time = quick.start(script("a.js", source)).unwrap();
    let too_long = endless.start(script("b.js", "for (;;);")).unwrap();
    let status = sidecar
        .shutdown(Duration::from_millis(700))
        .unwrap()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(e2e_tests::json(in_time.wait().unwrap().outcome), "in time");
    assert_eq!(too_long.wait().unwrap().outcome, Outcome::Cancelled);
    assert!(matches!(quick.stats(), Err(RequestError::SidecarLost(_))));
}

#[test]
fn a_sidecar_that_is_killed_is_lost_with_its_signal() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let pending = session.start(script("a.js", "for (;;);")).unwrap();
    let pid = i32::try_from(sidecar.pid().unwrap()).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    match pending.wait() {
        Err(RequestError::SidecarLost(lost)) => assert_eq!(lost.signal(), Some(9)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_dies_with_its_host_also_while_a_guest_spins() {
    // `run` is a host: it is killed while its guest spins, and its sidecar must follow.
    let program = e2e_tests::program(e2e_tests::Program::Sidecar);
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the program that is tested"
    )]
    let mut host = std::process::Command::new(program)
        .args(["run", "-e", "for (;;);"])
        .spawn()
        .unwrap();
    let found = e2e_tests::within(Duration::from_secs(5), || child_of(host.id()));
    let sidecar = found.expect("the host starts a sidecar");
    std::thread::park_timeout(Duration::from_millis(300));
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(is_gone_within(sidecar, SOON));
}

/// The first child of a process.
fn child_of(pid: u32) -> Option<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let children = std::fs::read_to_string(path).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

#[test]
fn nothing_is_left_when_the_client_is_dropped() {
    let program = e2e_tests::program(e2e_tests::Program::Sidecar);
    let sidecar = SidecarCommand::new(program).spawn().unwrap();
    let pid = sidecar.pid().unwrap();
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let pending = session.start(script("a.js", "for (;;);")).unwrap();
    drop(sidecar);
    assert!(is_gone_within(pid, Duration::from_millis(100)));
    drop((pending, session));
}

#[test]
fn without_address_space_it_does_not_start() {
    let program = e2e_tests::program(e2e_tests::Program::Sidecar);
    let served = |kib: u64| {
        let script = format!("ulimit -v {kib}; exec {} serve", program.display());
        e2e_tests::run_program(Path::new("/bin/sh"), &["-c", &script], b"")
    };
    for kib in [4 << 20, 64 << 20] {
        let run = served(kib);
        assert_eq!(run.code, 74);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("ulimit -v"), "{}", run.stderr);
    }
    assert_eq!(served(512 << 20).code, 0);
}
