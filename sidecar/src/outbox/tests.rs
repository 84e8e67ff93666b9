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

fn push_large_output(outbox: &mut Outbox, session: u32, request: u64) {
    let frame = SidecarFrame::Output(Output {
        stream: Stream::Stdout,
        level: Level::Log,
        text: Blob(Bytes::from(vec![0; 60_000])),
    });
    let toll = Toll::Output(OutputTicket::free());
    push(outbox, session, request, &frame, toll);
}

fn push_call(outbox: &mut Outbox, session: u32, request: u64, bytes: usize) {
    let frame = SidecarFrame::HostCall(HostCall {
        method: "f".to_owned(),
        mode: protocol::CallMode::Async,
        args: protocol::Value::Raw(Blob(Bytes::from(vec![0; bytes]))),
    });
    push(outbox, session, request, &frame, Toll::Unpaid);
}

/// Pops everything; gives the request ids in the order of leaving.
fn drain(outbox: &mut Outbox) -> Vec<u64> {
    drain_some(outbox, usize::MAX)
}

fn drain_some(outbox: &mut Outbox, most: usize) -> Vec<u64> {
    let mut requests = Vec::new();
    while requests.len() < most
        && let Some(parcel) = outbox.pop()
    {
        outbox.written(parcel.bytes.len(), &parcel);
        requests.push(request_of(&parcel));
    }
    requests
}

fn request_of(parcel: &Parcel) -> u64 {
    let mut bytes = BytesMut::from(&parcel.bytes[..]);
    let mut decoder = FrameDecoder::<SidecarFrame>::new();
    decoder.set_max_body(1 << 24);
    let decoded = decoder.decode(&mut bytes);
    let Ok(Some(Decoded::Frame(envelope))) = decoded else {
        panic!("{decoded:?}");
    };
    envelope.request.get()
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
    assert_eq!(drain(&mut outbox), [4, 3, 1, 2]);
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
    assert_eq!(drain(&mut outbox), [11, 12, 1, 2, 3, 13]);
}

#[test]
fn lanes_take_turns_by_bytes() {
    let mut outbox = Outbox::new();
    outbox.set_max_body(1 << 20);
    for request in [1, 2, 3] {
        push_large_output(&mut outbox, A, request);
        push_large_output(&mut outbox, B, request + 10);
    }
    push_output(&mut outbox, A, 4);
    assert_eq!(drain(&mut outbox), [1, 11, 2, 12, 3, 4, 13]);
}

#[test]
fn a_small_frame_does_not_wait_for_the_large_ones_of_others() {
    let mut outbox = Outbox::new();
    outbox.set_max_body(1 << 24);
    for session in 1..20 {
        push_call(&mut outbox, session, u64::from(session), 1 << 20);
    }
    // Turns that were not enough for a frame leave something saved, and no more.
    assert_eq!(drain_some(&mut outbox, 3), [1, 2, 3]);
    push_call(&mut outbox, 20, 20, 100);
    push_control(&mut outbox, 21, 21);
    assert_eq!(drain_some(&mut outbox, 2), [20, 21]);
    assert_eq!(drain(&mut outbox).len(), 16);
}

#[test]
fn a_flood_of_small_frames_keeps_nothing_waiting_for_ever() {
    let mut outbox = Outbox::new();
    outbox.set_max_body(1 << 24);
    push_output(&mut outbox, A, 1);
    push_call(&mut outbox, B, 2, 1 << 20);
    let (mut sent, mut large_at, mut output_at) = (0, None, None);
    for n in 0..1_000_000 {
        // Each time another session that has had no turn.
        push_call(&mut outbox, 10 + n % 20, 9, 1000);
        let parcel = outbox.pop().unwrap();
        sent += parcel.bytes.len();
        outbox.written(parcel.bytes.len(), &parcel);
        match request_of(&parcel) {
            1 => output_at = Some(sent),
            2 => large_at = Some(sent),
            _ => {}
        }
        if large_at.is_some() && output_at.is_some() {
            break;
        }
    }
    assert!(output_at.unwrap() < 16 * 1024, "{output_at:?}");
    assert!(large_at.unwrap() < (2 << 20) + 256 * 1024, "{large_at:?}");
}

#[test]
fn a_burst_of_one_session_lets_the_others_through() {
    let mut outbox = Outbox::new();
    outbox.set_max_body(1 << 20);
    for n in 0..1000 {
        push_call(&mut outbox, A, n, 1000);
    }
    let first = drain_some(&mut outbox, 1);
    push_call(&mut outbox, B, 5000, 1000);
    let mut n_before = first.len();
    while drain_some(&mut outbox, 1) != [5000] {
        n_before += 1;
    }
    assert!(n_before <= 64, "{n_before} frames of 1 KiB");
    assert_eq!(drain(&mut outbox).len(), 1000 - n_before);
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
    assert_eq!(outbox.unread(), before.control + PARCEL_WEIGHT);
    let parcel = outbox.pop().unwrap();
    assert_eq!(outbox.load(), before, "popped is not written");
    outbox.written(parcel.bytes.len(), &parcel);
    assert_eq!(outbox.load().control, 0);
    drain(&mut outbox);
    let after = outbox.load();
    assert_eq!((after.output, after.control, outbox.unread()), (0, 0, 0));
    let peaks = (after.output_peak, after.control_peak);
    assert_eq!(peaks, (before.output, before.control));
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
