//! Kinds of objects that a snapshot holds: what comes out of it is what a file gives.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::path::PathBuf;

use e2e_tests::{Program, fixtures, ok, open, program, root, run_program, sidecar};
use isolate_sidecar_client::{
    EnvVar, RequestError, Root, SessionOptions, Sidecar, SnapshotKey, SnapshotReady, SnapshotSpec,
};
use serde_json::json;

/// How a module that no snapshot can hold begins.
const REFUSED: &str = "//! refused: ";

fn roots() -> Vec<Root> {
    vec![root(&fixtures().join("snapshots"), "/app")]
}

fn modules() -> Vec<(String, String)> {
    let folder = fixtures().join("snapshots");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mjs"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).unwrap())
    };
    files.into_iter().map(read).collect()
}

fn build(sidecar: &Sidecar, name: &str) -> Result<SnapshotReady, RequestError> {
    sidecar.warm_snapshot(SnapshotSpec {
        roots: roots(),
        entries: vec![format!("/app/{name}")],
        ..SnapshotSpec::default()
    })
}

fn from(snapshot: Option<SnapshotKey>) -> SessionOptions {
    SessionOptions {
        snapshot,
        roots: roots(),
        ..SessionOptions::default()
    }
}

#[test]
fn each_kind_is_what_it_is_in_a_file_or_refused_by_name() {
    let sidecar = sidecar();
    for (name, text) in modules() {
        let built = build(&sidecar, &name);
        if let Some(wanted) = text.strip_prefix(REFUSED) {
            let wanted = wanted.lines().next().unwrap();
            match built {
                Err(RequestError::Refused { message, .. }) => {
                    assert!(message.contains(wanted), "{name}: {message}");
                }
                other => panic!("{name}: {other:?}"),
            }
            continue;
        }
        let ready = built.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let probe = format!("import('/app/{name}').then(({{ probe }}) => probe())");
        let of_file = ok(&open(&sidecar, from(None)), &probe);
        let first = open(&sidecar, from(Some(ready.key)));
        let second = open(&sidecar, from(Some(ready.key)));
        assert_eq!(ok(&first, &probe), of_file, "{name}, first session");
        assert_eq!(ok(&second, &probe), of_file, "{name}, second session");
    }
}

#[test]
fn an_sdk_reads_its_own_files_while_the_snapshot_is_made_and_not_later() {
    let sidecar = sidecar();
    let ready = build(&sidecar, "reading/sdk.mjs").unwrap();
    let session = open(&sidecar, from(Some(ready.key)));
    let probe = "import('/app/reading/sdk.mjs').then(({ probe }) => probe())";
    assert_eq!(
        ok(&session, probe),
        json!([
            "1.2.3",
            23,
            true,
            23,
            false,
            [false, null],
            "ENOENT",
            "ERR_ACCESS_DENIED",
            "ERR_ACCESS_DENIED"
        ])
    );
}

/// A session with a world of its own.
fn named(snapshot: SnapshotKey, name: &str) -> SessionOptions {
    SessionOptions {
        env: vec![EnvVar {
            name: "NAME".to_owned(),
            value: name.to_owned(),
        }],
        argv: vec!["/usr/bin/node".to_owned(), name.to_owned()],
        cwd: format!("/{name}"),
        ..from(Some(snapshot))
    }
}

