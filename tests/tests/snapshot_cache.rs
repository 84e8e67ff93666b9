//! Snapshots on disk: one build for many sidecars and many starts, and never anything but what a build would give now, whatever
//! became of the files, of the builder and of the disk.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use e2e_tests::{Program, child_of, json, open, program, root, within};
use isolate_sidecar_client::{
    Isolation, Reason, RequestError, SessionOptions, Sidecar, SidecarCommand, SnapshotReady,
    SnapshotSpec, import,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(40);
const N_SIDECARS: usize = 8;
/// Files that are too new are read again instead of believed.
const SETTLED: Duration = Duration::from_millis(60);

/// A small SDK, and a directory for a cache that does not exist yet.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(scene.project().join("node_modules/dep/lib")).unwrap();
        scene.write("sdk.mjs", "import { value } from 'dep'; import cjs from './part.cjs'; export default [value, cjs];");
        scene.write("part.cjs", "module.exports = require('./data');");
        scene.write("data.json", "\"data\"");
        scene.write(
            "node_modules/dep/package.json",
            r#"{ "type": "module", "main": "./lib/index.js" }"#,
        );
        scene.write(
            "node_modules/dep/lib/index.js",
            "export const value = 'one';",
        );
        std::thread::park_timeout(SETTLED);
        scene
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.project().join(name), text).unwrap();
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn sidecar(&self) -> Sidecar {
        self.sidecar_of(&program(Program::Sidecar))
    }

    fn sidecar_of(&self, program: &Path) -> Sidecar {
        SidecarCommand::new(program)
            .args(["--cache-dir", self.cache().to_str().unwrap()])
            .patience(PATIENCE)
            .spawn()
            .unwrap()
    }

    fn spec(&self) -> SnapshotSpec {
        SnapshotSpec {
            roots: vec![root(&self.project(), "/app")],
            entries: vec!["./sdk.mjs".to_owned()],
            cwd: "/app".to_owned(),
            ..SnapshotSpec::default()
        }
    }

    /// Makes the snapshot and checks what a session from it has.
    #[track_caller]
    fn warm(&self, sidecar: &Sidecar, expected: [&str; 2]) -> SnapshotReady {
        let ready = sidecar.warm_snapshot(self.spec()).unwrap();
        let options = SessionOptions {
            snapshot: Some(ready.key),
            roots: vec![root(&self.project(), "/app")],
            cwd: "/app".to_owned(),
            ..SessionOptions::default()
        };
        let session = open(sidecar, options);
        let outcome = session.execute(import("./sdk.mjs")).unwrap().outcome;
        assert_eq!(json(outcome), json!(expected));
        let stats = session.close().unwrap();
        assert_eq!(stats.modules_from_reader, 0, "{stats:?}");
        ready
    }

    /// As [`Scene::warm`], in a sidecar that has just been started.
    #[track_caller]
    fn warm_anew(&self, expected: [&str; 2]) -> SnapshotReady {
        self.warm(&self.sidecar(), expected)
    }

    /// Files of the cache but for that of the locks.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache().join("snapshots"))
            .unwrap()
            .flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| path.file_name().unwrap() != "lock");
        files
    }

    fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files.into_iter().next().unwrap()
    }
}

/// The process that makes a snapshot for `sidecar`.
fn builder_of(sidecar: &Sidecar) -> Option<Pid> {
    child_of(sidecar.pid()?, "build-snapshot").map(Pid::from_raw)
}

#[test]
fn the_next_process_builds_nothing() {
    let scene = Scene::new();
    let first = scene.sidecar();
    let built = scene.warm(&first, ["one", "data"]);
    assert!(!built.from_cache && !built.reused, "{built:?}");
    assert_eq!(built.files, 5, "{built:?}");
    let again = scene.warm(&first, ["one", "data"]);
    assert!(again.from_cache && again.reused, "{again:?}");
    let next = scene.warm_anew(["one", "data"]);
    assert!(next.from_cache && !next.reused, "{next:?}");
    let told = |ready: &SnapshotReady| {
        (
            ready.key,
            ready.bytes,
            ready.modules,
            ready.build_us,
            ready.files,
        )
    };
    assert_eq!(told(&next), told(&built));
    assert_eq!(told(&again), told(&built));
}

