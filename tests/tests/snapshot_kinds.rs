//! Kinds of objects that a snapshot holds: what comes out of it is what a file gives.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::path::PathBuf;

use e2e_tests::{fixtures, ok, open, root, sidecar};
use isolate_sidecar_client::{
    RequestError, Root, SessionOptions, Sidecar, SnapshotKey, SnapshotReady, SnapshotSpec,
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
                    assert!(
                        message.contains(wanted) && message.contains(&name),
                        "{name}: {message}"
                    );
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
    let ready = build(&sidecar, "data/sdk.mjs").unwrap();
    let session = open(&sidecar, from(Some(ready.key)));
    let probe = "import('/app/data/sdk.mjs').then(({ probe }) => probe())";
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
