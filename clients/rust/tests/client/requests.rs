//! Requests and the answers to them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use isolate_sidecar_client::{
    GuestEvent, Level, Outcome, Reason, RequestError, SessionOptions, SnapshotKey, SnapshotSpec,
    SpawnError, Stream, Transcript, import, script,
};
use protocol::frame::{
    GoAway, HostFrame, Kind, Output, Ping, Pong, Refused, SessionEvent, SnapshotReady, Stats,
    StatsBody,
};
use protocol::{JsError, ProcessStats, SessionStats};

use crate::script::{PATIENCE, connected, finished, json, opened, play, start};

#[test]
fn a_session_from_open_to_close() {
    let (sidecar, fake) = start(|fake| fake.serve(|_, _| Outcome::Ok(json("2"))));
    assert_eq!(sidecar.welcome().build, "fake");
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    assert_eq!(session.open_time(), Duration::from_micros(7));
    let finished = session.execute(script("a.js", "1 + 1")).unwrap();
    assert_eq!(finished.outcome, Outcome::Ok(json("2")));
    session.close().unwrap();
    drop(sidecar);
    fake.join().unwrap();
}

#[test]
fn answers_may_come_in_any_order() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        let (first, second) = (fake.expect().request.get(), fake.expect().request.get());
        fake.send((1, second), finished(Outcome::Ok(json("2"))));
        fake.send((1, first), finished(Outcome::Ok(json("1"))));
        fake.next();
    });
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let first = session.start(import("/app/1.mjs")).unwrap();
    let second = session.start(import("/app/2.mjs")).unwrap();
    assert_eq!(first.wait().unwrap().outcome, Outcome::Ok(json("1")));
    assert_eq!(second.wait().unwrap().outcome, Outcome::Ok(json("2")));
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_refusal_belongs_to_the_request_of_its_kind() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        let to = (1, open.request.get());
        fake.send(
            to,
            Refused::new(Kind::HostReply, Reason::UnknownCall, "late"),
        );
        fake.send(
            to,
            Refused::new(Kind::OpenSession, Reason::TooManySessions, "full"),
        );
        let open = fake.expect();
        assert_eq!(open.session.get(), 2);
        fake.send((2, open.request.get()), opened());
        let execute = fake.expect().request.get();
        let kind = Kind::Execute;
        fake.send(
            (2, execute),
            Refused::new(kind, Reason::DuplicateRequest, "twice"),
        );
        fake.send((2, execute), finished(Outcome::Cancelled));
        fake.next();
    });
    match sidecar.session(SessionOptions::default()).open() {
        Err(RequestError::Refused {
            reason, message, ..
        }) => {
            assert_eq!(
                (reason, message.as_str()),
                (Reason::TooManySessions, "full")
            );
        }
        other => panic!("{other:?}"),
    }
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let finished = session.execute(script("a.js", "1")).unwrap();
    assert_eq!(finished.outcome, Outcome::Cancelled);
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn an_answer_to_something_else_is_an_error_of_that_request() {
    let (sidecar, fake) = start(|fake| {
        let ping = fake.expect().request.get();
        fake.send((0, ping), GoAway::new(Reason::Internal, "not an answer"));
        let stats = StatsBody::Process(ProcessStats::default());
        fake.send((0, ping), Stats { stats });
        fake.next();
    });
    let err = sidecar.ping().unwrap_err();
    assert!(
        matches!(err, RequestError::Unexpected(Kind::Stats)),
        "{err}"
    );
    drop(sidecar);
    fake.join().unwrap();
}