#[test]
fn sessions_in_processes_of_their_own_start_from_it_too() {
    let scene = Scene::new();
    scene.warm_anew(["one", "data"]);
    let sidecar = scene.sidecar();
    let ready = sidecar.warm_snapshot(scene.spec()).unwrap();
    assert!(ready.from_cache, "{ready:?}");
    for _ in 0..2 {
        let options = SessionOptions {
            snapshot: Some(ready.key),
            roots: vec![root(&scene.project(), "/app")],
            cwd: "/app".to_owned(),
            isolation: Isolation::Process,
            ..SessionOptions::default()
        };
        let session = open(&sidecar, options);
        let outcome = session.execute(import("./sdk.mjs")).unwrap().outcome;
        assert_eq!(json(outcome), json!(["one", "data"]));
        assert_eq!(session.close().unwrap().modules_from_reader, 0);
    }
}

#[test]
fn one_of_many_sidecars_builds() {
    let scene = Scene::new();
    let sidecars: Vec<Sidecar> = (0..N_SIDECARS).map(|_| scene.sidecar()).collect();
    let ready: Vec<SnapshotReady> = std::thread::scope(|scope| {
        let warming: Vec<_> = sidecars
            .iter()
            .map(|sidecar| scope.spawn(|| scene.warm(sidecar, ["one", "data"])))
            .collect();
        warming
            .into_iter()
            .map(|warmed| warmed.join().unwrap())
            .collect()
    });
    let n_built = ready.iter().filter(|ready| !ready.from_cache).count();
    assert_eq!(n_built, 1);
    assert!(ready.iter().all(|other| other.key == ready[0].key));
    scene.file();
}

#[test]
fn what_changes_a_build_makes_a_new_snapshot() {
    type Change = fn(&Scene);
    let changes: [(Change, [&str; 2]); 6] = [
        (
            |scene| scene.write("data.json", "\"more\""),
            ["one", "more"],
        ),
        // Same length, same second: the time of change tells.
        (
            |scene| {
                scene.write(
                    "node_modules/dep/lib/index.js",
                    "export const value = 'two';",
                )
            },
            ["two", "more"],
        ),
        // What was looked for in vain is there: `require('./data')` finds this first.
        (
            |scene| scene.write("data.js", "module.exports = 'first';"),
            ["two", "first"],
        ),
        (
            |scene| {
                scene.write(
                    "node_modules/dep/package.json",
                    r#"{ "type": "module", "exports": "./lib/other.js" }"#,
                )
            },
            ["three", "first"],
        ),
        (
            |scene| fs::remove_file(scene.project().join("data.js")).unwrap(),
            ["three", "more"],
        ),
        (
            |scene| {
                scene.write("other-part.cjs", "module.exports = 'by link';");
                fs::remove_file(scene.project().join("part.cjs")).unwrap();
                symlink("other-part.cjs", scene.project().join("part.cjs")).unwrap();
            },
            ["three", "by link"],
        ),
    ];
    let scene = Scene::new();
    scene.write(
        "node_modules/dep/lib/other.js",
        "export const value = 'three';",
    );
    let mut key = scene.warm_anew(["one", "data"]).key;
    for (position, (change, expected)) in (0..).zip(changes) {
        change(&scene);
        std::thread::park_timeout(SETTLED);
        let ready = scene.warm_anew(expected);
        assert!(
            !ready.from_cache && ready.key != key,
            "change {position}: {ready:?}"
        );
        key = ready.key;
        scene.file();
    }
}

#[test]
fn what_changes_no_build_is_used_again() {
    let scene = Scene::new();
    scene.warm_anew(["one", "data"]);
    scene.write("unrelated.js", "export {}");
    // Written anew with what it had, as by a copy: read once more, and then believed again.
    scene.write("data.json", "\"data\"");
    std::thread::park_timeout(SETTLED);
    assert!(scene.warm_anew(["one", "data"]).from_cache);
    let renewed = fs::read(scene.file()).unwrap();
    assert!(scene.warm_anew(["one", "data"]).from_cache);
    assert_eq!(fs::read(scene.file()).unwrap(), renewed);
}

