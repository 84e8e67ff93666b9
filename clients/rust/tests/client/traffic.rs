//! More bytes than a pipe holds, both ways at once: nobody waits for a write.

use std::time::Duration;

use isolate_sidecar_client::{
    CallMode, EnvVar, Outcome, RequestError, SessionOptions, Value, ValueFormat, script,
};
use protocol::frame::{HostCall, HostFrame, HostReply, Level, Output, Reply, Stream};

use crate::script::{finished, json, opened, start};

const MIB: usize = 1 << 20;

#[test]
fn a_large_request_passes_a_large_answer() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        // Reads nothing of the large request before its own large frames are through.
        for _ in 0..8 {
            let text = vec![b'x'; MIB].into();
            let (stream, level) = (Stream::Stdout, Level::Raw);
            fake.send(
                (1, 0),
                Output {
                    stream,
                    level,
                    text,
                },
            );
        }
        let execute = fake.expect();
        let HostFrame::Execute(_) = execute.frame else {
            panic!("{}", execute.frame.kind());
        };
        fake.send((1, execute.request.get()), finished(Outcome::Ok(json("1"))));
        fake.next();
    });
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let mut execute = script("a.js", "1");
    execute.input = Value::Raw(vec![7; 8 * MIB].into());
    let finished = session.execute(execute).unwrap();
    assert_eq!(finished.outcome, Outcome::Ok(json("1")));
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn large_replies_pass_large_calls() {
    const CALLS: u64 = 6;
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        let execute = fake.expect().request.get();
        for call in 1..=CALLS {
            let method = "echo".to_owned();
            let args = Value::Raw(vec![1; 2 * MIB].into());
            let mode = CallMode::Async;
            fake.send((1, call), HostCall { method, mode, args });
        }
        for call in 1..=CALLS {
            let envelope = fake.expect();
            assert_eq!(envelope.request.get(), call);
            match envelope.frame {
                HostFrame::HostReply(HostReply {
                    reply: Reply::Ok(value),
                }) => assert_eq!(value.bytes().len(), 2 * MIB),
                other => panic!("{}", other.kind()),
            }
        }
        fake.send((1, execute), finished(Outcome::Ok(json("1"))));
        fake.next();
    });
    let session = sidecar
        .session(SessionOptions::default())
        .function_in("echo", CallMode::Async, ValueFormat::Raw, Ok)
        .open()
        .unwrap();
    session.execute(script("a.js", "1")).unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_large_request_of_one_thread_does_not_hold_up_the_reading_of_another() {
    let (sidecar, fake) = start(|fake| {
        for session in [1, 2] {
            let open = fake.expect();
            fake.send((session, open.request.get()), opened());
        }
        let small = fake.expect();
        assert_eq!(small.session.get(), 1);
        // The large one is in the pipe by now, or on its way; it is not read yet.
        std::thread::park_timeout(Duration::from_millis(50));
        for _ in 0..4 {
            let text = vec![b'x'; MIB].into();
            let (stream, level) = (Stream::Stdout, Level::Raw);
            fake.send(
                (1, 0),
                Output {
                    stream,
                    level,
                    text,
                },
            );
        }
        fake.send((1, small.request.get()), finished(Outcome::Cancelled));
        let large = fake.expect();
        assert_eq!(large.session.get(), 2);
        fake.send((2, large.request.get()), finished(Outcome::Cancelled));
        while fake.next().is_some() {}
    });
    let first = sidecar.session(SessionOptions::default()).open().unwrap();
    let second = sidecar.session(SessionOptions::default()).open().unwrap();
    let pending = first.start(script("a.js", "1")).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || pending.wait().unwrap());
        scope.spawn(|| {
            let mut execute = script("b.js", "1");
            execute.input = Value::Raw(vec![7; 8 * MIB].into());
            second.execute(execute).unwrap();
        });
    });
    drop((first, second, sidecar));
    fake.join().unwrap();
}

#[test]
fn what_cannot_be_sent_is_an_error_and_the_connection_goes_on() {
    let (sidecar, fake) = start(|fake| fake.serve(|_, _| Outcome::Ok(json("1"))));
    let options = SessionOptions {
        env: vec![EnvVar {
            name: "A".repeat(5000),
            value: String::new(),
        }],
        ..SessionOptions::default()
    };
    let err = sidecar.session(options).open().unwrap_err();
    assert!(matches!(err, RequestError::Unsendable(_)), "{err}");
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let mut execute = script("a.js", "1");
    execute.input = Value::Raw(vec![7; 40 * MIB].into());
    let err = session.execute(execute).unwrap_err();
    assert!(matches!(err, RequestError::Unsendable(_)), "{err}");
    session.execute(script("a.js", "1")).unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}
