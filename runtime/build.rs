//! Bundles what the built-in modules take from npm into scripts that the runtime embeds: `builtins/`. npm is called where
//! its lock file differs from the one that was installed last, and needs its registry then, once; the rest works without.
//! Also tells the runtime which sources it was built from, for snapshots of another build are of no use to it.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a build script talks to cargo through its output and its environment, and starts npm and node"
)]

use std::fmt;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What the scripts are made of, below `builtins/`.
const SOURCES: [&str; 4] = ["package.json", "package-lock.json", "bundle.mjs", "src"];
/// The scripts.
const SCRIPTS: [&str; 4] = ["fetch.js", "punycode.js", "stream.js", "web-streams.js"];
/// Where all is that decides what a snapshot is, seen from the crate.
const SNAPSHOT_SOURCES: [&str; 7] = [
    "src",
    "js",
    "builtins/src",
    "builtins/package-lock.json",
    "../host-bridge/src",
    "../protocol/src",
    "../Cargo.lock",
];

/// Why there are no scripts.
#[derive(Debug)]
enum Failure {
    Environment(&'static str),
    Io(PathBuf, std::io::Error),
    Missing(&'static str, std::io::Error),
    Npm,
    Bundle,
    NotAscii(PathBuf),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Environment(name) => write!(f, "cargo has not set {name}"),
            Failure::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Failure::Missing(program, error) => write!(
                f,
                "`{program}` cannot be started ({error}). The build takes a part of the built-in modules from npm: \
                 install Node.js 20 or later with npm (on Debian: apt-get install nodejs npm) and build again"
            ),
            Failure::Npm => write!(
                f,
                "`npm ci` failed in runtime/builtins. It needs a registry, once: after that, builds work without one. \
                 On a machine that has none, copy runtime/builtins/node_modules from one that has built this version"
            ),
            Failure::Bundle => write!(f, "`node bundle.mjs` failed in runtime/builtins"),
            Failure::NotAscii(path) => write!(f, "{} is not ASCII", path.display()),
        }
    }
}

fn main() -> ExitCode {
    match tell_sources().and_then(|()| make_scripts()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn make_scripts() -> Result<(), Failure> {
    let project = folder("CARGO_MANIFEST_DIR")?.join("builtins");
    let out = folder("OUT_DIR")?;
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", project.join(source).display());
    }
    let bundled = out.join("bundled");
    let sources = word_of(&project, &SOURCES)?;
    if fs::read_to_string(&bundled).is_ok_and(|bundled| bundled == sources) {
        return Ok(());
    }
    // Another build may be here at the same time, for another profile or target.
    let manifest = project.join("package.json");
    let lock = File::open(&manifest).map_err(|error| Failure::Io(manifest.clone(), error))?;
    lock.lock().map_err(|error| Failure::Io(manifest, error))?;
    install(&project)?;
    let status = Command::new("node")
        .arg("bundle.mjs")
        .arg(&out)
        .current_dir(&project)
        .status()
        .map_err(|error| Failure::Missing("node", error))?;
    if !status.success() {
        return Err(Failure::Bundle);
    }
    SCRIPTS
        .iter()
        .try_for_each(|script| check(&out.join(script)))?;
    fs::write(&bundled, sources).map_err(|error| Failure::Io(bundled, error))
}

/// Sets `ISOLATE_SIDECAR_SOURCES`, one word for names and contents of all [`SNAPSHOT_SOURCES`].
fn tell_sources() -> Result<(), Failure> {
    let crate_folder = folder("CARGO_MANIFEST_DIR")?;
    for source in SNAPSHOT_SOURCES {
        println!(
            "cargo:rerun-if-changed={}",
            crate_folder.join(source).display()
        );
    }
    let word = word_of(&crate_folder, &SNAPSHOT_SOURCES)?;
    println!("cargo:rustc-env=ISOLATE_SIDECAR_SOURCES={word}");
    Ok(())
}

/// One word for names and contents of files and whole folders.
fn word_of(folder: &Path, sources: &[&str]) -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    for source in sources {
        hash(&folder.join(source), source, &mut hasher)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn hash(path: &Path, name: &str, hasher: &mut DefaultHasher) -> Result<(), Failure> {
    let failed = |error| Failure::Io(path.to_owned(), error);
    hasher.write(name.as_bytes());
    if !path.is_dir() {
        hasher.write(&fs::read(path).map_err(failed)?);
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(failed)?.flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        hash(&path.join(&name), &name.to_string_lossy(), hasher)?;
    }
    Ok(())
}

fn folder(name: &'static str) -> Result<PathBuf, Failure> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .ok_or(Failure::Environment(name))
}

/// As `make npm` does it.
fn install(project: &Path) -> Result<(), Failure> {
    let lock = project.join("package-lock.json");
    let installed = project.join("node_modules/.installed-lock.json");
    let wanted = fs::read(&lock).map_err(|error| Failure::Io(lock.clone(), error))?;
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!(
        "cargo:warning=npm ci in runtime/builtins: its packages are not those of package-lock.json"
    );
    let status = Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        .current_dir(project)
        .stdout(std::io::stderr())
        .status()
        .map_err(|error| Failure::Missing("npm", error))?;
    if !status.success() {
        return Err(Failure::Npm);
    }
    fs::write(&installed, wanted).map_err(|error| Failure::Io(installed, error))
}

/// The runtime embeds Latin-1 and promises ASCII.
fn check(script: &Path) -> Result<(), Failure> {
    let text = fs::read(script).map_err(|error| Failure::Io(script.to_owned(), error))?;
    match text.is_ascii() {
        true => Ok(()),
        false => Err(Failure::NotAscii(script.to_owned())),
    }
}
