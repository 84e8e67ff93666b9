//! How sessions and sidecars are lost, and what every open request is told then.

use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    LostCause, Outcome, Reason, RequestError, SessionOptions, SidecarCommand, SpawnError, script,
};
use protocol::SessionStats;
use protocol::frame::{GoAway, HostFrame, Reset, Shutdown};

use crate::script::{connected, json, opened, play, start};

fn lost_cause(err: RequestError) -> String {
    match err {
        RequestError::SidecarLost(lost) => format!("{:?}", lost.cause),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reset_ends_the_session_and_nothing_else() {
    let (sidecar, fake) = start(|fake| {
        let open = fake.expect();
        fake.send((1, open.request.get()), opened());
        let open = fake.expect();
        fake.send((2, open.request.get()), opened());
        fake.expect();
        fake.expect();
        let stats = Some(SessionStats::default());
        fake.send((1, 0), Reset::new(Reason::EngineOom, "parked", stats));
        fake.serve(|_, _| Outcome::Ok(json("2")));
    });
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let neighbour = sidecar.session(SessionOptions::default()).open().unwrap();
    let both = [(); 2].map(|()| session.start(script("a.js", "0")).unwrap());
    for pending in both {
        match pending.wait() {
            Err(RequestError::SessionLost { reason, stats, .. }) => {
                assert_eq!(reason, Reason::EngineOom);
                assert!(stats.is_some());
            }
            other => panic!("{other:?}"),
        }
    }
    let again = session.execute(script("a.js", "0")).unwrap_err();
    assert!(matches!(again, RequestError::SessionLost { .. }), "{again}");
    let finished = neighbour.execute(script("b.js", "2")).unwrap();
    assert_eq!(finished.outcome, Outcome::Ok(json("2")));
    drop((session, neighbour, sidecar));
    fake.join().unwrap();
}

#[test]
fn go_away_is_the_cause_of_what_follows() {
    let (sidecar, fake) = start(|fake| {
        fake.expect();
        fake.send((0, 0), GoAway::new(Reason::StuckSession, "session 1"));
        fake.close_output();
        fake.next();
    });
    let err = sidecar
        .session(SessionOptions::default())
        .open()
        .unwrap_err();
    assert!(lost_cause(err).contains("StuckSession"));
    let err = sidecar.ping().unwrap_err();
    assert!(lost_cause(err).contains("StuckSession"));
    fake.join().unwrap();
}

#[test]
fn bytes_that_cannot_be_followed_end_the_connection() {
    let (sidecar, fake) = start(|fake| {
        fake.expect();
        fake.send_bytes(&[0xff; 64]);
        while fake.next().is_some() {}
    });
    assert!(lost_cause(sidecar.ping().unwrap_err()).contains("Protocol"));
    fake.join().unwrap();
}

#[test]
fn a_sidecar_without_a_word_has_died() {
    let (sidecar, fake) = start(|fake| {
        fake.expect();
        fake.close_output();
    });
    assert_eq!(lost_cause(sidecar.ping().unwrap_err()), "Died");
    fake.join().unwrap();
}

#[test]
fn shutdown_waits_for_the_end() {
    let (sidecar, fake) = start(|fake| {
        let shutdown = fake.expect();
        assert_eq!(
            shutdown.frame,
            HostFrame::Shutdown(Shutdown { grace_ms: 250 })
        );
        fake.send((0, 0), GoAway::new(Reason::ShuttingDown, "as asked"));
        fake.close_output();
        assert!(fake.next().is_none());
    });
    // Not a child of this process: there is no exit status.
    assert_eq!(sidecar.shutdown(Duration::from_millis(250)).unwrap(), None);
    fake.join().unwrap();
}

#[test]
fn what_outlives_the_sidecar_knows_that_it_is_gone() {
    let (sidecar, fake) = start(|fake| fake.serve(|_, _| Outcome::Cancelled));
    let session = sidecar.session(SessionOptions::default()).open().unwrap();
    let pending = session.start(script("a.js", "0")).unwrap();
    drop(sidecar);
    assert_eq!(lost_cause(session.stats().unwrap_err()), "Closed");
    // It came in while the sidecar was being closed.
    assert!(pending.wait().is_ok());
    fake.join().unwrap();
}

#[test]
fn a_sidecar_that_does_not_end_is_not_awaited_for_ever() {
    let (sidecar, fake) = start(|fake| {
        while fake.next().is_some() {}
        std::thread::park_timeout(Duration::from_secs(4));
    });
    let begun = Instant::now();
    drop(sidecar);
    assert!(begun.elapsed() < Duration::from_secs(3));
    fake.thread().unpark();
    fake.join().unwrap();
}

#[test]
fn programs_that_are_no_sidecar() {
    match SidecarCommand::new("/nonexistent/isolate-sidecar").spawn() {
        Err(SpawnError::Start { program, .. }) => assert!(program.contains("nonexistent")),
        other => panic!("{other:?}"),
    }
    match SidecarCommand::new("/bin/false").spawn() {
        Err(SpawnError::Lost(lost)) => {
            assert_eq!(lost.exit_code(), Some(1));
            assert!(matches!(lost.cause, LostCause::Died), "{lost}");
        }
        other => panic!("{other:?}"),
    }
    // Echoes what it is sent: frames that only a host sends.
    let patience = Duration::from_millis(200);
    let echo = SidecarCommand::new("/bin/sh").patience(patience);
    assert!(echo.spawn().is_err());
}

#[test]
fn a_peer_of_another_version_says_so() {
    let (fake, host) = connected();
    let thread = play(fake, |fake| {
        fake.expect();
        let reason = Reason::UnsupportedVersion;
        fake.send((0, 1), GoAway::new(reason, "only version 7"));
        fake.close_output();
    });
    match host.connect(Duration::from_secs(5)) {
        Err(SpawnError::Lost(lost)) => assert!(lost.to_string().contains("only version 7")),
        other => panic!("{other:?}"),
    }
    thread.join().unwrap();
}
