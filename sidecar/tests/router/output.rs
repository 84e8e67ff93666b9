//! PROTOCOL.md 6.4 and 6.6: order, and what a host that does not read stops.

use host_bridge::MAX_OUTPUT_IN_FLIGHT;
use protocol::frame::{Ping, Stream};
use protocol::{Outcome, SidecarFrame, Value};

use crate::support::{Frame, Host};

/// The text of an `Output` of this session and request.
fn text(frame: &Frame, session: u32, request: u64) -> Option<&[u8]> {
    match &frame.frame {
        SidecarFrame::Output(output) if (frame.session, frame.request) == (session, request) => {
            Some(&output.text)
        }
        _ => None,
    }
}

#[test]
fn output_precedes_its_outcome_in_order() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "print:a\nprint:b\nprint:c\necho:1");
    for expected in ["a", "b", "c"] {
        let frame = host.next();
        assert_eq!(text(&frame, 1, 1), Some(expected.as_bytes()));
        let SidecarFrame::Output(output) = frame.frame else {
            unreachable!();
        };
        assert_eq!(output.stream, Stream::Stdout);
    }
    assert!(matches!(host.next().frame, SidecarFrame::Outcome(_)));
}

#[test]
fn a_host_that_does_not_read_stops_its_guest_and_loses_nothing() {
    let mut host = Host::start();
    host.open(1);
    let n = 4096;
    host.execute(1, 1, &format!("flood:{n}:4096"));
    host.execute(1, 2, "echo:1");
    // Answered while nothing is read: the guest is blocked, the sidecar is not.
    let mut n_read = 0;
    loop {
        let frame = host.next();
        match &frame.frame {
            SidecarFrame::Output(output) => n_read += output.text.len(),
            SidecarFrame::Outcome(_) => break,
            other => panic!("{}", other.kind()),
        }
    }
    assert_eq!(n_read, n * 4096);
    host.expect_outcome(1, 2);
}

#[test]
fn the_answer_to_a_ping_overtakes_output() {
    let mut host = Host::start();
    host.open(1);
    // More than a session may have under way and a socket holds: some of it waits.
    host.execute(1, 1, &format!("flood:4096:{}", MAX_OUTPUT_IN_FLIGHT / 8));
    let first = host.next();
    assert!(text(&first, 1, 1).is_some());
    host.send(0, 5, Ping { payload: [0; 8] });
    let mut n_before = 0;
    while !matches!(host.next().frame, SidecarFrame::Pong(_)) {
        n_before += 1;
        assert!(n_before < 1000, "the pong waits behind output");
    }
}

#[test]
fn another_sessions_answers_overtake_output_and_its_own_do_not() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    let n = 4000;
    host.execute(1, 1, &format!("flood:{n}:{}\necho:1", 32 * 1024));
    assert!(text(&host.next(), 1, 1).is_some());
    host.execute(2, 1, "echo:2");
    let (mut n_output, mut n_before_other) = (1, None);
    loop {
        let frame = host.next();
        if text(&frame, 1, 1).is_some() {
            n_output += 1;
        } else if frame.session == 2 {
            n_before_other = Some(n_output);
        } else {
            break;
        }
    }
    assert_eq!(n_output, n, "all output precedes the outcome");
    assert!(n_before_other.unwrap() < n);
}

#[test]
fn output_longer_than_a_frame_becomes_several() {
    let mut host = Host::connect(|_| {});
    host.hello(1);
    host.open(1);
    host.execute(1, 1, "flood:1:200000");
    let mut n_bytes = 0;
    let mut n_frames = 0;
    loop {
        let frame = host.next();
        let Some(piece) = text(&frame, 1, 1) else {
            assert!(matches!(frame.frame, SidecarFrame::Outcome(_)));
            break;
        };
        n_bytes += piece.len();
        n_frames += 1;
    }
    assert_eq!((n_bytes, n_frames), (200_000, 4));
}

#[test]
fn two_floods_share_the_way() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    for session in [1, 2] {
        host.begin(session, 1, "gate\nflood:2000:16384");
    }
    host.gate.open();
    let mut n = [0, 0];
    while n.iter().sum::<u32>() < 2000 {
        let frame = host.next();
        n[frame.session as usize - 1] += 1;
    }
    // Neither is held back until the other is done.
    assert!(n[0] > 100 && n[1] > 100, "{n:?}");
    for session in [1, 2] {
        let done = host.wait_for(|frame| {
            frame.session == session && matches!(frame.frame, SidecarFrame::Outcome(_))
        });
        let SidecarFrame::Outcome(frame) = done.frame else {
            unreachable!();
        };
        assert_eq!(frame.outcome, Outcome::Ok(Value::Undefined));
    }
}