#[test]
fn the_connection_s_own_requests() {
    let (sidecar, fake) = start(|fake| {
        while let Some(envelope) = fake.next() {
            let to = (envelope.session.get(), envelope.request.get());
            match envelope.frame {
                HostFrame::Ping(Ping { payload }) => fake.send(to, Pong { payload }),
                HostFrame::GetStats(_) if to.0 == 0 => {
                    let stats = StatsBody::Process(ProcessStats {
                        snapshots: 3,
                        ..ProcessStats::default()
                    });
                    fake.send(to, Stats { stats });
                }
                HostFrame::GetStats(_) => {
                    let stats = StatsBody::Session(SessionStats::default());
                    fake.send(to, Stats { stats });
                }
                HostFrame::OpenSession(_) => fake.send(to, opened()),
                HostFrame::WarmSnapshot(warm) => {
                    assert_eq!(warm.entries, ["zod"]);
                    let ready = SnapshotReady {
                        key: SnapshotKey([7; 32]),
                        bytes: 1,
                        modules: 2,
                        build_us: 3,
                        evaluate_us: 4,
                        reused: false,
                        files: 5,
                        from_cache: false,
                    };
                    fake.send(to, ready);
                }
                _ => return,
            }
        }
    });
    sidecar.ping().unwrap();
    assert_eq!(sidecar.stats().unwrap().snapshots, 3);
    let spec = SnapshotSpec {
        entries: vec!["zod".to_owned()],
        ..SnapshotSpec::default()
    };
    assert_eq!(
        sidecar.warm_snapshot(spec).unwrap().key,
        SnapshotKey([7; 32])
    );
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    assert_eq!(session.stats().unwrap(), SessionStats::default());
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_ping_of_the_sidecar_is_answered_while_something_is_awaited() {
    let (sidecar, fake) = start(|fake| {
        let ping = fake.expect();
        fake.send((0, 99), Ping { payload: [9; 8] });
        let pong = fake.expect();
        assert_eq!(pong.request.get(), 99);
        assert_eq!(pong.frame, HostFrame::Pong(Pong { payload: [9; 8] }));
        let HostFrame::Ping(Ping { payload }) = ping.frame else {
            panic!("{ping:?}");
        };
        fake.send((0, ping.request.get()), Pong { payload });
        fake.next();
    });
    sidecar.ping().unwrap();
    drop(sidecar);
    fake.join().unwrap();
}

#[test]
fn output_and_events_arrive_before_the_outcome() {
    let (sidecar, fake) = start(|fake| {
        fake.serve(|fake, to| {
            let output = |text: &'static str| Output {
                stream: Stream::Stdout,
                level: Level::Log,
                text: text.into(),
            };
            fake.send(to, output("one\n"));
            let event = GuestEvent::UnhandledRejection(JsError::default());
            fake.send(to, SessionEvent { event });
            fake.send(to, output("two\n"));
            Outcome::Ok(json("0"))
        });
    });
    let transcript = Transcript::new(1024);
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let session = sidecar
        .session(SessionOptions::default())
        .on_output(transcript.recorder())
        .on_event(move |request, event| seen.lock().unwrap().push((request, event)))
        .open()
        .unwrap();
    let pending = session.start(script("a.js", "0")).unwrap();
    let request = pending.request();
    pending.wait().unwrap();
    assert_eq!(transcript.take_text(), "one\ntwo\n");
    assert_eq!(events.lock().unwrap()[0].0, request);
    drop((session, sidecar));
    fake.join().unwrap();
}

#[test]
fn handlers_may_cancel_and_must_not_wait() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        let execute = fake.expect().request.get();
        let text = "stop".into();
        let (stream, level) = (Stream::Stderr, Level::Raw);
        fake.send(
            (1, execute),
            Output {
                stream,
                level,
                text,
            },
        );
        let cancel = fake.expect();
        assert_eq!(cancel.request.get(), execute);
        assert!(matches!(cancel.frame, HostFrame::Cancel(_)));
        fake.send((1, execute), finished(Outcome::Cancelled));
        fake.next();
    });
    let sidecar = Arc::new(sidecar);
    let slot = Arc::new(Mutex::new(None::<isolate_sidecar_client::Canceller>));
    let (own, own_slot) = (Arc::clone(&sidecar), Arc::clone(&slot));
    let session = sidecar
        .session(SessionOptions::default())
        .on_output(move |_, _| {
            own_slot.lock().unwrap().as_ref().unwrap().cancel();
            let err = own.ping().unwrap_err();
            assert!(matches!(err, RequestError::WaitInHandler), "{err}");
        })
        .open()
        .unwrap();
    let pending = session.start(script("a.js", "for (;;);")).unwrap();
    *slot.lock().unwrap() = Some(pending.canceller());
    assert_eq!(pending.wait().unwrap().outcome, Outcome::Cancelled);
    drop(session);
    // The handler's share of the sidecar is dropped with its session.
    assert!(Arc::into_inner(sidecar).is_some());
    fake.join().unwrap();
}

#[test]
fn whoever_does_not_answer_is_not_awaited_for_ever() {
    let (fake, host) = connected();
    let thread = play(fake, |fake| while fake.next().is_some() {});
    let patience = Duration::from_millis(50);
    match host.connect(patience) {
        Err(SpawnError::NoWelcome(after)) => assert_eq!(after, patience),
        other => panic!("{other:?}"),
    }
    thread.join().unwrap();
}

#[test]
fn a_pending_request_can_be_waited_for_in_turns() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        let execute = fake.expect().request.get();
        let cancel = fake.expect();
        assert!(matches!(cancel.frame, HostFrame::Cancel(_)));
        fake.send((1, execute), finished(Outcome::Cancelled));
        fake.next();
    });
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let pending = session.start(script("a.js", "for (;;);")).unwrap();
    let pending = pending.wait_for(Duration::from_millis(20)).unwrap_err();
    session.cancel(&pending);
    let finished = pending.wait_for(PATIENCE).unwrap().unwrap();
    assert_eq!(finished.outcome, Outcome::Cancelled);
    drop((session, sidecar));
    fake.join().unwrap();
}
