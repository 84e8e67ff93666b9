//! The programs under test: found beside the test, built when need be.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Names a folder with programs that are taken as they are.
const PROGRAMS: &str = "ISOLATE_SIDECAR_PROGRAMS";
/// Folders of the workspace that programs are built from.
const SOURCES: [&str; 8] = [
    "protocol/src",
    "host-bridge/src",
    "runtime/src",
    "runtime/js",
    "runtime/builtins/src",
    "clients/rust/src",
    "sidecar/src",
    "bench/src",
];

/// A program of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The sidecar.
    Sidecar,
    /// The demonstration.
    Demo,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Sidecar => "isolate-sidecar",
            Program::Demo => "demo",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Program::Sidecar => "sidecar",
            Program::Demo => "sidecar-bench",
        }
    }
}

/// The path of a program that is up to date.
pub fn program(program: Program) -> PathBuf {
    if let Some(folder) = named_folder() {
        return folder.join(program.name());
    }
    // target/PROFILE/deps/TEST
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join(program.name());
    let stamp = folder.join(format!(".{}-built", program.name()));
    if !is_current(&path, &stamp) {
        let lock = File::create(folder.join(".e2e-build-lock")).unwrap();
        lock.lock().unwrap();
        // Another test may have built it meanwhile.
        if !is_current(&path, &stamp) {
            build(program, folder);
            fs::write(&stamp, "").unwrap();
        }
    }
    path
}

#[expect(
    clippy::disallowed_methods,
    reason = "configures a test run, not a program"
)]
fn named_folder() -> Option<PathBuf> {
    std::env::var_os(PROGRAMS).map(PathBuf::from)
}

/// Whether the program is there and no source has changed since it was built. The stamp
/// counts for sources that changed without a change of the program.
fn is_current(program: &Path, stamp: &Path) -> bool {
    let Some(built) = modified(program) else {
        return false;
    };
    let built = modified(stamp).map_or(built, |stamp| built.max(stamp));
    let workspace = workspace();
    !SOURCES
        .iter()
        .any(|folder| has_newer(&workspace.join(folder), built))
}

fn has_newer(folder: &Path, than: SystemTime) -> bool {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(Result::unwrap).any(|entry| {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => has_newer(&path, than),
            // A file may be gone again, as those of editors are.
            false => modified(&path).is_some_and(|changed| than < changed),
        }
    })
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "builds the program that is tested"
)]
fn build(program: Program, folder: &Path) {
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => panic!("{} is no folder of cargo's", folder.display()),
    };
    let package = program.package();
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--package",
            package,
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(folder.parent().unwrap())
        .current_dir(workspace())
        .status()
        .unwrap();
    assert!(
        status.success(),
        "run `cargo build -p {package}` first: it fails"
    );
}

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}
