//! `ISOLATE_SIDECAR_TRACE`: one JSON line on standard error for what happened.

use std::io::Read;
use std::process::Stdio;

use protocol::frame::{CloseSession, HostReply, Reply};
use protocol::{SidecarFrame, Value};
use serde_json::Value as Json;

use crate::support::{Sidecar, encoded, execute, open};

/// The lines of a session with two round trips.
fn lines(level: &str) -> Vec<Json> {
    let mut sidecar = Sidecar::start_with(|command| {
        command.env(sidecar::TRACE_VARIABLE, level);
        command.stderr(Stdio::piped());
    });
    sidecar.send(&encoded(1, 1, open()));
    sidecar.send(&encoded(1, 2, execute("sync-host:f:[1]\nsync-host:f:[2]")));
    loop {
        let envelope = sidecar.next().unwrap();
        match envelope.frame {
            SidecarFrame::HostCall(_) => {
                let reply = Reply::Ok(Value::Undefined);
                let call = envelope.request.get();
                sidecar.send(&encoded(1, call, HostReply { reply }));
            }
            SidecarFrame::Outcome(_) => break,
            _ => {}
        }
    }
    sidecar.send(&encoded(1, 3, CloseSession {}));
    let closed = sidecar.next().unwrap().frame;
    assert!(matches!(closed, SidecarFrame::SessionClosed(_)));
    drop(sidecar.child.stdin.take());
    assert_eq!(sidecar.wait().0.code(), Some(0));
    let mut text = String::new();
    let mut stderr = sidecar.child.stderr.take().unwrap();
    stderr.read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn off_is_silent() {
    assert_eq!(lines(""), [Json::Null; 0]);
}

#[test]
fn roundtrips_is_one_line_a_session() {
    let lines = lines("roundtrips");
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0];
    assert_eq!(
        (&line["trace"], &line["session"]),
        (&"session".into(), &1.into())
    );
    assert_eq!(line["round_trips"], 2);
    assert_eq!(line["methods"][0]["method"], "f");
    assert_eq!(line["methods"][0]["count"], 2);
    assert_eq!(line["modules_from_reader"], 0);
}

#[test]
fn calls_is_one_more_line_a_call() {
    let lines = lines("calls");
    let kinds: Vec<_> = lines.iter().map(|line| &line["trace"]).collect();
    assert_eq!(kinds, ["call", "call", "session"]);
    assert_eq!(
        (&lines[0]["method"], &lines[0]["call"]),
        (&"f".into(), &1.into())
    );
    assert_eq!(lines[0]["failed"], false);
}

#[test]
fn a_level_that_does_not_exist_is_reported() {
    let lines = lines("everything");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["level"], "WARN");
}
