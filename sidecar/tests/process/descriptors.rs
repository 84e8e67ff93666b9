//! What standard input and output may be.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use bytes::BytesMut;
use protocol::frame::{Ping, Shutdown as ShutdownFrame};
use protocol::{Decoded, FrameDecoder, SidecarFrame};

use crate::support::{
    DEADLINE, Sidecar, encoded, fake_sidecar, file_with, hello, next_frame, stdio, wait,
};

const PING: Ping = Ping { payload: [1; 8] };

fn conversation() -> Vec<u8> {
    [
        encoded(0, 1, hello()),
        encoded(0, 2, PING),
        encoded(0, 3, ShutdownFrame { grace_ms: 0 }),
    ]
    .concat()
}

fn check_answers(bytes: &[u8]) {
    let mut bytes = BytesMut::from(bytes);
    let mut decoder = FrameDecoder::<SidecarFrame>::new();
    let mut kinds = Vec::new();
    while let Some(decoded) = decoder.decode(&mut bytes).unwrap() {
        match decoded {
            Decoded::Frame(envelope) => kinds.push(envelope.frame.kind().to_string()),
            Decoded::Rejected(head, err) => panic!("{head:?}: {err}"),
        }
    }
    assert!(bytes.is_empty());
    assert_eq!(kinds, ["Welcome", "Pong", "GoAway"]);
}

#[test]
fn two_pipes() {
    let mut sidecar = Sidecar::start();
    sidecar.send(&encoded(0, 2, PING));
    assert!(matches!(
        sidecar.next().unwrap().frame,
        SidecarFrame::Pong(_)
    ));
}

#[test]
fn one_socket_for_both() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut child = Command::new(fake_sidecar())
        .stdin(stdio(theirs.try_clone().unwrap()))
        .stdout(stdio(theirs))
        .spawn()
        .unwrap();
    ours.write_all(&conversation()).unwrap();
    let mut answers = Vec::new();
    ours.read_to_end(&mut answers).unwrap();
    check_answers(&answers);
    assert_eq!(wait(&mut child).0.code(), Some(0));
}

#[test]
fn two_sockets_one_of_them_half_closed() {
    let (mut to_child, input) = UnixStream::pair().unwrap();
    let (mut from_child, output) = UnixStream::pair().unwrap();
    from_child.set_read_timeout(Some(DEADLINE)).unwrap();
    // Some hosts shut down the direction that they do not use. That is no hang-up.
    from_child.shutdown(Shutdown::Write).unwrap();
    let mut child = Command::new(fake_sidecar())
        .stdin(stdio(input))
        .stdout(stdio(output))
        .spawn()
        .unwrap();
    let mut decoder = FrameDecoder::<SidecarFrame>::new();
    let mut buffer = BytesMut::new();
    to_child.write_all(&encoded(0, 1, hello())).unwrap();
    next_frame(&mut from_child, &mut decoder, &mut buffer).unwrap();
    to_child.write_all(&encoded(0, 2, PING)).unwrap();
    next_frame(&mut from_child, &mut decoder, &mut buffer).unwrap();
    drop(to_child);
    assert_eq!(wait(&mut child).0.code(), Some(0));
}

#[test]
fn a_regular_file_in_and_another_out() {
    let mut output = file_with(b"");
    let mut child = Command::new(fake_sidecar())
        .stdin(stdio(file_with(&conversation())))
        .stdout(stdio(output.try_clone().unwrap()))
        .spawn()
        .unwrap();
    assert_eq!(wait(&mut child).0.code(), Some(0));
    let mut answers = Vec::new();
    output.seek(SeekFrom::Start(0)).unwrap();
    output.read_to_end(&mut answers).unwrap();
    check_answers(&answers);
}

#[test]
fn nothing_in_is_a_clean_end() {
    let mut child = Command::new(fake_sidecar())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(wait(&mut child).0.code(), Some(0));
}

#[test]
fn a_terminal_is_told_what_this_is() {
    let terminal = nix::pty::openpty(None, None).unwrap();
    let mut child = Command::new(fake_sidecar())
        .stdin(stdio(terminal.slave))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(wait(&mut child).0.code(), Some(2));
    let mut text = String::new();
    child.stderr.unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("terminal"), "{text}");
}

#[test]
fn descriptor_1_leads_to_standard_error_and_0_to_nothing() {
    let sidecar = Sidecar::start();
    let link = |fd| {
        let path = format!("/proc/{}/fd/{fd}", sidecar.child.id());
        std::fs::read_link(path).unwrap()
    };
    assert_eq!(link(1), link(2));
    assert_eq!(link(0).to_str(), Some("/dev/null"));
}

#[test]
fn a_standard_error_that_nobody_reads_stops_nothing() {
    let (reader, writer) = nix::unistd::pipe().unwrap();
    let mut sidecar = Sidecar::start_with(|command| {
        command.stderr(stdio(writer));
        command.env(sidecar::LOG_VARIABLE, "debug");
    });
    // Each refusal is a line in the log, and a pipe holds 64 KiB.
    for request in 2..2000 {
        let frame = crate::support::execute("echo:1");
        sidecar.send(&encoded(1, request, frame));
        assert!(matches!(
            sidecar.next().unwrap().frame,
            SidecarFrame::Refused(_)
        ));
    }
    drop(sidecar.child.stdin.take());
    assert_eq!(sidecar.wait().0.code(), Some(0));
    drop(File::from(reader));
}
