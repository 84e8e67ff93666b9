//! What holds for all frames, all splits and all bytes.

use std::collections::HashSet;

use bytes::BytesMut;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use protocol::frame::{Frame, HEAD_LEN, HostFrame, Kind, SidecarFrame};
use protocol::{Decoded, FrameDecoder};

use crate::strategies::{any_frame, host_stream, kinds};
use crate::support::{Any, raw};

#[test]
fn every_kind_decodes_to_what_was_encoded() {
    let mut seen = HashSet::new();
    for frames in kinds() {
        TestRunner::new(ProptestConfig::with_cases(100))
            .run(&frames, |frame| {
                let wire = frame.encode().unwrap();
                prop_assert_eq!(frame.decode_like(&wire), Ok(frame));
                Ok(())
            })
            .unwrap();
        let sample = frames.new_tree(&mut TestRunner::default()).unwrap();
        seen.insert(proptest::strategy::ValueTree::current(&sample).kind());
    }
    assert_eq!(seen, HashSet::from(Kind::ALL));
}

/// Feeds `wire` in pieces of the given sizes, over and over.
///
/// Also checks that the decoder reserves no more than the limit, or the 8 KiB that
/// small frames share.
fn decode_in_pieces<F: Frame>(
    max_body: u32,
    wire: &[u8],
    sizes: &[usize],
) -> (Vec<Decoded<F>>, bool) {
    let mut decoder = FrameDecoder::<F>::new();
    decoder.set_max_body(max_body);
    let allowed = usize::try_from(max_body).unwrap().max(8 * 1024);
    let (mut buffer, mut got, mut rest) = (BytesMut::new(), Vec::new(), wire);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = sizes
            .next()
            .map_or(rest.len(), |size| (*size).min(rest.len()));
        buffer.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        loop {
            let before = buffer.capacity();
            let decoded = decoder.decode(&mut buffer);
            assert!(
                buffer.capacity() <= before.max(allowed),
                "reserved too much"
            );
            match decoded {
                Ok(Some(decoded)) => got.push(decoded),
                Ok(None) => break,
                Err(_) => return (got, false),
            }
        }
    }
    (got, decoder.is_between_frames(&buffer))
}

/// Neither direction panics or reserves too much on any of these bytes.
fn survives(max_body: u32, wire: &[u8], sizes: &[usize]) {
    decode_in_pieces::<HostFrame>(max_body, wire, sizes);
    decode_in_pieces::<SidecarFrame>(max_body, wire, sizes);
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        frames in host_stream(),
        sizes in vec(1..200_usize, 1..8),
    ) {
        let mut wire = Vec::new();
        for frame in &frames {
            wire.extend_from_slice(&frame.encode().unwrap());
        }
        let (got, in_step) = decode_in_pieces::<HostFrame>(64 * 1024, &wire, &sizes);
        prop_assert!(in_step);
        let got: Vec<Any> = got
            .into_iter()
            .map(|decoded| match decoded {
                Decoded::Frame(envelope) => Any::Host(envelope),
                Decoded::Rejected(head, error) => panic!("{head:?} {error}"),
            })
            .collect();
        prop_assert_eq!(got, frames);
    }

    #[test]
    fn arbitrary_bytes_are_survived(
        wire in vec(any::<u8>(), 0..200),
        sizes in vec(1..50_usize, 1..4),
        max_body in 0..70_000_u32,
    ) {
        survives(max_body, &wire, &sizes);
    }

    #[test]
    fn arbitrary_bodies_are_survived(
        kind in 0..Kind::ALL.len(),
        session in 0..2_u32,
        body in vec(prop_oneof![0..4_u8, 249..=255_u8, any::<u8>()], 0..200),
        sizes in vec(1..50_usize, 1..4),
    ) {
        survives(64 * 1024, &raw(Kind::ALL[kind], session, &body), &sizes);
    }

    #[test]
    fn damaged_frames_are_survived_and_what_decodes_can_be_sent_again(
        frame in any_frame(),
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
    ) {
        let mut wire = frame.encode().unwrap();
        if wire.len() > HEAD_LEN {
            let at = HEAD_LEN + at.index(wire.len() - HEAD_LEN);
            wire[at] = value;
        }
        if let Ok(damaged) = frame.decode_like(&wire) {
            let again = damaged.encode().unwrap();
            prop_assert_eq!(damaged.decode_like(&again), Ok(damaged));
        }
    }

    #[test]
    fn an_announced_length_reserves_no_more_than_the_limit(
        body_len in any::<u32>(),
        max_body in any::<u32>(),
        begun in vec(any::<u8>(), 0..64),
    ) {
        let mut wire = BytesMut::from(&body_len.to_be_bytes()[..]);
        wire.extend_from_slice(&[Kind::Ping.to_wire(), 0, 0, 0]);
        wire.extend_from_slice(&[0; 12]);
        wire.extend_from_slice(&begun);
        let mut decoder = FrameDecoder::<HostFrame>::new();
        // Keeps the test itself small: 1 MiB at most.
        let max_body = max_body % (1024 * 1024);
        decoder.set_max_body(max_body);
        let before = wire.capacity();
        let decoded = decoder.decode(&mut wire);
        prop_assert_eq!(decoded.is_err(), body_len > max_body);
        let allowed = usize::try_from(max_body).unwrap().max(8 * 1024);
        prop_assert!(wire.capacity() <= before.max(allowed));
    }
}