#[test]
fn sessions_of_one_snapshot_share_nothing_that_they_change_or_that_is_their_own() {
    let sidecar = sidecar();
    let ready = build(&sidecar, "leaks/sdk.mjs").unwrap();
    let call = |name: &str| format!("import('/app/leaks/sdk.mjs').then((sdk) => sdk.{name}())");
    let first = open(&sidecar, named(ready.key, "first"));
    let second = open(&sidecar, named(ready.key, "second"));
    let clean = ok(&open(&sidecar, named(ready.key, "clean")), &call("look"));
    let of_first = ok(&first, &call("own"));
    let of_second = ok(&second, &call("own"));
    for (key, value) in of_first.as_object().unwrap() {
        assert_ne!(Some(value), of_second.get(key), "{key}");
    }
    for (own, name) in [(&of_first, "first"), (&of_second, "second")] {
        let cwd = format!("/{name}");
        let resolved = format!("/{name}/x");
        assert_eq!(
            [&own["cwd"], &own["env"], &own["argv"], &own["resolved"]],
            [&json!(cwd), &json!(name), &json!(name), &json!(resolved)]
        );
    }
    ok(&first, &call("leave"));
    assert_ne!(ok(&first, &call("look")), clean);
    assert_eq!(ok(&second, &call("look")), clean);
    let later = open(&sidecar, named(ready.key, "later"));
    assert_eq!(ok(&later, &call("look")), clean);
}

#[test]
fn an_explanation_tells_what_was_taken_and_where() {
    let folder = fixtures().join("snapshots");
    let ran = run_program(
        &program(Program::Sidecar),
        &[
            "explain",
            "--json",
            "--root",
            folder.to_str().unwrap(),
            "--env",
            "LEVEL=high",
            "/app/explain/sdk.mjs",
        ],
        b"",
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let notes: Vec<(String, String, String, u32)> = serde_json::from_str(&ran.stdout).unwrap();
    let mut told: Vec<String> = notes
        .iter()
        .map(|(kind, what, place, times)| format!("{kind} {what} {place} {times}"))
        .collect();
    told.sort();
    let at = |line: u32| format!("file:///app/explain/sdk.mjs:{line}");
    let wanted = [
        ("clock Date.now()", at(8)),
        ("clock new Date()", at(9)),
        ("cwd process.cwd()", at(7)),
        ("env DEBUG", at(6)),
        ("env HOME", at(13)),
        ("env LEVEL", at(5)),
        ("file readFile /app/explain/sdk.mjs", at(15)),
        ("listener SIGINT", at(16)),
        ("os os.homedir()", at(13)),
        ("random 16 bytes", at(12)),
        ("random Math.random()", at(11)),
        ("stand-in Intl.Segmenter", at(14)),
        ("timer 60000 ms", at(17)),
    ];
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    for (told, (note, place)) in told.iter().zip(wanted) {
        let wanted = format!("{note} {place}:");
        assert!(told.starts_with(&wanted), "{told}, wanted {wanted}");
    }
}

/// What docs/SNAPSHOTS.md says of the fixtures.
fn table() -> String {
    let mut table = String::from("| fixture | what | in a session |\n|---|---|---|\n");
    for (name, text) in modules() {
        let becomes = match text.lines().next().unwrap() {
            first if first.starts_with(REFUSED) => "refused by name",
            "//! made anew" => "made anew",
            _ => "as it was",
        };
        let comment: Vec<&str> = text
            .lines()
            .skip_while(|line| line.starts_with("//!"))
            .map_while(|line| line.strip_prefix("// "))
            .collect();
        let (what, stem) = (comment.join(" "), name.trim_end_matches(".mjs"));
        table.push_str(&format!("| `{stem}` | {what} | {becomes} |\n"));
    }
    table
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person who runs the test asks for it"
)]
fn is_update() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

#[test]
fn the_published_table_is_that_of_the_fixtures() {
    let path = fixtures().parent().unwrap().join("docs/SNAPSHOTS.md");
    let page = fs::read_to_string(&path).unwrap();
    let start = page.find("| fixture |").unwrap();
    let length = page[start..].find("\n\n").unwrap() + 1;
    let stands = &page[start..start + length];
    if is_update() {
        fs::write(&path, page.replace(stands, &table())).unwrap();
        return;
    }
    assert_eq!(
        stands,
        table(),
        "UPDATE=1 writes the table of docs/SNAPSHOTS.md"
    );
}
