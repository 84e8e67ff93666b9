//! The processes that translate TypeScript: what exhausts or kills one harms nobody else.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e_tests::{answers, error, is_gone_within, json, open, root, session, sidecar, within};
use isolate_sidecar_client::{
    LimitKind, LimitsRequest, Outcome, Session, SessionOptions, Sidecar, import,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const SOON: Duration = Duration::from_secs(2);
/// Twice what the parser has to do, with each more in a row.
const AMBIGUOUS: &str = "a?(b):c=>";

fn project(sidecar: &Sidecar, folder: &Path, limits: LimitsRequest) -> Session {
    for n in 0..4 {
        let slow = format!("/* {n} */ {}", AMBIGUOUS.repeat(40));
        fs::write(folder.join(format!("slow{n}.mts")), slow).unwrap();
        let fine = format!("export default {n} as number;");
        fs::write(folder.join(format!("fine{n}.mts")), fine).unwrap();
    }
    let roots = vec![root(folder, "/app")];
    open(
        sidecar,
        SessionOptions {
            roots,
            limits,
            ..SessionOptions::default()
        },
    )
}

fn imported(session: &Session, name: &str) -> Outcome {
    let specifier = format!("/app/{name}.mts");
    session.execute(import(&specifier)).unwrap().outcome
}

/// The processes of this sidecar that translate.
fn workers(sidecar: &Sidecar) -> Vec<u32> {
    let parent = sidecar.pid().unwrap().to_string();
    let is_worker = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // pid (name) state parent ..
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let lives = fields.next()? != "Z";
        let ours = fields.next()? == parent;
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        (lives && ours && line.ends_with(b"\0translate\0")).then_some(pid)
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(is_worker)
        .collect()
}

fn kill_now(pid: u32) {
    kill(Pid::from_raw(pid.try_into().unwrap()), Signal::SIGKILL).unwrap();
}

/// Waits until a worker translates: it is running, and none of its threads waits.
fn busy_worker(sidecar: &Sidecar) -> u32 {
    let busy = || {
        workers(sidecar).into_iter().find(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' '));
            // Ticks of the CPU in user mode: more than starting takes.
            let ticks = fields.and_then(|mut fields| fields.nth(11)?.parse::<u64>().ok());
            ticks.is_some_and(|ticks| 20 < ticks)
        })
    };
    within(Duration::from_secs(8), busy).unwrap()
}

#[test]
fn there_is_none_before_it_is_needed_and_one_serves_many() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let session = project(&sidecar, folder.path(), LimitsRequest::default());
    answers(&session);
    assert!(workers(&sidecar).is_empty());
    assert_eq!(json(imported(&session, "fine0")), 0);
    let first = workers(&sidecar);
    assert_eq!(first.len(), 1);
    assert_eq!(json(imported(&session, "fine1")), 1);
    assert_eq!(workers(&sidecar), first);
}

#[test]
fn a_text_that_takes_forever_is_an_error_of_its_session() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let hostile = project(&sidecar, folder.path(), LimitsRequest::default());
    let other = project(&sidecar, folder.path(), LimitsRequest::default());
    let slow = hostile.start(import("/app/slow0.mts")).unwrap();
    busy_worker(&sidecar);
    let begun = Instant::now();
    assert_eq!(json(imported(&other, "fine0")), 0);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    let error = error(slow.wait().unwrap().outcome);
    assert_eq!(error.code.as_deref(), Some("ERR_LIMIT_TYPESCRIPT"));
    assert_eq!(error.name, "RangeError");
    assert_eq!(json(imported(&other, "fine1")), 1);
    assert_eq!(json(imported(&hostile, "fine2")), 2);
}

#[test]
fn more_of_them_than_there_are_workers_only_make_others_wait() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let hostile: Vec<Session> = (0..3)
        .map(|_| project(&sidecar, folder.path(), LimitsRequest::default()))
        .collect();
    let other = project(&sidecar, folder.path(), LimitsRequest::default());
    let slow: Vec<_> = hostile
        .iter()
        .zip(["slow0", "slow1", "slow2"])
        .map(|(session, name)| {
            let specifier = format!("/app/{name}.mts");
            session.start(import(&specifier)).unwrap()
        })
        .collect();
    busy_worker(&sidecar);
    assert_eq!(json(imported(&other, "fine0")), 0);
    assert!(workers(&sidecar).len() <= 2);
    for slow in slow {
        let error = error(slow.wait().unwrap().outcome);
        assert_eq!(error.code.as_deref(), Some("ERR_LIMIT_TYPESCRIPT"));
    }
}

