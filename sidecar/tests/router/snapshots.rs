//! `WarmSnapshot`, with small shell scripts in place of the child that builds.

use std::fs;
use std::path::PathBuf;

use bytes::Bytes;
use host_bridge::{BuiltSnapshot, SnapshotImage, SnapshotReport};
use protocol::frame::{SnapshotReady, WarmSnapshot};
use protocol::{LimitsRequest, Reason, SidecarFrame, SnapshotKey};
use sidecar::{ChildCommand, write_failure, write_image};

use crate::support::{Host, open};

pub fn warm(entry: &str) -> WarmSnapshot {
    WarmSnapshot {
        roots: Vec::new(),
        entries: vec![entry.to_owned()],
        script: None,
        env: Vec::new(),
        argv: Vec::new(),
        cwd: "/".to_owned(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        limits: LimitsRequest::default(),
    }
}

/// A directory of its own for each test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("sidecar-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A file with the result of a good build.
    fn image(&self) -> String {
        let image = SnapshotImage {
            key: SnapshotKey([9; 32]),
            blob: Bytes::from_static(b"blob"),
            modules: Vec::new(),
            entries: Default::default(),
            cwd: "/".to_owned(),
            is_mapped: false,
        };
        let report = SnapshotReport {
            build_us: 11,
            evaluate_us: 5,
            modules: 3,
            files: 4,
        };
        let built = BuiltSnapshot {
            image,
            report,
            seen: None,
        };
        let path = self.path("image");
        write_image(&mut fs::File::create(&path).unwrap(), &built).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A sidecar whose snapshots are "built" by a shell script.
fn host(script: &str) -> Host {
    Host::start_with(|config| {
        config.builder = ChildCommand {
            program: "/bin/sh".into(),
            args: vec!["-c".to_owned(), format!("cat > /dev/null\n{script}")],
        };
    })
}

#[track_caller]
fn expect_ready(host: &mut Host, request: u64) -> SnapshotReady {
    match host.expect(0, request) {
        SidecarFrame::SnapshotReady(ready) => ready,
        other => panic!("{} and no SnapshotReady", other.kind()),
    }
}

#[test]
fn a_snapshot_is_built_and_sessions_start_from_it() {
    let scratch = Scratch::new("built");
    let mut host = host(&format!("cat {}", scratch.image()));
    host.send(0, 2, warm("sdk"));
    let ready = expect_ready(&mut host, 2);
    assert_eq!((ready.bytes, ready.modules), (4, 3));
    assert_eq!((ready.build_us, ready.evaluate_us), (11, 5));
    assert_eq!(
        (ready.files, ready.reused, ready.from_cache),
        (4, false, false)
    );
    let mut frame = open(&[]);
    frame.snapshot = Some(ready.key);
    host.send(1, 1, frame);
    assert!(matches!(host.expect(1, 1), SidecarFrame::SessionOpened(_)));
    assert_eq!(host.process_stats().snapshots, 1);
    // Built again, for files may have changed; with the same content it is the same.
    host.send(0, 3, warm("sdk"));
    assert!(expect_ready(&mut host, 3).reused);
    assert_eq!(host.process_stats().snapshots, 1);
}

#[test]
fn why_it_failed_is_told() {
    let scratch = Scratch::new("failed");
    let path = scratch.path("failure");
    let message = "Cannot find package 'sdk'".to_owned();
    write_failure(
        &mut fs::File::create(&path).unwrap(),
        Reason::SnapshotFailed,
        message.clone(),
    )
    .unwrap();
    let mut host = host(&format!("cat {path}; exit 1"));
    host.send(0, 2, warm("sdk"));
    let refused = host.expect_refused(0, 2, Reason::SnapshotFailed);
    assert_eq!(refused.message, message);
}

#[test]
fn how_the_child_died_is_told() {
    for (script, words) in [
        ("kill -SEGV $$", "killed by signal 11 (SIGSEGV)"),
        ("exit 74", "exit code 74"),
        ("echo nonsense", "cut short"),
        ("true", "cut short"),
    ] {
        let mut host = host(script);
        host.send(0, 2, warm("sdk"));
        let refused = host.expect_refused(0, 2, Reason::SnapshotFailed);
        assert!(refused.message.contains(words), "{}", refused.message);
        host.open(1);
    }
}

#[test]
fn a_program_that_cannot_be_run_is_told() {
    let mut host = Host::start_with(|config| {
        config.builder.program = "/nonexistent".into();
    });
    host.send(0, 2, warm("sdk"));
    host.expect_refused(0, 2, Reason::SnapshotFailed);
}

#[test]
fn a_build_without_end_is_killed() {
    let mut host = host("exec sleep 1000");
    let mut spec = warm("sdk");
    spec.limits.wall_ms = Some(1);
    host.send(0, 2, spec);
    let refused = host.expect_refused(0, 2, Reason::SnapshotFailed);
    assert!(refused.message.contains("wall_ms"), "{}", refused.message);
}

#[test]
fn equal_specs_share_one_build() {
    let scratch = Scratch::new("shared");
    let (image, lines) = (scratch.image(), scratch.path("lines"));
    let go = scratch.path("go");
    nix::unistd::mkfifo(go.as_str(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut host = host(&format!("echo built >> {lines}; cat {go}; cat {image}"));
    host.send(0, 2, warm("sdk"));
    host.send(0, 3, warm("sdk"));
    host.send(0, 3, warm("other"));
    host.expect_refused(0, 3, Reason::DuplicateRequest);
    // Opening waits until the child reads.
    drop(fs::OpenOptions::new().write(true).open(&go).unwrap());
    assert!(!expect_ready(&mut host, 2).reused);
    assert!(expect_ready(&mut host, 3).reused);
    assert_eq!(fs::read_to_string(&lines).unwrap(), "built\n");
}

#[test]
fn builds_at_and_above_the_limit() {
    let mut host = host("exec sleep 1000");
    let (n_running, n_waiting) = (2, 16);
    for n in 0..n_running + n_waiting {
        host.send(0, 10 + n, warm(&format!("sdk{n}")));
    }
    host.send(0, 99, warm("one more"));
    host.expect_refused(0, 99, Reason::Busy);
    // An equal one needs no further build.
    host.send(0, 100, warm("sdk0"));
    host.send(0, 9, protocol::frame::Shutdown { grace_ms: 1 });
    for n in (0..n_running + n_waiting).chain([90]) {
        host.expect_refused(0, 10 + n, Reason::ShuttingDown);
    }
    host.expect_go_away(Reason::ShuttingDown, sidecar::ExitCode::Clean);
}

#[test]
fn arguments_that_make_no_sense() {
    let mut host = host("true");
    let mut spec = warm("sdk");
    spec.entries.clear();
    host.send(0, 2, spec);
    host.expect_refused(0, 2, Reason::InvalidArgument);
    let mut spec = warm("sdk");
    spec.cwd = String::new();
    host.send(0, 2, spec);
    host.expect_refused(0, 2, Reason::InvalidArgument);
}
