//! Sessions in processes of their own: a process that dies takes its own sessions along and
//! nothing else.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use e2e_tests::{
    answers, children_of, is_gone_within, limit, ok, open, run, run_cli, session, sidecar,
    sidecar_with, signal, within,
};
use isolate_sidecar_client::{
    CallMode, Isolation, LimitKind, LimitsRequest, Outcome, Reason, RequestError, Session,
    SessionOptions, Sidecar, SnapshotSpec, Value, script,
};

const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;
const SIGSTOP: i32 = 19;

fn isolated(isolation: Isolation) -> SessionOptions {
    SessionOptions {
        isolation,
        ..SessionOptions::default()
    }
}

fn alone(sidecar: &Sidecar) -> Session {
    open(sidecar, isolated(Isolation::Process))
}

fn in_group(sidecar: &Sidecar, name: &str) -> Session {
    open(sidecar, isolated(Isolation::Group(name.to_owned())))
}

/// The process that a session runs in, as it says itself: the one whose thread is named by it.
fn process_of(sidecar: &Sidecar, session: &Session) -> u32 {
    let name = format!("session-{}", session.id());
    let children = children_of(sidecar.pid().unwrap());
    let holds = |pid: &u32| e2e_tests::thread_names(*pid).contains(&name);
    let found = children.into_iter().find(holds);
    found.unwrap_or_else(|| panic!("no child has a thread {name}"))
}

/// Sends a signal until the process is gone: the first SIGSEGV that no access to memory has
/// caused is taken for one that the handler of stack overflows can do something about.
fn crash(pid: u32, number: i32) {
    let gone = within(Duration::from_secs(10), || {
        signal(pid, number);
        is_gone_within(pid, Duration::from_millis(20)).then_some(())
    });
    assert!(gone.is_some());
}

