//! PROTOCOL.md 6.3: what runs, what waits, what came too late.

use protocol::frame::Cancel;
use protocol::{Outcome, SidecarFrame};

use crate::support::{Host, ok};

#[test]
fn what_runs_is_cancelled() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "spin");
    host.send(1, 1, Cancel {});
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    host.check_alive(1, 2);
}

#[test]
fn what_waits_is_cancelled_without_having_run() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate\necho:1");
    host.execute(1, 2, "print:never");
    host.execute(1, 3, "echo:3");
    host.send(1, 2, Cancel {});
    // At once, and not when its turn would come.
    assert_eq!(host.expect_outcome(1, 2), Outcome::Cancelled);
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
    assert_eq!(host.expect_outcome(1, 3), ok("3"));
}

#[test]
fn what_waits_for_a_session_to_open_is_cancelled() {
    let mut host = Host::start();
    host.send(1, 1, crate::support::open(&["open-waits"]));
    host.execute(1, 2, "print:never");
    host.send(1, 2, Cancel {});
    assert_eq!(host.expect_outcome(1, 2), Outcome::Cancelled);
    // What opens a session is no request of code: it goes on.
    host.send(1, 1, Cancel {});
    host.gate.open();
    assert!(matches!(host.expect(1, 1), SidecarFrame::SessionOpened(_)));
    host.check_alive(1, 3);
}

#[test]
fn a_session_is_closed_while_it_is_opened() {
    let mut host = Host::start();
    host.send(1, 1, crate::support::open(&["open-waits"]));
    host.execute(1, 2, "print:never");
    host.close(1, 3);
    host.send(1, 2, Cancel {});
    host.send(1, 3, Cancel {});
    host.sync();
    host.gate.open();
    assert!(matches!(host.expect(1, 1), SidecarFrame::SessionOpened(_)));
    host.expect_refused(1, 2, protocol::Reason::SessionClosed);
    host.expect_closed(1, 3);
}

#[test]
fn cancels_while_a_session_closes_change_nothing() {
    let mut host = Host::start_with(|config| config.grace = std::time::Duration::from_secs(60));
    host.open(1);
    host.begin(1, 1, "gate");
    host.execute(1, 2, "print:never");
    host.close(1, 3);
    for request in [1, 2, 3] {
        host.send(1, request, Cancel {});
    }
    host.sync();
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    host.expect_refused(1, 2, protocol::Reason::SessionClosed);
    host.expect_closed(1, 3);
}

#[test]
fn all_that_waits_can_be_cancelled_and_makes_room() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate");
    for round in 0..3 {
        for n in 0..32 {
            host.execute(1, 100 * (round + 1) + n, "print:never");
        }
        host.execute(1, 99, "print:never");
        let refused = host.expect_refused(1, 99, protocol::Reason::Busy);
        assert_eq!(
            refused.limit.map(|limit| (limit.limit, limit.usage)),
            Some((32, 33))
        );
        for n in 0..32 {
            let request = 100 * (round + 1) + n;
            host.send(1, request, Cancel {});
            assert_eq!(host.expect_outcome(1, request), Outcome::Cancelled);
        }
    }
    host.gate.open();
    host.expect_outcome(1, 1);
}

#[test]
fn too_late_is_ignored_and_harms_no_later_request() {
    let mut host = Host::start();
    host.open(1);
    host.check_alive(1, 1);
    host.send(1, 1, Cancel {});
    // The same id again, on purpose: the old cancel must not reach it.
    host.check_alive(1, 1);
    host.send(1, 77, Cancel {});
    host.check_alive(1, 77);
}

#[test]
fn a_synchronous_host_call_is_woken() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "sync-host:f:[]");
    let call = host.next();
    assert!(matches!(call.frame, SidecarFrame::HostCall(_)));
    host.send(1, 1, Cancel {});
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    // Its reply comes too late.
    host.reply(1, call.request, "1");
    host.expect_refused(1, call.request, protocol::Reason::UnknownCall);
    host.check_alive(1, 2);
}
