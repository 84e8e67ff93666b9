//! Round trips, and streams that are cut, lengthened or damaged.

use protocol::{LimitsRequest, Root, SnapshotKey};

use super::*;

fn warm() -> WarmSnapshot {
    WarmSnapshot {
        roots: vec![Root {
            host: "/srv/app".to_owned(),
            guest: "/app".to_owned(),
        }],
        entries: vec!["sdk".to_owned()],
        script: Some("1".to_owned()),
        env: Vec::new(),
        argv: vec!["node".to_owned()],
        cwd: "/app".to_owned(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        limits: LimitsRequest::default(),
    }
}

fn built() -> BuiltSnapshot {
    let image = SnapshotImage {
        key: SnapshotKey([5; 32]),
        blob: Bytes::from_static(b"the blob"),
        modules: vec![SnapshotModule {
            url: "file:///app/sdk.js".to_owned(),
            attribute: String::new(),
        }],
        entries: [("sdk".to_owned(), "file:///app/sdk.js".to_owned())].into(),
        cwd: "/app".to_owned(),
        is_mapped: false,
    };
    let report = SnapshotReport {
        build_us: 20,
        evaluate_us: 10,
        modules: 1,
        files: 2,
    };
    BuiltSnapshot {
        image,
        report,
        seen: Some(Observations::default()),
    }
}

fn written() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_image(&mut bytes, &built()).unwrap();
    bytes
}

#[test]
fn a_spec_arrives_as_it_is() {
    let bytes = encode_spec(warm()).unwrap();
    let spec = read_spec(&mut &bytes[..]).unwrap();
    assert_eq!((spec.entries, spec.cwd), (warm().entries, warm().cwd));
    assert_eq!((spec.roots, spec.script), (warm().roots, warm().script));
}

#[test]
fn a_spec_that_is_cut_or_lengthened_is_none() {
    let bytes = encode_spec(warm()).unwrap();
    for len in 0..bytes.len() {
        let result = read_spec(&mut &bytes[..len]);
        assert!(matches!(result, Err(PipeError::CutShort)), "{len}");
    }
    let longer = [&bytes[..], b"x"].concat();
    let result = read_spec(&mut &longer[..]);
    assert!(matches!(result, Err(PipeError::Trailing(1))));
}

#[test]
fn another_frame_is_no_spec() {
    let mut bytes = BytesMut::new();
    HostFrame::from(protocol::frame::Shutdown { grace_ms: 0 })
        .encode(SessionId::CONNECTION, RequestId::new(1), &mut bytes)
        .unwrap();
    let result = read_spec(&mut &bytes[..]);
    assert!(matches!(result, Err(PipeError::Kind(Kind::Shutdown))));
}

#[test]
fn an_image_arrives_as_it_is() {
    let built = built();
    let bytes = written();
    let blob_at = bytes.len() - built.image.blob.len();
    assert_eq!(blob_at % ALIGNMENT, 0);
    let Ok(Answer::Built(read)) = read_answer(bytes.into()) else {
        panic!("no image");
    };
    assert_eq!((read.report, read.seen), (built.report, built.seen));
    let (read, image) = (read.image, built.image);
    assert_eq!((read.key, &read.blob), (image.key, &image.blob));
    assert_eq!((read.modules, read.entries), (image.modules, image.entries));
    assert_eq!(read.cwd, image.cwd);
}

#[test]
fn an_image_that_is_cut_or_lengthened_is_none() {
    let bytes = written();
    for len in 0..bytes.len() {
        let result = read_answer(Bytes::copy_from_slice(&bytes[..len]));
        assert!(matches!(result, Err(PipeError::CutShort)), "{len}");
    }
    let longer = [&bytes[..], b"x"].concat();
    let result = read_answer(longer.into());
    assert!(matches!(result, Err(PipeError::Trailing(1))));
}

#[test]
fn any_damage_is_an_error_or_another_image_and_never_a_panic() {
    let bytes = written();
    for position in 0..bytes.len() {
        for flip in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[position] ^= flip;
            let _ = read_answer(damaged.into());
        }
    }
}

#[test]
fn a_failure_arrives_with_its_text() {
    let mut bytes = Vec::new();
    let text = "x".repeat(10_000);
    write_failure(&mut bytes, Reason::SnapshotFailed, text).unwrap();
    let Ok(Answer::Failure(reason, message)) = read_answer(bytes.into()) else {
        panic!("no failure");
    };
    assert_eq!(reason, Reason::SnapshotFailed);
    assert_eq!(message.len(), protocol::bounds::MAX_TEXT);
}
