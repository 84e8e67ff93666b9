//! What the process and its sessions tell about themselves.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use e2e_tests::{Program, answers, ok, program, session, sidecar};
use isolate_sidecar_client::{CallMode, SessionOptions, SidecarCommand};

#[test]
fn the_process_counts_its_sessions() {
    let sidecar = sidecar();
    let open: Vec<_> = (0..3).map(|_| session(&sidecar)).collect();
    let stats = sidecar.stats().unwrap();
    assert_eq!((stats.sessions_idle, stats.sessions_opened_total), (3, 3));
    for session in open {
        session.close().unwrap();
    }
    let stats = sidecar.stats().unwrap();
    assert_eq!((stats.sessions_idle, stats.sessions_opened_total), (0, 3));
    assert!(stats.frames_in >= 8 && stats.frames_out >= 8, "{stats:?}");
    assert_eq!((stats.frames_refused, stats.sessions_quarantined), (0, 0));
}

#[test]
fn a_session_counts_what_it_does() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    ok(&session, "globalThis.kept = new Array(1e5).fill({}); 1");
    ok(&session, "globalThis.bytes = new Uint8Array(3 << 20); 1");
    let stats = session.stats().unwrap();
    assert_eq!((stats.requests, stats.round_trips), (2, 0));
    assert!(
        stats.heap_used_bytes > 0 && stats.heap_peak_bytes >= stats.heap_used_bytes,
        "{stats:?}"
    );
    assert!(stats.external_bytes >= 3 << 20, "{stats:?}");
    assert!(stats.cpu_us > 0, "{stats:?}");
    let last = session.close().unwrap();
    assert_eq!(last.requests, 2);
}

#[test]
fn round_trips_can_be_traced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let sidecar = SidecarCommand::new(program(Program::Sidecar))
        .env("ISOLATE_SIDECAR_TRACE", "calls")
        .stderr(File::create(&path).unwrap())
        .spawn()
        .unwrap();
    let session = sidecar
        .session(SessionOptions::default())
        .function("lookUp", CallMode::Sync, Ok)
        .open()
        .unwrap();
    ok(&session, "host.lookUp('a secret argument')");
    session.close().unwrap();
    sidecar.shutdown(Duration::from_secs(1)).unwrap();
    let mut log = String::new();
    File::open(&path).unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("lookUp"), "{log}");
    assert!(!log.contains("secret argument"), "{log}");
}

#[test]
fn an_idle_session_costs_no_time() {
    let sidecar = sidecar();
    let sessions: Vec<_> = (0..5).map(|_| session(&sidecar)).collect();
    sessions.iter().for_each(answers);
    let pid = sidecar.pid().unwrap();
    std::thread::park_timeout(Duration::from_millis(500));
    let before = cpu_ticks(pid);
    std::thread::park_timeout(Duration::from_secs(1));
    let spent = cpu_ticks(pid).saturating_sub(before);
    assert!(spent <= 1, "{spent} ticks");
}

/// Time on the CPU of a process, user and system, in ticks of 10 ms.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    [11, 12]
        .iter()
        .map(|&at| fields[at].parse::<u64>().unwrap())
        .sum()
}

#[test]
fn sessions_that_come_and_go_leave_nothing_behind() {
    let sidecar = sidecar();
    let pid = sidecar.pid().unwrap();
    let churn = |n: u32| {
        for _ in 0..n {
            let session = session(&sidecar);
            answers(&session);
            session.close().unwrap();
        }
    };
    churn(100);
    let before = resident_kib(pid);
    churn(200);
    let after = resident_kib(pid);
    assert!(
        after < before.saturating_add(20 * 1024),
        "{before} KiB, then {after} KiB"
    );
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .count();
    assert!(threads < 16, "{threads} threads");
    let files = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .count();
    assert!(files < 32, "{files} descriptors");
}

fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
