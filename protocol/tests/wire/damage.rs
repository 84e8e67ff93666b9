//! What happens to frames that are cut, extended, mistagged or misdirected.

use bytes::BytesMut;
use protocol::frame::{Code, Execute, Kind, Until};
use protocol::{Blob, Decoded, Fault, FrameDecoder, FrameError, Scope, Value, ValueFormat};

use crate::samples;
use crate::support::{Any, body, decode_host, decode_sidecar, malformed, raw};

fn rewrap(sample: &Any, body: &[u8]) -> BytesMut {
    let wire = sample.encode().unwrap();
    let session = u32::from_be_bytes(wire[8..12].try_into().unwrap());
    raw(sample.kind(), session, body)
}

#[test]
fn every_cut_body_is_malformed() {
    for sample in samples::all() {
        let wire = sample.frame.encode().unwrap();
        let body = body(&wire);
        for cut in 0..body.len() {
            let wire = rewrap(&sample.frame, &body[..cut]);
            let error = sample.frame.decode_like(&wire).unwrap_err();
            let FrameError::Malformed { fault, .. } = &error else {
                panic!("{error:?}");
            };
            assert_eq!(*fault, Fault::Truncated, "{:?}", sample.frame.kind());
            assert_eq!(error.scope(), Scope::Request);
        }
    }
}

#[test]
fn bytes_after_every_body_are_malformed() {
    for sample in samples::all() {
        let mut body = body(&sample.frame.encode().unwrap()).to_vec();
        body.extend_from_slice(b"??");
        let wire = rewrap(&sample.frame, &body);
        let expected = malformed("body", Fault::TrailingBytes { count: 2 });
        assert_eq!(sample.frame.decode_like(&wire), Err(expected));
    }
}

#[test]
fn no_changed_byte_panics() {
    for sample in samples::all() {
        let wire = sample.frame.encode().unwrap();
        let body = body(&wire);
        for at in 0..body.len() {
            for value in [0, 1, 0x7f, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff] {
                let mut body = body.to_vec();
                body[at] = value;
                // Either answer will do: the point is that there is one.
                let _ = sample.frame.decode_like(&rewrap(&sample.frame, &body));
            }
        }
    }
}

#[test]
fn the_other_directions_frames_are_rejected() {
    for sample in samples::all() {
        let wire = sample.frame.encode().unwrap();
        let kind = sample.frame.kind();
        let got = match sample.frame {
            Any::Host(_) => decode_sidecar(&wire).map(|_| ()),
            Any::Sidecar(_) => decode_host(&wire).map(|_| ()),
        };
        match kind {
            Kind::Ping | Kind::Pong => assert_eq!(got, Ok(())),
            kind => assert_eq!(got, Err(FrameError::WrongDirection(kind))),
        }
    }
}

#[track_caller]
fn check(kind: Kind, session: u32, body: &[u8], field: &'static str, fault: Fault) {
    let got = decode_host(&raw(kind, session, body));
    assert_eq!(got, Err(malformed(field, fault)));
}

#[test]
fn each_fault_of_a_number_or_text_names_its_field() {
    check(Kind::Hello, 0, &[], "hello.min_version", Fault::Truncated);
    check(
        Kind::Hello,
        0,
        &[252, 0, 0, 0, 0],
        "hello.min_version",
        Fault::BadNumber,
    );
    check(
        Kind::Hello,
        0,
        &[254],
        "hello.min_version",
        Fault::BadNumber,
    );
    check(
        Kind::Hello,
        0,
        &[1, 1, 2, b'a'],
        "hello.client",
        Fault::Truncated,
    );
    check(
        Kind::Hello,
        0,
        &[1, 1, 1, 0xff],
        "hello.client",
        Fault::NotUtf8,
    );
}

#[test]
fn each_fault_of_a_tag_or_length_names_its_field() {
    check(Kind::Execute, 1, &[3], "code", Fault::UnknownTag(3));
    check(
        Kind::Execute,
        1,
        &[0, 0, 253],
        "code.script.source",
        Fault::Truncated,
    );
    check(
        Kind::OpenSession,
        1,
        &[2],
        "open_session.snapshot",
        Fault::UnknownTag(2),
    );
    check(
        Kind::OpenSession,
        1,
        &[1, 9],
        "open_session.snapshot",
        Fault::Truncated,
    );
    check(
        Kind::Cancel,
        1,
        &[0],
        "body",
        Fault::TrailingBytes { count: 1 },
    );

    let huge = [0, 0, 253, 255, 255, 255, 255, 255, 255, 255, 255];
    check(
        Kind::Execute,
        1,
        &huge,
        "code.script.source",
        Fault::Truncated,
    );

    let mut snapshot_ready = [0; 39];
    snapshot_ready[36] = 2;
    assert_eq!(
        decode_sidecar(&raw(Kind::SnapshotReady, 0, &snapshot_ready)),
        Err(malformed("snapshot_ready.reused", Fault::BadNumber))
    );
}

#[test]
fn blobs_are_slices_of_the_read_buffer() {
    let execute = Execute {
        code: Code::Script {
            name: String::new(),
            source: Blob::from("source".repeat(1000)),
        },
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Raw(Blob::from("input")),
    };
    let mut wire = Any::host(1, 1, execute).encode().unwrap();
    let buffer = wire.as_ptr_range();
    let decoded = FrameDecoder::<protocol::HostFrame>::new().decode(&mut wire);
    let Ok(Some(Decoded::Frame(envelope))) = decoded else {
        panic!("{decoded:?}");
    };
    let protocol::HostFrame::Execute(Execute { code, input, .. }) = envelope.frame else {
        panic!("another frame");
    };
    let Code::Script { source, .. } = code else {
        panic!("other code");
    };
    assert!(buffer.contains(&source.as_ptr()));
    assert!(buffer.contains(&input.bytes().as_ptr()));
    assert!(!buffer.contains(&source.detach().as_ptr()));
}
