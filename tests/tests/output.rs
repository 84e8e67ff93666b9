//! What guests write: in order, as it comes, bounded.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use e2e_tests::{answers, ok, run, session, sidecar};
use isolate_sidecar_client::{
    GuestEvent, Level, LimitKind, LimitsRequest, RequestId, SessionOptions, Stream, Transcript,
    script,
};

const MIB: usize = 1 << 20;

#[test]
fn streams_and_levels_keep_their_order() {
    let sidecar = sidecar();
    let transcript = Transcript::new(MIB);
    let session = sidecar
        .session(SessionOptions::default())
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    let source = "console.log('log %s', 1); console.error('error'); console.info('info'); console.warn('warn');
        console.debug('debug'); process.stdout.write('raw'); process.stderr.write('raw err\\n'); 0";
    let pending = session.start(script("a.js", source)).unwrap();
    let request = pending.request();
    pending.wait().unwrap();
    let seen: Vec<_> = transcript
        .take()
        .into_iter()
        .map(|one| {
            assert_eq!(one.request, request);
            (one.stream, one.level, String::from_utf8(one.text).unwrap())
        })
        .collect();
    let expected = [
        (Stream::Stdout, Level::Log, "log 1\n"),
        (Stream::Stderr, Level::Error, "error\n"),
        (Stream::Stdout, Level::Info, "info\n"),
        (Stream::Stderr, Level::Warn, "warn\n"),
        (Stream::Stdout, Level::Debug, "debug\n"),
        (Stream::Stdout, Level::Raw, "raw"),
        (Stream::Stderr, Level::Raw, "raw err\n"),
    ];
    let seen: Vec<_> = seen.iter().map(|(s, l, t)| (*s, *l, t.as_str())).collect();
    assert_eq!(seen, expected);
}

#[test]
fn output_is_not_lost_with_its_guest() {
    let sidecar = sidecar();
    let transcript = Transcript::new(MIB);
    let mut options = SessionOptions::default();
    options.limits.wall_ms = Some(300);
    let session = sidecar
        .session(options)
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    run(&session, "console.log('before the loop'); for (;;);");
    assert_eq!(transcript.take_text(), "before the loop\n");
    run(&session, "console.log('before the throw'); throw 1");
    assert_eq!(transcript.take_text(), "before the throw\n");
}

#[test]
fn output_over_the_limit_keeps_head_and_tail() {
    let sidecar = sidecar();
    let transcript = Transcript::new(8 * MIB);
    let warned = Arc::new(Mutex::new(Vec::new()));
    let warn = Arc::clone(&warned);
    let session = sidecar
        .session(SessionOptions {
            limits: LimitsRequest {
                output_bytes: Some(1 << 20),
                ..LimitsRequest::default()
            },
            ..SessionOptions::default()
        })
        .on_output(transcript.recorder())
        .on_event(move |_, event| {
            if let GuestEvent::LimitWarning(report) = event {
                warn.lock().unwrap().push(report.which);
            }
        })
        .open()
        .unwrap();
    let source = "for (let i = 0; i < 20_000; i++) console.log(String(i).padStart(10_000)); 'done'";
    let finished = session.execute(script("a.js", source)).unwrap();
    assert_eq!(e2e_tests::json(finished.outcome), "done");
    let usage = finished.usage;
    assert_eq!(usage.output_bytes, 20_000 * 10_001);
    let text = transcript.take_text();
    assert!(text.len() < 2 * MIB, "{}", text.len());
    assert!(text.trim_start().starts_with("0\n"), "{}", &text[..10_100]);
    assert!(text.ends_with("19999\n"), "{}", &text[text.len() - 100..]);
    assert!(usage.output_dropped_bytes > 190_000_000, "{usage:?}");
    assert!(
        text.contains(&usage.output_dropped_bytes.to_string()),
        "no marker with the count"
    );
    assert_eq!(*warned.lock().unwrap(), [LimitKind::Output]);
    answers(&session);
}

#[test]
fn a_host_that_does_not_read_stops_its_own_guest_only() {
    let sidecar = sidecar();
    let transcript = Transcript::new(32 * MIB);
    let loud = sidecar
        .session(SessionOptions::default())
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    let source = "for (let i = 0; i < 800; i++) console.log('x'.repeat(9_999)); 'done'";
    let pending = loud.start(script("a.js", source)).unwrap();
    // Nobody reads meanwhile; the guest fills its credit and waits.
    std::thread::park_timeout(Duration::from_millis(300));
    answers(&session(&sidecar));
    assert_eq!(e2e_tests::json(pending.wait().unwrap().outcome), "done");
    assert_eq!(transcript.take_text().len(), 8_000_000);
}

#[test]
fn output_between_requests_belongs_to_none() {
    let sidecar = sidecar();
    let transcript = Transcript::new(MIB);
    let session = sidecar
        .session(SessionOptions::default())
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    ok(&session, "setTimeout(() => console.log('later'), 50); 0");
    sidecar.serve_for(Duration::from_millis(400));
    let seen = transcript.take();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(
        (seen[0].request, seen[0].text.as_slice()),
        (RequestId::NONE, &b"later\n"[..])
    );
}
