//! Snapshots: made once, started from often, and refused with a reason when they cannot be.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;

use e2e_tests::{answers, demo_root, ok, open, root, session, sidecar};
use isolate_sidecar_client::{
    LimitsRequest, Reason, RequestError, SessionOptions, Sidecar, SnapshotKey, SnapshotReady,
    SnapshotSpec,
};
use serde_json::json;

fn packages(sidecar: &Sidecar) -> SnapshotReady {
    let spec = SnapshotSpec {
        roots: vec![demo_root()],
        entries: vec!["zod".to_owned(), "lodash-es".to_owned()],
        ..SnapshotSpec::default()
    };
    sidecar.warm_snapshot(spec).unwrap()
}

fn from(snapshot: SnapshotKey) -> SessionOptions {
    SessionOptions {
        snapshot: Some(snapshot),
        roots: vec![demo_root()],
        ..SessionOptions::default()
    }
}

/// The reason for which a snapshot of a file with this source is refused.
#[track_caller]
fn refusal(sidecar: &Sidecar, source: &str, limits: LimitsRequest) -> (Reason, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sdk.mjs"), source).unwrap();
    let spec = SnapshotSpec {
        roots: vec![root(folder.path(), "/app")],
        entries: vec!["/app/sdk.mjs".to_owned()],
        limits,
        ..SnapshotSpec::default()
    };
    match sidecar.warm_snapshot(spec) {
        Err(RequestError::Refused {
            reason, message, ..
        }) => {
            assert!(
                !message.contains(folder.path().to_str().unwrap()),
                "{message}"
            );
            (reason, message)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn sessions_start_with_what_was_evaluated() {
    let sidecar = sidecar();
    let ready = packages(&sidecar);
    assert!(ready.bytes > 1 << 20 && ready.modules > 100, "{ready:?}");
    let session = open(&sidecar, from(ready.key));
    let source = "Promise.all([import('zod'), import('lodash-es')])
        .then(([{ z }, { sum }]) => [z.string().parse('a'), sum([1, 2])])";
    assert_eq!(ok(&session, source), json!(["a", 3]));
    let stats = session.close().unwrap();
    assert_eq!(stats.modules_from_reader, 0, "{stats:?}");
    assert!(stats.modules_from_snapshot >= 2, "{stats:?}");
}

#[test]
fn an_equal_snapshot_has_the_same_key_and_is_kept_once() {
    let sidecar = sidecar();
    let first = packages(&sidecar);
    let second = packages(&sidecar);
    assert_eq!(first.key, second.key);
    assert_eq!(sidecar.stats().unwrap().snapshots, 1);
}

#[test]
fn a_snapshot_is_built_again_when_a_file_of_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let warm = |source: &str| {
        fs::write(folder.path().join("sdk.mjs"), source).unwrap();
        let spec = SnapshotSpec {
            roots: vec![root(folder.path(), "/app")],
            entries: vec!["/app/sdk.mjs".to_owned()],
            ..SnapshotSpec::default()
        };
        sidecar.warm_snapshot(spec).unwrap()
    };
    let first = warm("export default 1");
    assert!(!first.from_cache && !first.reused, "{first:?}");
    let again = warm("export default 1");
    assert!(again.from_cache && again.reused, "{again:?}");
    let changed = warm("export default 2");
    assert!(!changed.from_cache && !changed.reused, "{changed:?}");
    assert_ne!(changed.key, first.key);
}

#[test]
fn a_snapshot_that_no_session_can_be_restored_from_is_refused() {
    let sidecar = sidecar();
    let neighbour = session(&sidecar);
    for source in [
        "Object.freeze(globalThis)",
        "Object.preventExtensions(globalThis)",
    ] {
        let (reason, _) = refusal(&sidecar, source, LimitsRequest::default());
        assert_eq!(reason, Reason::SnapshotFailed, "{source}");
    }
    answers(&neighbour);
}

#[test]
fn a_snapshot_that_nobody_made_is_unknown() {
    let sidecar = sidecar();
    match sidecar.session(from(SnapshotKey([7; 32]))).open() {
        Err(RequestError::Refused { reason, .. }) => assert_eq!(reason, Reason::UnknownSnapshot),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_evaluated_is_refused_and_the_sidecar_lives() {
    let sidecar = sidecar();
    let neighbour = session(&sidecar);
    let short = LimitsRequest {
        wall_ms: Some(700),
        heap_bytes: Some(32 << 20),
        ..LimitsRequest::default()
    };
    let (reason, message) = refusal(&sidecar, "throw new Error('at load')", short);
    assert_eq!(reason, Reason::SnapshotFailed);
    assert!(message.contains("at load"), "{message}");
    let (_, message) = refusal(&sidecar, "import 'nowhere'", short);
    assert!(message.contains("nowhere"), "{message}");
    refusal(&sidecar, "for (;;);", short);
    refusal(&sidecar, "const all = []; for (;;) all.push({});", short);
    let (_, message) = refusal(
        &sidecar,
        "1;\nawait 1;\nawait new Promise(() => {});",
        short,
    );
    assert!(
        message.contains("top level of file:///app/sdk.mjs:3"),
        "{message}"
    );
    // One allocation that is larger than the guard can make room for.
    let (reason, message) = refusal(&sidecar, "[...'x'.repeat(2 ** 28)]", short);
    assert_eq!(reason, Reason::SnapshotFailed);
    assert!(message.contains("heap_bytes"), "{message}");
    answers(&neighbour);
    answers(&session(&sidecar));
}

#[test]
fn a_script_alone_makes_a_snapshot_too() {
    let sidecar = sidecar();
    let spec = SnapshotSpec {
        script: Some("globalThis.prepared = { list: [1, 2, 3] }".to_owned()),
        ..SnapshotSpec::default()
    };
    let ready = sidecar.warm_snapshot(spec).unwrap();
    let options = SessionOptions {
        snapshot: Some(ready.key),
        ..SessionOptions::default()
    };
    let session = open(&sidecar, options);
    assert_eq!(ok(&session, "prepared.list.length"), 3);
}

#[test]
fn objects_of_the_web_survive() {
    let sidecar = sidecar();
    let prepared = "globalThis.kept = {
        headers: new Headers({ a: 'b' }),
        stream: new ReadableStream({ start(c) { c.enqueue('x'); c.enqueue('y'); c.close(); } }),
        blob: new Blob(['some ', 'bytes']),
        form: new FormData(),
        request: new Request('http://a.b/', { method: 'POST', body: 'sent', signal: new AbortController().signal }),
        channel: new MessageChannel(),
        decoder: new TextDecoderStream(),
        gone: delete globalThis.EventSource,
        fetch,
    };
    kept.url = URL.createObjectURL(kept.blob);
    kept.form.append('file', new File(['f'], 'name.txt'));";
    let spec = SnapshotSpec {
        script: Some(prepared.to_owned()),
        ..SnapshotSpec::default()
    };
    let ready = sidecar.warm_snapshot(spec).unwrap();
    let options = SessionOptions {
        snapshot: Some(ready.key),
        ..SessionOptions::default()
    };
    let session = open(&sidecar, options);
    let used = "(async () => {
        const chunks = [];
        for await (const chunk of kept.stream) chunks.push(chunk);
        const message = new Promise((resolve) => { kept.channel.port2.onmessage = resolve; });
        kept.channel.port1.postMessage(new Map([[1, 2]]));
        const bytes = ReadableStream.from([new Uint8Array([65])]);
        return [
            kept.headers instanceof Headers && kept.headers.get('a'), chunks, await kept.blob.text(),
            (await new Response(kept.form).formData()).get('file').name, await kept.request.text(),
            (await message).data.get(1), await new Response(bytes.pipeThrough(kept.decoder).pipeThrough(new TextEncoderStream())).text(),
            await (await fetch(kept.url)).text(), kept.fetch === fetch, typeof EventSource, typeof WebSocket,
        ];
    })()";
    assert_eq!(
        ok(&session, used),
        json!([
            "b",
            ["x", "y"],
            "some bytes",
            "name.txt",
            "sent",
            2,
            "A",
            "some bytes",
            true,
            "undefined",
            "function"
        ])
    );
}
