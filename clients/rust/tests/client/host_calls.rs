//! Host calls: who runs them, and what the guest gets.

use std::sync::{Arc, Mutex};

use isolate_sidecar_client::{
    CallMode, HostError, Outcome, Responder, SessionOptions, ValueFormat, script,
};
use protocol::frame::{HostCall, HostFrame, HostReply, Pong, Reply};

use crate::script::{Fake, finished, json, opened, start};

fn call(fake: &mut Fake, to: (u32, u64), method: &str) {
    let call = HostCall {
        method: method.to_owned(),
        mode: CallMode::Sync,
        args: json("[1]"),
    };
    fake.send(to, call);
}

/// The reply to a call, which must be what the host sends next.
fn reply(fake: &mut Fake, to: (u32, u64)) -> Reply {
    let envelope = fake.expect();
    assert_eq!((envelope.session.get(), envelope.request.get()), to);
    match envelope.frame {
        HostFrame::HostReply(HostReply { reply }) => reply,
        other => panic!("{}", other.kind()),
    }
}

fn error_code(reply: Reply) -> String {
    match reply {
        Reply::Err(error) => error.code.unwrap(),
        Reply::Ok(value) => panic!("{value:?}"),
    }
}

#[test]
fn calls_are_answered_by_the_thread_that_waits() {
    let (sidecar, fake) = start(|fake| {
        fake.serve(|fake, to| {
            call(fake, (to.0, 70), "double");
            assert_eq!(reply(fake, (to.0, 70)), Reply::Ok(json("[1]")));
            call(fake, (to.0, 71), "fail");
            assert_eq!(error_code(reply(fake, (to.0, 71))), "E_NO");
            call(fake, (to.0, 72), "unheard_of");
            assert_eq!(error_code(reply(fake, (to.0, 72))), "ERR_HOST_FUNCTION");
            Outcome::Ok(json("0"))
        });
    });
    let me = std::thread::current().id();
    let session = sidecar
        .session(SessionOptions::default())
        .function("double", CallMode::Sync, move |args| {
            assert_eq!(std::thread::current().id(), me);
            Ok(args)
        })
        .function("fail", CallMode::Async, |_| {
            Err(HostError {
                name: "Error".to_owned(),
                message: "no".to_owned(),
                code: Some("E_NO".to_owned()),
            })
        })
        .open()
        .unwrap();
    session.execute(script("a.js", "0")).unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_host_function_may_make_requests() {
    let (sidecar, fake) = start(|fake| {
        for session in [1, 2] {
            let open = fake.expect();
            fake.send((session, open.request.get()), opened());
        }
        let outer = fake.expect().request.get();
        call(fake, (1, 5), "nested");
        let inner = fake.expect();
        assert_eq!(inner.session.get(), 2);
        call(fake, (2, 1), "plain");
        assert_eq!(reply(fake, (2, 1)), Reply::Ok(json("[1]")));
        fake.send((2, inner.request.get()), finished(Outcome::Ok(json("9"))));
        assert_eq!(reply(fake, (1, 5)), Reply::Ok(json("9")));
        fake.send((1, outer), finished(Outcome::Ok(json("1"))));
        fake.next();
    });
    let other = Arc::new(Mutex::new(None::<isolate_sidecar_client::Session>));
    let used = Arc::clone(&other);
    let session = sidecar
        .session(SessionOptions::default())
        .function("nested", CallMode::Sync, move |_| {
            let other = used.lock().unwrap().take().unwrap();
            let finished = other.execute(script("b.js", "9")).unwrap();
            used.lock().unwrap().replace(other);
            match finished.outcome {
                Outcome::Ok(value) => Ok(value),
                outcome => panic!("{outcome:?}"),
            }
        })
        .open()
        .unwrap();
    let inner = sidecar
        .session(SessionOptions::default())
        .function("plain", CallMode::Sync, Ok)
        .open()
        .unwrap();
    other.lock().unwrap().replace(inner);
    let finished = session.execute(script("a.js", "1")).unwrap();
    assert_eq!(finished.outcome, Outcome::Ok(json("1")));
    other.lock().unwrap().take();
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_call_may_be_answered_later_and_by_another_thread() {
    let (sidecar, fake) = start(|fake| {
        fake.serve(|fake, to| {
            call(fake, (to.0, 1), "later");
            assert_eq!(reply(fake, (to.0, 1)), Reply::Ok(json("3")));
            Outcome::Ok(json("0"))
        });
    });
    let session = sidecar
        .session(SessionOptions::default())
        .deferred(
            "later",
            CallMode::Async,
            ValueFormat::Json,
            |_, responder: Responder| {
                let answer = move || responder.reply(Ok(json("3")));
                std::thread::Builder::new().spawn(answer).unwrap();
            },
        )
        .open()
        .unwrap();
    session.execute(script("a.js", "0")).unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn no_call_is_left_without_an_answer() {
    let (sidecar, fake) = start(|fake| {
        fake.serve(|fake, to| {
            call(fake, (to.0, 1), "forgets");
            assert_eq!(error_code(reply(fake, (to.0, 1))), "ERR_HOST_ANSWER");
            call(fake, (to.0, 2), "too_much");
            assert_eq!(error_code(reply(fake, (to.0, 2))), "ERR_HOST_ANSWER");
            Outcome::Ok(json("0"))
        });
    });
    let session = sidecar
        .session(SessionOptions::default())
        .deferred("forgets", CallMode::Sync, ValueFormat::Json, |_, _| {})
        .function("too_much", CallMode::Sync, |_| {
            Ok(isolate_sidecar_client::Value::Raw(vec![0; 40 << 20].into()))
        })
        .open()
        .unwrap();
    session.execute(script("a.js", "0")).unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn calls_are_answered_without_a_request_too() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        call(fake, (1, 1), "double");
        assert_eq!(reply(fake, (1, 1)), Reply::Ok(json("[1]")));
        let ping = fake.expect();
        let HostFrame::Ping(protocol::frame::Ping { payload }) = ping.frame else {
            panic!("{ping:?}");
        };
        fake.send((0, ping.request.get()), Pong { payload });
        fake.next();
    });
    let session = sidecar
        .session(SessionOptions::default())
        .function("double", CallMode::Sync, Ok)
        .open()
        .unwrap();
    sidecar.serve_for(std::time::Duration::from_millis(100));
    sidecar.ping().unwrap();
    drop((session, sidecar));
    fake.join().unwrap();
}