#[test]
fn what_is_damaged_or_foreign_is_built_again() {
    let scene = Scene::new();
    scene.warm_anew(["one", "data"]);
    let path = scene.file();
    let whole = fs::read(&path).unwrap();
    let last = whole.len() - 1;
    // The mark, the digest, the answer, the header of the blob, its middle and its end.
    let flipped = [0, 20, 44, 60, 2000, last / 2, last].map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    });
    let cut = [0, 7, 40, 41, last / 2, last].map(|at| whole[..at].to_vec());
    let longer = [&whole[..], b"x"].concat();
    for (position, bytes) in flipped.into_iter().chain(cut).chain([longer]).enumerate() {
        fs::write(&path, bytes).unwrap();
        let ready = scene.warm_anew(["one", "data"]);
        assert!(!ready.from_cache, "damage {position}");
        assert!(
            fs::read(scene.file()).unwrap().len() >= last / 2,
            "damage {position}"
        );
    }
    assert!(scene.warm_anew(["one", "data"]).from_cache);
    let other = SnapshotSpec {
        script: Some("globalThis.other = 1".to_owned()),
        ..scene.spec()
    };
    scene.sidecar().warm_snapshot(other).unwrap();
    let mut files = scene.files();
    files.retain(|file| *file != path);
    fs::copy(&files[0], &path).unwrap();
    assert!(!scene.warm_anew(["one", "data"]).from_cache);
}

#[test]
fn a_builder_that_is_killed_at_any_point_leaves_nothing_behind() {
    let scene = Scene::new();
    let sidecar = scene.sidecar();
    let mut seed: u64 = 0x5eed;
    for _ in 0..6 {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let point = Duration::from_millis((seed >> 33) % 600);
        let warmed = std::thread::scope(|scope| {
            let warmed = scope.spawn(|| sidecar.warm_snapshot(scene.spec()));
            let builder = within(PATIENCE, || builder_of(&sidecar)).unwrap();
            std::thread::park_timeout(point);
            // The error is that it has ended.
            let _ = kill(builder, Signal::SIGKILL);
            warmed.join().unwrap()
        });
        match warmed {
            Ok(_) => fs::remove_file(scene.file()).unwrap(),
            Err(RequestError::Refused {
                reason, message, ..
            }) => {
                assert_eq!(reason, Reason::SnapshotFailed);
                assert!(message.contains("SIGKILL"), "{message}");
                assert_eq!(scene.files().len(), 0);
            }
            other => panic!("{other:?}"),
        }
        scene.write("data.json", &format!("\"{seed}\""));
    }
    scene.write("data.json", "\"end\"");
    assert!(!scene.warm(&sidecar, ["one", "end"]).from_cache);
    assert!(scene.warm_anew(["one", "end"]).from_cache);
}

#[test]
fn who_waits_for_a_sidecar_that_dies_takes_over() {
    let scene = Scene::new();
    scene.write(
        "slow.mjs",
        "for (const end = Date.now() + 600; Date.now() < end;); export default 1;",
    );
    let spec = SnapshotSpec {
        entries: vec!["./slow.mjs".to_owned()],
        ..scene.spec()
    };
    let (first, second) = (scene.sidecar(), scene.sidecar());
    std::thread::scope(|scope| {
        let lost = scope.spawn(|| first.warm_snapshot(spec.clone()));
        within(PATIENCE, || builder_of(&first)).unwrap();
        let taken_over = scope.spawn(|| second.warm_snapshot(spec.clone()));
        std::thread::park_timeout(Duration::from_millis(100));
        assert_eq!(builder_of(&second), None, "the second waits");
        let pid = i32::try_from(first.pid().unwrap()).unwrap();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
        lost.join().unwrap().unwrap_err();
        assert!(!taken_over.join().unwrap().unwrap().from_cache);
    });
    scene.file();
}

#[test]
fn a_disk_that_is_full_costs_the_cache_and_nothing_else() {
    let scene = Scene::new();
    let limited = scene.folder.path().join("limited");
    let text = format!(
        "#!/bin/sh\nulimit -f 200\nexec '{}' \"$@\"\n",
        program(Program::Sidecar).display()
    );
    fs::write(&limited, text).unwrap();
    fs::set_permissions(&limited, fs::Permissions::from_mode(0o700)).unwrap();
    let sidecar = scene.sidecar_of(&limited);
    let ready = scene.warm(&sidecar, ["one", "data"]);
    assert!(!ready.from_cache && ready.bytes > 200 * 512, "{ready:?}");
    assert_eq!(scene.files().len(), 0);
    assert!(
        scene.warm(&sidecar, ["one", "data"]).from_cache,
        "it is in memory"
    );
    assert!(!scene.warm_anew(["one", "data"]).from_cache);
    assert!(
        scene
            .warm(&scene.sidecar_of(&limited), ["one", "data"])
            .from_cache,
        "reading takes no room"
    );
}
