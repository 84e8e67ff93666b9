//! Order and accounting of the outbox.

use bytes::Bytes;
use protocol::frame::{Level, Output, Ping, Stream};
use protocol::{Blob, Decoded, FrameDecoder};

use super::*;

const A: u32 = 1;
const B: u32 = 2;

fn push_output(outbox: &mut Outbox, session: u32, request: u64) {
    let frame = SidecarFrame::Output(Output {
        stream: Stream::Stdout,
        level: Level::Log,
        text: Blob(Bytes::from_static(b"text")),
    });
    let toll = Toll::Output(OutputTicket::free());
    push(outbox, session, request, &frame, toll);
}

fn push_control(outbox: &mut Outbox, session: u32, request: u64) {
    let frame = SidecarFrame::SessionClosed(protocol::frame::SessionClosed {
        stats: protocol::SessionStats::default(),
    });
    push(outbox, session, request, &frame, Toll::Unpaid);
}

fn push(outbox: &mut Outbox, session: u32, request: u64, frame: &SidecarFrame, toll: Toll) {
    outbox
        .push(
            SessionId::new(session),
            RequestId::new(request),
            frame,
            toll,
        )
        .unwrap();
}

/// Pops everything; gives the request ids in the order of leaving.
fn drain(outbox: &mut Outbox) -> Vec<u64> {
    let mut requests = Vec::new();
    while let Some(parcel) = outbox.pop() {
        outbox.written(parcel.bytes.len(), &parcel);
        let mut bytes = BytesMut::from(&parcel.bytes[..]);
        let decoded = FrameDecoder::<SidecarFrame>::new().decode(&mut bytes);
        let Ok(Some(Decoded::Frame(envelope))) = decoded else {
            panic!("{decoded:?}");
        };
        requests.push(envelope.request.get());
    }
    requests
}

#[test]
fn a_session_keeps_its_order() {
    let mut outbox = Outbox::new();
    push_control(&mut outbox, A, 1);
    push_output(&mut outbox, A, 2);
    push_output(&mut outbox, A, 3);
    push_control(&mut outbox, A, 4);
    push_output(&mut outbox, A, 5);
    push_control(&mut outbox, A, 6);
    assert_eq!(drain(&mut outbox), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn control_overtakes_output_of_other_sessions() {
    let mut outbox = Outbox::new();
    push_output(&mut outbox, A, 1);
    push_output(&mut outbox, A, 2);
    push_control(&mut outbox, B, 3);
    let pong = SidecarFrame::Ping(Ping { payload: [0; 8] });
    push(&mut outbox, 0, 4, &pong, Toll::Unpaid);
    assert_eq!(drain(&mut outbox), [3, 4, 1, 2]);
}

#[test]
fn control_behind_its_own_output_takes_that_along() {
    let mut outbox = Outbox::new();
    for request in [1, 2, 3] {
        push_output(&mut outbox, A, request);
    }
    push_output(&mut outbox, B, 11);
    push_control(&mut outbox, B, 12);
    push_output(&mut outbox, B, 13);
    assert_eq!(drain(&mut outbox), [11, 12, 1, 13, 2, 3]);
}

#[test]
fn lanes_take_turns() {
    let mut outbox = Outbox::new();
    for request in [1, 2, 3] {
        push_output(&mut outbox, A, request);
        push_output(&mut outbox, B, request + 10);
    }
    assert_eq!(drain(&mut outbox), [1, 11, 2, 12, 3, 13]);
}

#[test]
fn an_emptied_lane_is_forgotten() {
    let mut outbox = Outbox::new();
    push_output(&mut outbox, A, 1);
    drain(&mut outbox);
    push_output(&mut outbox, B, 2);
    push_control(&mut outbox, A, 3);
    assert_eq!(drain(&mut outbox), [3, 2]);
}

#[test]
fn the_farewell_is_last_and_nothing_follows_it() {
    let mut outbox = Outbox::new();
    push_output(&mut outbox, A, 1);
    outbox.close_with(GoAway {
        reason: protocol::Reason::ShuttingDown,
        message: String::new(),
    });
    push_control(&mut outbox, A, 2);
    push_control(&mut outbox, B, 3);
    assert_eq!(drain(&mut outbox), [1, 0]);
}

#[test]
fn what_waits_is_counted_until_it_is_written() {
    let mut outbox = Outbox::new();
    push_output(&mut outbox, A, 1);
    push_control(&mut outbox, B, 2);
    let before = outbox.load();
    assert!(before.output > 20 && before.control > 20);
    assert_eq!(before.peak, before.output + before.control);
    assert_eq!(outbox.overflow(before.control), None);
    assert_eq!(outbox.overflow(before.control - 1), Some(before.control));
    let parcel = outbox.pop().unwrap();
    assert_eq!(outbox.load(), before, "popped is not written");
    outbox.written(parcel.bytes.len(), &parcel);
    assert_eq!(outbox.load().control, 0);
    drain(&mut outbox);
    let after = outbox.load();
    assert_eq!((after.output, after.control), (0, 0));
    assert_eq!((after.frames_written, after.peak), (2, before.peak));
}

#[test]
fn a_frame_that_is_too_long_leaves_nothing_behind() {
    let mut outbox = Outbox::new();
    let frame = SidecarFrame::Output(Output {
        stream: Stream::Stdout,
        level: Level::Log,
        text: Blob(Bytes::from(vec![0; 70_000])),
    });
    let toll = Toll::Output(OutputTicket::free());
    let pushed = outbox.push(SessionId::new(A), RequestId::new(1), &frame, toll);
    assert!(pushed.is_err());
    assert_eq!(outbox.load(), Load::default());
    assert!(outbox.pop().is_none());
}

#[test]
fn abandoned_frames_are_gone() {
    let mut outbox = Outbox::new();
    push_output(&mut outbox, A, 1);
    outbox.abandon();
    push_control(&mut outbox, B, 2);
    assert_eq!(drain(&mut outbox), [0; 0]);
    assert_eq!(outbox.load().output, 0);
}