#[test]
fn a_worker_that_dies_is_an_error_of_its_text() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let session = project(&sidecar, folder.path(), LimitsRequest::default());
    let slow = session.start(import("/app/slow0.mts")).unwrap();
    kill_now(busy_worker(&sidecar));
    let error = error(slow.wait().unwrap().outcome);
    assert_eq!(error.code.as_deref(), Some("ERR_LIMIT_TYPESCRIPT"));
    assert!(error.message.contains("SIGKILL"), "{error:?}");
    assert_eq!(json(imported(&session, "fine0")), 0);
    // One that dies while nobody needs it is no error at all.
    let idle = workers(&sidecar);
    assert_eq!(idle.len(), 1);
    kill_now(idle[0]);
    assert!(is_gone_within(idle[0], SOON));
    assert_eq!(json(imported(&session, "fine1")), 1);
    assert_ne!(workers(&sidecar), idle);
}

#[test]
fn a_stop_ends_the_wait_for_a_translation() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let session = project(&sidecar, folder.path(), LimitsRequest::default());
    let slow = session.start(import("/app/slow0.mts")).unwrap();
    let worker = busy_worker(&sidecar);
    let begun = Instant::now();
    session.cancel(&slow);
    assert_eq!(slow.wait().unwrap().outcome, Outcome::Cancelled);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert!(is_gone_within(worker, SOON));
    assert_eq!(json(imported(&session, "fine0")), 0);
    let limits = LimitsRequest {
        wall_ms: Some(300),
        ..LimitsRequest::default()
    };
    let short = project(&sidecar, folder.path(), limits);
    let report = e2e_tests::limit(imported(&short, "slow1"));
    assert_eq!(report.which, LimitKind::Wall);
    answers(&short);
    let slow = session.start(import("/app/slow2.mts")).unwrap();
    busy_worker(&sidecar);
    let begun = Instant::now();
    session.close().unwrap();
    drop(slow);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    answers(&e2e_tests::session(&sidecar));
}

#[test]
fn they_end_with_the_sidecar() {
    for busy in [true, false] {
        let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
        let session = project(&sidecar, folder.path(), LimitsRequest::default());
        assert_eq!(json(imported(&session, "fine0")), 0);
        let worker = match busy {
            true => {
                drop(session.start(import("/app/slow0.mts")).unwrap());
                busy_worker(&sidecar)
            }
            false => workers(&sidecar)[0],
        };
        kill_now(sidecar.pid().unwrap());
        assert!(is_gone_within(worker, SOON), "busy: {busy}");
    }
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let used = project(&sidecar, folder.path(), LimitsRequest::default());
    assert_eq!(json(imported(&used, "fine0")), 0);
    let worker = workers(&sidecar)[0];
    drop((used, session(&sidecar)));
    sidecar.close().unwrap();
    assert!(is_gone_within(worker, SOON));
}

#[test]
fn their_time_is_that_of_the_session() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let limits = LimitsRequest {
        cpu_ms: Some(300),
        ..LimitsRequest::default()
    };
    let session = project(&sidecar, folder.path(), limits);
    let ended = session.execute(import("/app/slow0.mts")).unwrap();
    let Outcome::LimitExceeded(report) = ended.outcome else {
        unreachable!("{:?}", ended.outcome);
    };
    assert_eq!((report.which, report.limit), (LimitKind::Cpu, 300));
    assert!(ended.usage.cpu_us >= 300_000, "{:?}", ended.usage);
    assert!(session.stats().unwrap().cpu_us >= 300_000);
    let ended = session.execute(import("/app/fine0.mts")).unwrap();
    assert!(ended.usage.cpu_us < 300_000, "{:?}", ended.usage);
    assert_eq!(json(ended.outcome), 0);
}
