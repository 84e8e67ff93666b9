//! Guests that behave, one folder each: `fixtures/js/AREA/NAME/main.*` is run as a file would
//! be, and what it writes must be `main.out`. Where nothing else is said, that is what Node
//! writes. With `UPDATE=1` in the environment the files are written anew.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use e2e_tests::{fixtures, root, sidecar};
use isolate_sidecar_client::{Outcome, SessionOptions, Transcript, Until, import};

const MAX_OUTPUT: usize = 1 << 20;

/// A test for each folder: its area and its name, with `_` for `-`.
macro_rules! corpus {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_folder_has_its_test() {
            let tests = BTreeSet::from([$(stringify!($name).to_owned()),*]);
            let names = |folder: &Path| -> Vec<PathBuf> {
                let entries = fs::read_dir(folder).unwrap();
                entries.map(|entry| entry.unwrap().path()).collect()
            };
            let folders: BTreeSet<String> = names(&fixtures().join("js"))
                .iter()
                .flat_map(|area| names(area))
                .map(|case| {
                    let case = case.strip_prefix(fixtures().join("js")).unwrap();
                    case.to_str().unwrap().replace(['-', '/'], "_")
                })
                .collect();
            assert_eq!(tests, folders);
        }
    };
}

corpus! {
    console_formats
    console_streams
    errors_aggregate
    errors_stacks
    intl_formats
    language_features
    modules_attributes
    modules_builtin_scheme
    modules_cache_of_imports
    modules_cjs_cycle
    modules_cjs_module
    modules_cjs_names
    modules_cjs_scope
    modules_cycles
    modules_data_urls
    modules_detection
    modules_detection_cjs
    modules_errors_cached
    modules_errors_shown
    modules_exports_and_imports
    modules_hostile_exports
    modules_meta
    modules_nullish_exports
    modules_order_cjs
    modules_order_esm
    modules_order_tick_of_job
    modules_patched_prototypes
    modules_patched_then
    modules_require_esm
    modules_require_order
    modules_require_resolve
    modules_require_while_evaluated
    modules_sync_builtins
    modules_wasm_modules
    node_async_storage
    node_crypto
    node_engine_denied
    node_fs_denied
    node_hashes
    node_network_denied
    node_path
    node_readline
    node_streams
    node_util
    node_web_adapters
    node_zlib
    process_facts
    timers_order
    timers_promises
    typescript_erased
    typescript_lines
    wasm_instantiate
    web_blob
    web_descriptors
    web_encoding
    web_events
    web_fetch
    web_globals
    web_messages
    web_streams
    web_subtle
    web_url
}

fn check(name: &str) {
    let (area, name) = name.split_once('_').unwrap();
    let folder = fixtures()
        .join("js")
        .join(area)
        .join(name.replace('_', "-"));
    let seen = written_by(&folder);
    let expected = folder.join("main.out");
    if is_updating() {
        fs::write(&expected, &seen).unwrap();
    }
    let expected = fs::read_to_string(expected).unwrap();
    assert_eq!(
        seen, expected,
        "\n--- seen\n{seen}\n--- expected\n{expected}"
    );
}

/// All that a guest writes, and how it ends unless that is well.
fn written_by(folder: &Path) -> String {
    let is_main = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        name.starts_with("main.") && name != "main.out"
    };
    let mut files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let main = files.find(is_main).unwrap();
    let name = main.file_name().unwrap().to_str().unwrap();

    let sidecar = sidecar();
    let transcript = Transcript::new(MAX_OUTPUT);
    let session = sidecar
        .session(SessionOptions {
            roots: vec![root(folder, "/app")],
            argv: vec!["/usr/bin/node".to_owned(), format!("/app/{name}")],
            ..SessionOptions::default()
        })
        .on_output(transcript.recorder())
        .open()
        .unwrap();
    let mut execute = import(format!("/app/{name}"));
    execute.until = Until::Drained;
    let outcome = session.execute(execute).unwrap().outcome;
    let written = transcript.take_text();
    match outcome {
        Outcome::Ok(_) => written,
        Outcome::Exception(error) => format!("{written}Uncaught {}\n", error.stack),
        other => format!("{written}{other:?}\n"),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "configures a test run, not a program"
)]
fn is_updating() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}
