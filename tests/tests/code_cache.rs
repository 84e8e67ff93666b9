//! Compiled code of modules: shared by sessions, kept on disk, and never trusted further than its digest and V8 allow.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use e2e_tests::{Program, json, open, program, root, run_cli, run_program, within};
use host_bridge::blob_cache::{BlobCache, BlobCacheOptions, KEY_BYTES};
use isolate_sidecar_client::{SessionOptions, Sidecar, SidecarCommand, import};
use serde_json::json;

const PATIENCE: Duration = Duration::from_secs(20);

/// A project with an ES module and a CommonJS module that are both worth caching, an entry that imports them, and a cache.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder };
        let padding =
            "// é makes this text one of Latin-1, and it is long enough to be kept outside.\n"
                .repeat(40);
        let wide = "// 漢字 make this one two-byte.\n".repeat(40);
        fs::create_dir(scene.project()).unwrap();
        scene.write(
            "main.mjs",
            "import { twice } from './es.mjs'; import { thrice } from './cjs.cjs'; export default [twice('é'), thrice('漢')];",
        );
        scene.write(
            "es.mjs",
            &format!("{padding}export const twice = (a) => 'é' + a + a;"),
        );
        scene.write(
            "cjs.cjs",
            &format!("{wide}exports.thrice = (a) => '字' + a + a + a;"),
        );
        scene.settle();
        scene
    }

    /// What has just changed is not shared.
    fn settle(&self) {
        std::thread::park_timeout(Duration::from_millis(60));
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

    fn blobs(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.cache().join("code"))
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.retain(|path| path.file_name().unwrap().len() == 64);
        files.sort();
        files
    }

    /// Starts a sidecar, runs the project once, waits until `done` and ends it; gives its log.
    fn run(&self, done: impl Fn(&Scene) -> bool) -> String {
        let log = self.folder.path().join("log");
        let sidecar = SidecarCommand::new(program(Program::Sidecar))
            .args(["--cache-dir", self.cache().to_str().unwrap()])
            .env("ISOLATE_SIDECAR_LOG", "debug")
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        load(&sidecar, &self.project());
        load(&sidecar, &self.project());
        within(PATIENCE, || done(self).then_some(())).unwrap();
        sidecar.shutdown(PATIENCE).unwrap();
        self.log()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Whether a batch is finished: it is told after its last blob was written.
    fn has_made(&self) -> bool {
        self.log().contains(MADE)
    }
}

#[track_caller]
fn load(sidecar: &Sidecar, project: &Path) {
    let session = open(
        sidecar,
        SessionOptions {
            roots: vec![root(project, "/app")],
            cwd: "/app".to_owned(),
            ..SessionOptions::default()
        },
    );
    let outcome = session.execute(import("./main.mjs")).unwrap().outcome;
    assert_eq!(json(outcome), json!(["ééé", "字漢漢漢"]));
    session.close().unwrap();
}

fn key_of(path: &Path) -> [u8; KEY_BYTES] {
    let name = path.file_name().unwrap().to_str().unwrap();
    let byte = |at: usize| name.get(at..at.saturating_add(2)).unwrap();
    let bytes: Vec<u8> = (0..name.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(byte(at), 16).unwrap())
        .collect();
    bytes.try_into().unwrap()
}

const MADE: &str = "compiled for later sessions";

#[test]
fn code_is_made_once_and_serves_the_next_process() {
    let scene = Scene::new();
    let log = scene.run(|scene| scene.blobs().len() == 2 && scene.has_made());
    assert_eq!(log.matches(MADE).count(), 1, "{log}");
    let log = scene.run(|_| true);
    assert!(!log.contains(MADE), "{log}");
    assert_eq!(scene.blobs().len(), 2);

    let blank = " ".repeat(2000);
    scene.write(
        "es.mjs",
        &format!("{blank}export const twice = (a) => 'é' + a + a;"),
    );
    scene.settle();
    let log = scene.run(|scene| scene.blobs().len() == 3 && scene.has_made());
    assert_eq!(
        log.matches(MADE).count(),
        1,
        "a changed file has code of its own: {log}"
    );
}

#[test]
fn damaged_code_is_a_miss() {
    let scene = Scene::new();
    scene.run(|scene| scene.blobs().len() == 2);
    let whole: Vec<Vec<u8>> = scene
        .blobs()
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    for path in scene.blobs() {
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&path, bytes).unwrap();
    }
    scene.run(|scene| {
        let now: Vec<Vec<u8>> = scene
            .blobs()
            .iter()
            .map(|path| fs::read(path).unwrap())
            .collect();
        now == whole
    });
}

/// Whoever may write to the directory may run code, so it is closed to others; what an older or another engine left there must
/// do no harm all the same.
#[test]
fn code_that_v8_refuses_is_compiled_again() {
    let scene = Scene::new();
    scene.run(|scene| scene.blobs().len() == 2);
    let cache =
        BlobCache::open(&scene.cache().join("code"), BlobCacheOptions::new(1 << 30)).unwrap();
    for path in scene.blobs() {
        let key = key_of(&path);
        let mut code = cache.get(&key).unwrap();
        // V8's header: a magic number, its version, a hash of the source, one of the flags.
        code[4] ^= 0xff;
        cache.put(&key, &code).unwrap();
    }
    let log = scene.run(|_| true);
    assert_eq!(
        log.matches("V8 refused the compiled code").count(),
        2,
        "{log}"
    );
    for (path, length) in scene.blobs().iter().zip([0, 7]) {
        let key = key_of(path);
        let code = cache.get(&key).unwrap();
        cache.put(&key, &code[..length]).unwrap();
    }
    let log = scene.run(|_| true);
    assert_eq!(
        log.matches("V8 refused the compiled code").count(),
        2,
        "{log}"
    );
}

#[test]
fn a_directory_that_cannot_be_used_is_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let ran = run_program(
        &program(Program::Sidecar),
        &["serve", "--cache-dir", file.to_str().unwrap()],
        b"",
    );
    assert_eq!(ran.code, 74, "{ran:?}");
    assert!(
        ran.stderr.contains("--cache-dir") && ran.stderr.contains("EEXIST"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn a_run_can_keep_compiled_code() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let ran = run_cli(&["-e", "1 + 1", "--cache-dir", cache.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "2"), "{ran:?}");
    assert!(cache.join("code").is_dir());
}
