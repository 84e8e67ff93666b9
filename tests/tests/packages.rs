//! Packages of npm: for each a small program imports it, another one requires it, and a session must do with them what
//! Node does. What holds is in docs/PACKAGES.md, a row for each package; with `UPDATE=1` in the environment the rows
//! are written anew.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e_tests::{fixtures, root, sidecar};
use isolate_sidecar_client::{Outcome, SessionOptions, Transcript, Until, import};

const MAX_OUTPUT: usize = 1 << 20;

/// Where the rows begin.
const HEADING: &str = "| package | version | `import` | `require` |\n|---|---|---|---|\n";

/// A test for each package: the name of its programs, with `_` for `-` and `.`, and the name of the package.
macro_rules! packages {
    ($($name:ident $package:literal)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $package);
            }
        )*

        #[test]
        fn every_program_has_its_test_and_its_row() {
            let tests = BTreeSet::from([$(stringify!($name).to_owned()),*]);
            let programs = fs::read_dir(project().join("src")).unwrap();
            let programs = programs.map(|entry| test_name(&entry.unwrap().path()));
            assert_eq!(tests, programs.collect());

            if is_updating() {
                return;
            }
            let packages = BTreeSet::from([$($package.to_owned()),*]);
            let document = fs::read_to_string(document()).unwrap();
            let (_, rows) = document.split_once(HEADING).unwrap();
            let rows = rows.lines().map(|row| row.split('|').nth(1).unwrap().trim().to_owned());
            assert_eq!(packages, rows.collect());
        }
    };
}

packages! {
    acorn "acorn"
    ai "ai"
    ajv "ajv"
    anthropic_sdk "@anthropic-ai/sdk"
    axios "axios"
    chalk "chalk"
    commander "commander"
    date_fns "date-fns"
    esprima "esprima"
    express "express"
    graceful_fs "graceful-fs"
    highlight_js "highlight.js"
    immer "immer"
    lodash "lodash"
    lodash_es "lodash-es"
    mcp_sdk "@modelcontextprotocol/sdk"
    nanoid "nanoid"
    openai "openai"
    prettier "prettier"
    react_dom "react-dom"
    rxjs "rxjs"
    semver "semver"
    typescript "typescript"
    uuid "uuid"
    yaml "yaml"
    zod "zod"
}

fn project() -> PathBuf {
    fixtures().join("packages")
}

fn document() -> PathBuf {
    fixtures().parent().unwrap().join("docs/PACKAGES.md")
}

/// `src/highlight.js.mjs` is tested by `highlight_js`.
fn test_name(program: &Path) -> String {
    let name = program.file_stem().unwrap().to_str().unwrap();
    name.replace(['-', '.'], "_")
}

#[track_caller]
fn check(test: &str, package: &str) {
    let (imported, import_log) = compare(test, "mjs");
    let (required, require_log) = compare(test, "cjs");
    let version = version(package);
    let row = format!("| {package} | {version} | {imported} | {required} |");
    if is_updating() {
        write_row(package, &row);
    }
    let document = fs::read_to_string(document()).unwrap();
    assert!(
        document.lines().any(|line| line == row),
        "not in docs/PACKAGES.md: {row}\n{import_log}{require_log}"
    );
}

/// What the table says of a program, and what was seen where it is not well.
fn compare(test: &str, extension: &str) -> (String, String) {
    let mut programs = fs::read_dir(project().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let program = programs
        .find(|path| path.extension().unwrap() == extension && test_name(path) == test)
        .unwrap();
    let expected = written_in_node(&program);
    let (seen, failure) = written_in_session(&program);
    let log = format!("--- {extension}: seen\n{seen}\n--- expected\n{expected}\n");
    match failure {
        Some(failure) => (format!("fails: {failure}"), log),
        None if seen == expected => ("works".to_owned(), String::new()),
        None => ("differs from Node".to_owned(), log),
    }
}

#[expect(clippy::disallowed_methods, reason = "asks the model of what is right")]
fn written_in_node(program: &Path) -> String {
    let ran = Command::new("node")
        .arg(program)
        .env_remove("NODE_OPTIONS")
        .output()
        .unwrap();
    let errors = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{errors}");
    String::from_utf8(ran.stdout).unwrap() + &errors
}

/// All that the guest writes, and how it failed.
fn written_in_session(program: &Path) -> (String, Option<String>) {
    let name = program.file_name().unwrap().to_str().unwrap();
    let sidecar = sidecar();
    let transcript = Transcript::new(MAX_OUTPUT);
    let session = sidecar
        .session(SessionOptions {
            roots: vec![root(&project(), "/app")],
            argv: vec!["/usr/bin/node".to_owned(), format!("/app/src/{name}")],
            ..SessionOptions::default()
        })
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    let mut execute = import(format!("/app/src/{name}"));
    execute.until = Until::Drained;
    let outcome = session.execute(execute).unwrap().outcome;
    let written = transcript.take_text();
    match outcome {
        Outcome::Ok(_) => (written, None),
        Outcome::Exception(error) => {
            let (first, _) = error.stack.split_once('\n').unwrap_or((&error.stack, ""));
            let failure = format!("`{}`", first.replace('|', "\\|"));
            (
                format!("{written}Uncaught {}\n", error.stack),
                Some(failure),
            )
        }
        other => (written, Some(format!("{other:?}"))),
    }
}

/// The version that is installed.
fn version(package: &str) -> String {
    let manifest = project().join("node_modules").join(package);
    let manifest = fs::read(manifest.join("package.json"));
    let manifest = manifest.expect("the packages are installed: `make npm`");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let version = manifest.get("version").and_then(|version| version.as_str());
    version.unwrap().to_owned()
}

/// Puts the row of a package in its place; other tests do the same with theirs.
fn write_row(package: &str, row: &str) {
    let lock = File::open(project().join("package.json")).unwrap();
    lock.lock().unwrap();
    let text = fs::read_to_string(document()).unwrap();
    let (introduction, rows) = text.split_once(HEADING).unwrap();
    let start = format!("| {package} |");
    let mut rows: Vec<&str> = rows
        .lines()
        .filter(|line| !line.starts_with(&start))
        .collect();
    rows.push(row);
    rows.sort_unstable();
    let rows = rows.join("\n");
    fs::write(document(), format!("{introduction}{HEADING}{rows}\n")).unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "configures a test run, not a program"
)]
fn is_updating() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}