#[track_caller]
fn check_lost(session: &Session, word: &str) {
    match session.execute(script("after.js", "1")) {
        Err(RequestError::SessionLost {
            reason: Reason::ProcessLost,
            message,
            ..
        }) => assert!(message.contains(word), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_process_that_dies_takes_its_own_sessions_along() {
    for (number, word) in [(SIGSEGV, "SIGSEGV"), (SIGKILL, "SIGKILL")] {
        let sidecar = sidecar();
        let (thread, other, lost) = (session(&sidecar), alone(&sidecar), alone(&sidecar));
        let running = lost.start(script("endless.js", "for (;;);")).unwrap();
        let beside = other
            .start(script(
                "beside.js",
                "let n = 0; for (let i = 0; i < 3e7; i++) n += i; n",
            ))
            .unwrap();
        crash(process_of(&sidecar, &lost), number);
        match running.wait() {
            Err(RequestError::SessionLost {
                reason: Reason::ProcessLost,
                message,
                ..
            }) => assert!(message.contains(word), "{message}"),
            ended => panic!("{ended:?}"),
        }
        check_lost(&lost, word);
        assert!(matches!(beside.wait().unwrap().outcome, Outcome::Ok(_)));
        answers(&thread);
        answers(&other);
        answers(&alone(&sidecar));
    }
}

#[test]
fn a_group_shares_a_process_and_its_end() {
    let sidecar = sidecar();
    let [a, b] = [in_group(&sidecar, "tenant"), in_group(&sidecar, "tenant")];
    let (other, own) = (in_group(&sidecar, "other"), alone(&sidecar));
    let process = process_of(&sidecar, &a);
    assert_eq!(process, process_of(&sidecar, &b));
    assert_ne!(process, process_of(&sidecar, &other));
    assert_ne!(process, process_of(&sidecar, &own));
    crash(process, SIGSEGV);
    check_lost(&a, "SIGSEGV");
    check_lost(&b, "SIGSEGV");
    answers(&other);
    answers(&own);
    let next = in_group(&sidecar, "tenant");
    answers(&next);
    assert_ne!(process, process_of(&sidecar, &next));
    let next_process = process_of(&sidecar, &next);
    next.close().unwrap();
    assert!(is_gone_within(next_process, Duration::from_secs(5)));
}

#[test]
fn a_process_that_does_not_answer_is_killed() {
    let sidecar = sidecar();
    let [stopped, mate] = [in_group(&sidecar, "g"), in_group(&sidecar, "g")];
    signal(process_of(&sidecar, &stopped), SIGSTOP);
    let running = stopped.start(script("stopped.js", "1")).unwrap();
    stopped.cancel(&running);
    assert_eq!(running.wait().unwrap().outcome, Outcome::Cancelled);
    match stopped.execute(script("after.js", "1")) {
        Err(RequestError::SessionLost {
            reason: Reason::StuckSession,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    check_lost(&mate, "SIGKILL");
    answers(&in_group(&sidecar, "g"));
}

#[test]
fn a_process_that_dies_during_a_host_call() {
    let sidecar = sidecar();
    let (own, kept) = {
        let kept = e2e_tests::Unanswered::default();
        let keep = Arc::clone(&kept);
        let session = sidecar
            .session(isolated(Isolation::Process))
            .deferred(
                "f",
                CallMode::Sync,
                isolate_sidecar_client::ValueFormat::Json,
                move |_, responder| keep.lock().unwrap().push(responder),
            )
            .open()
            .unwrap();
        (session, kept)
    };
    let running = own.start(script("call.js", "host.f()")).unwrap();
    let called = within(Duration::from_secs(10), || {
        sidecar.serve_for(Duration::from_millis(5));
        (!kept.lock().unwrap().is_empty()).then_some(())
    });
    assert!(called.is_some());
    signal(process_of(&sidecar, &own), SIGKILL);
    assert!(matches!(
        running.wait(),
        Err(RequestError::SessionLost {
            reason: Reason::ProcessLost,
            ..
        })
    ));
    for responder in kept.lock().unwrap().drain(..) {
        responder.reply(Ok(Value::Json("1".into())));
    }
    answers(&alone(&sidecar));
}

#[test]
fn host_calls_output_and_statistics_pass() {
    let sidecar = sidecar();
    let n_calls = Arc::new(AtomicU32::new(0));
    let printed = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (count, keep) = (Arc::clone(&n_calls), Arc::clone(&printed));
    let session = sidecar
        .session(isolated(Isolation::Process))
        .function("double", CallMode::Sync, move |args| {
            count.fetch_add(1, Ordering::Relaxed);
            let args: Vec<u32> = serde_json::from_slice(args.bytes()).unwrap();
            Ok(Value::Json((args[0] * 2).to_string().into()))
        })
        .on_output(move |_, output| keep.lock().unwrap().extend_from_slice(&output.text.0))
        .open()
        .unwrap();
    let code = "let n = 1; for (let i = 0; i < 10; i++) n = host.double(n); console.log('x'.repeat(1e6)); n";
    assert_eq!(ok(&session, code), 1024);
    assert_eq!(n_calls.load(Ordering::Relaxed), 10);
    assert_eq!(printed.lock().unwrap().len(), 1_000_001);
    let stats = session.stats().unwrap();
    assert_eq!((stats.requests, stats.round_trips), (1, 10));
    let closed = session.close().unwrap();
    assert_eq!(closed.round_trips, 10);
}

#[test]
fn limits_and_cancel_hold_in_a_process() {
    let sidecar = sidecar();
    let session = open(
        &sidecar,
        SessionOptions {
            limits: LimitsRequest {
                wall_ms: Some(300),
                ..LimitsRequest::default()
            },
            ..isolated(Isolation::Process)
        },
    );
    let report = limit(run(&session, "for (;;);").outcome);
    assert_eq!((report.which, report.limit), (LimitKind::Wall, 300));
    answers(&session);
    let running = session.start(script("await.js", "new Promise((r) => setTimeout(r, 1e6))"));
    let running = running.unwrap();
    session.cancel(&running);
    assert_eq!(running.wait().unwrap().outcome, Outcome::Cancelled);
    answers(&session);
}

#[test]
fn sessions_in_processes_start_from_warmed_snapshots() {
    let sidecar = sidecar();
    let spec = SnapshotSpec {
        script: Some("globalThis.warmed = 42".to_owned()),
        ..SnapshotSpec::default()
    };
    let key = sidecar.warm_snapshot(spec).unwrap().key;
    let group = Isolation::Group("g".to_owned());
    let before = open(&sidecar, isolated(group.clone()));
    answers(&before);
    for isolation in [Isolation::Process, group.clone(), group] {
        let options = SessionOptions {
            snapshot: Some(key),
            ..isolated(isolation)
        };
        assert_eq!(ok(&open(&sidecar, options), "warmed"), 42);
    }
}

#[test]
fn many_processes_come_and_go_without_a_trace() {
    let sidecar = sidecar();
    answers(&alone(&sidecar));
    let pid = sidecar.pid().unwrap();
    let settled = || {
        within(Duration::from_secs(10), || {
            // The one in reserve.
            (children_of(pid).len() == 1).then_some(())
        })
    };
    assert!(settled().is_some(), "{:?}", children_of(pid));
    let n_before = e2e_tests::descriptors_of(pid);
    for _ in 0..4 {
        let sessions: Vec<_> = (0..5).map(|_| alone(&sidecar)).collect();
        sessions.iter().for_each(answers);
        for session in sessions {
            session.close().unwrap();
        }
    }
    assert!(settled().is_some(), "{:?}", children_of(pid));
    assert_eq!(e2e_tests::descriptors_of(pid), n_before);
    assert_eq!(e2e_tests::zombies_of(pid), 0);
}

#[test]
fn children_die_with_the_sidecar() {
    let sidecar = sidecar();
    let sessions = [alone(&sidecar), in_group(&sidecar, "g")];
    let _running: Vec<_> = sessions
        .iter()
        .map(|session| session.start(script("endless.js", "for (;;);")).unwrap())
        .collect();
    let pid = sidecar.pid().unwrap();
    let children = children_of(pid);
    assert!(2 <= children.len());
    signal(pid, SIGKILL);
    for child in children {
        assert!(is_gone_within(child, Duration::from_secs(2)));
    }
}

#[test]
fn the_command_line_can_ask_for_processes() {
    let sidecar = sidecar_with(&["--isolation", "process"]);
    let [a, b] = [session(&sidecar), session(&sidecar)];
    assert_ne!(process_of(&sidecar, &a), process_of(&sidecar, &b));
    answers(&a);
    let ran = run_cli(&["--isolation", "process", "-e", "6 * 7"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "42\n"));
    let ran = run_cli(&["--isolation", "moon", "-e", "1"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_group_without_a_proper_name_is_refused() {
    let sidecar = sidecar();
    for name in ["", "a b", "../x"] {
        let options = isolated(Isolation::Group(name.to_owned()));
        match sidecar.session(options).open() {
            Err(RequestError::Refused {
                reason: Reason::InvalidArgument,
                message,
                ..
            }) => assert!(message.contains("isolation"), "{message}"),
            other => panic!("{other:?}"),
        }
    }
}
