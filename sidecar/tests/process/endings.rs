//! Each cause ends the process within two seconds, also while a guest runs or is stuck.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::sys::signal::{Signal, kill};
use protocol::{FrameDecoder, SidecarFrame};

use crate::support::{Sidecar, encoded, fake_sidecar, hello, next_frame};

const SOON: Duration = Duration::from_secs(2);

#[track_caller]
fn check_end(sidecar: &mut Sidecar, code: i32) {
    let (status, took) = sidecar.wait();
    assert_eq!(status.code(), Some(code), "{status}");
    assert!(took < SOON, "{took:?}");
}

#[test]
fn the_end_of_stdin() {
    for script in ["spin", "stuck"] {
        let mut sidecar = Sidecar::start();
        sidecar.begin(script);
        drop(sidecar.child.stdin.take());
        check_end(&mut sidecar, 0);
    }
}

#[test]
fn signals() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut sidecar = Sidecar::start();
        sidecar.begin("stuck");
        kill(sidecar.pid(), signal).unwrap();
        check_end(&mut sidecar, 143);
    }
}

#[test]
fn a_signal_is_said_to_the_host() {
    let mut sidecar = Sidecar::start();
    kill(sidecar.pid(), Signal::SIGTERM).unwrap();
    let frame = sidecar.next().unwrap().frame;
    assert!(matches!(frame, SidecarFrame::GoAway(_)));
    check_end(&mut sidecar, 143);
}

#[test]
fn a_closed_stdout() {
    let mut sidecar = Sidecar::start();
    sidecar.begin("stuck");
    drop(sidecar.child.stdout.take());
    check_end(&mut sidecar, 72);
}

#[test]
fn the_hint_that_a_thread_of_the_living_parent_ended_is_ignored() {
    let mut sidecar = Sidecar::start();
    kill(sidecar.pid(), Signal::SIGUSR1).unwrap();
    sidecar.begin("echo:1");
    drop(sidecar.child.stdin.take());
    check_end(&mut sidecar, 0);
}

#[test]
fn the_thread_that_started_the_sidecar_may_end() {
    let mut sidecar = std::thread::Builder::new()
        .spawn(Sidecar::start)
        .unwrap()
        .join()
        .unwrap();
    sidecar.begin("echo:1");
    drop(sidecar.child.stdin.take());
    check_end(&mut sidecar, 0);
}

#[test]
fn the_death_of_the_parent_while_both_pipes_stay_open() {
    // The other ends of the pipes are ours, so their state tells the sidecar nothing.
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "exec 3<&0; \"$0\" <&3 & wait"])
        .arg(fake_sidecar())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    let mut stdout = shell.stdout.take().unwrap();
    stdin.write_all(&encoded(0, 1, hello())).unwrap();
    let (mut decoder, mut buffer) = (FrameDecoder::new(), BytesMut::new());
    let welcome = next_frame(&mut stdout, &mut decoder, &mut buffer).unwrap();
    assert!(matches!(welcome.frame, SidecarFrame::Welcome(_)));
    let started = Instant::now();
    shell.kill().unwrap();
    let go_away = next_frame(&mut stdout, &mut decoder, &mut buffer).unwrap();
    assert!(matches!(go_away.frame, SidecarFrame::GoAway(_)));
    // The stream ends when the sidecar does: nobody else writes to it.
    assert!(next_frame(&mut stdout, &mut decoder, &mut buffer).is_none());
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    shell.wait().unwrap();
    drop(stdin);
}
