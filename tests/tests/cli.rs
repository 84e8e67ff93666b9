//! `isolate-sidecar run`: exit codes, what it prints, and the object of `--json`.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use e2e_tests::{Program, Ran, fixtures, program, run_cli, run_cli_with, run_program, within};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

#[track_caller]
fn check(ran: &Ran, code: i32, stdout: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (code, stdout), "{ran:?}");
}

#[test]
fn a_script_prints_its_value() {
    check(&run_cli(&["-e", "1 + 1"]), 0, "2\n");
    check(&run_cli(&["-e", "({ a: 'b' })"]), 0, "{\"a\":\"b\"}\n");
    check(
        &run_cli(&["-e", "Promise.resolve('later')"]),
        0,
        "\"later\"\n",
    );
    check(&run_cli(&["-e", "undefined"]), 0, "");
    check(&run_cli(&["-e", "console.log('said'); 5"]), 0, "said\n5\n");
    check(
        &run_cli_with(&["-"], b"'from ' + 'standard input'"),
        0,
        "\"from standard input\"\n",
    );
    check(
        &run_cli(&["-e", "input.n + 1", "--input", "{\"n\": 41}"]),
        0,
        "42\n",
    );
    check(
        &run_cli(&["-e", "process.argv.slice(2)", "--", "a", "--b"]),
        0,
        "[\"a\",\"--b\"]\n",
    );
}

#[test]
fn a_script_runs_until_nothing_is_left() {
    check(
        &run_cli(&["-e", "setTimeout(() => console.log('timer'), 50); 1"]),
        0,
        "timer\n1\n",
    );
}

#[test]
fn a_file_runs_as_node_would_take_it() {
    let folder = project(&[
        ("package.json", r#"{"type": "module"}"#),
        (
            "src/main.js",
            "import { a } from './a.js'; console.log(a, import.meta.url, process.cwd(), process.argv.slice(1)); export default a",
        ),
        ("src/a.js", "export const a = 'A'"),
        (
            "src/c.cjs",
            "console.log(typeof require, __filename, require('./d.json').d); module.exports = 3",
        ),
        ("src/d.json", "{\"d\": 4}"),
    ]);
    check(
        &run_cli(&[&path(&folder, "src/main.js"), "--", "x"]),
        0,
        "A file:///app/src/main.js /app [ '/app/src/main.js', 'x' ]\n",
    );
    check(
        &run_cli(&[&path(&folder, "src/c.cjs")]),
        0,
        "function /app/src/c.cjs 4\n",
    );
    let json = run_cli(&[&path(&folder, "src/c.cjs"), "--json"]).json();
    assert_eq!(json["outcome"], json!({ "kind": "ok", "value": 3 }));
}

#[test]
fn roots_are_where_they_are_put() {
    let folder = project(&[
        ("one/package.json", "{}"),
        ("one/a.mjs", "export default import.meta.url"),
        ("two/b.mjs", "export default import.meta.url"),
        ("three/c.mjs", "export default import.meta.url"),
    ]);
    let value = |args: &[&str]| {
        let args: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
        run_cli(&args).json()["outcome"]["value"].clone()
    };
    let (one, two) = (
        path(&folder, "one"),
        format!("{}=/lib", path(&folder, "two")),
    );
    assert_eq!(value(&[&path(&folder, "one/a.mjs")]), "file:///app/a.mjs");
    assert_eq!(
        value(&["--root", &one, &path(&folder, "one/a.mjs")]),
        "file:///app/a.mjs"
    );
    let both = ["--root", &one, "--root", &two];
    assert_eq!(
        value(&[&both[..], &[path(&folder, "two/b.mjs").as_str()]].concat()),
        "file:///lib/b.mjs"
    );
    assert_eq!(
        value(&[&both[..], &[path(&folder, "three/c.mjs").as_str()]].concat()),
        "file:///main/c.mjs"
    );
    let imported = ["-e", "import('/lib/b.mjs').then((m) => m.default)"];
    assert_eq!(value(&[&both[..], &imported].concat()), "file:///lib/b.mjs");
    let none = run_cli(&["-e", "import('zod')", "--json"]).json();
    assert_eq!(none["outcome"]["error"]["code"], "ERR_MODULE_NOT_FOUND");
}

#[test]
fn errors_go_to_standard_error_with_their_stack() {
    let ran = run_cli(&["-e", "function f() { throw new TypeError('no') } f()"]);
    check(&ran, 1, "");
    assert!(
        ran.stderr.contains("Uncaught TypeError: no\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("at f "), "{}", ran.stderr);
    let ran = run_cli(&[
        "-e",
        "Promise.reject(new Error('lost')); setTimeout(() => console.log('late'), 3000); 1",
    ]);
    check(&ran, 1, "");
    assert!(
        ran.stderr.contains("Uncaught Error: lost"),
        "{}",
        ran.stderr
    );
    assert!(ran.took < Duration::from_millis(2500), "{:?}", ran.took);
}

#[test]
fn limits_have_exit_codes_and_one_line() {
    let ran = run_cli(&["-e", "for (;;);", "--wall-ms", "300"]);
    check(&ran, 124, "");
    assert!(
        ran.stderr.contains("wall limit of 300 ms") && ran.stderr.contains("--wall-ms"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    check(&run_cli(&["-e", "for (;;);", "--cpu-ms", "200"]), 124, "");
    // A built-in that V8 does not interrupt ends with the sidecar, a grace period later.
    let deaf = "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)";
    check(&run_cli(&["-e", deaf, "--cpu-ms", "200"]), 124, "");
    let bomb = "const all = []; for (;;) all.push({})";
    let ran = run_cli(&["-e", bomb, "--heap-mb", "32"]);
    check(&ran, 137, "");
    assert!(
        ran.stderr.contains("memory limit of 33554432 bytes"),
        "{}",
        ran.stderr
    );
    let one_large = "new Map(Array.from({ length: 3e6 }, (_, i) => [i, { i }])).size";
    let ran = run_cli(&["-e", one_large, "--heap-mb", "32", "--json"]);
    assert_eq!(
        (ran.code, ran.json()["outcome"]["limit"]["which"].clone()),
        (137, json!("memory"))
    );
}

#[test]
fn json_is_one_object() {
    let ran = run_cli(&[
        "-e",
        "console.log('out'); console.error('err'); console.log('more'); [0.1 + 0.2]",
        "--json",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.lines().count(), 1);
    let json = ran.json();
    assert_eq!(
        json["outcome"],
        json!({ "kind": "ok", "value": [0.1 + 0.2] })
    );
    assert_eq!(
        json["output"],
        json!([
            { "stream": "stdout", "text": "out\n" },
            { "stream": "stderr", "text": "err\n" },
            { "stream": "stdout", "text": "more\n" },
        ])
    );
    let usage = json["usage"].as_object().unwrap();
    for (key, least) in [("wall_ms", 0.0), ("cpu_ms", 0.0), ("heap_peak_bytes", 1.0)] {
        assert!(usage[key].as_f64().unwrap() >= least, "{usage:?}");
    }
    for key in [
        "external_peak_bytes",
        "round_trips",
        "modules_from_reader",
        "modules_from_snapshot",
    ] {
        assert!(usage[key].is_u64(), "{usage:?}");
    }
    let json = run_cli(&["-e", "undefined", "--json"]).json();
    assert_eq!(json["outcome"], json!({ "kind": "ok" }));
}

#[test]
fn json_tells_what_went_wrong() {
    let ran = run_cli(&[
        "-e",
        "throw Object.assign(new RangeError('far'), { code: 'E_FAR' })",
        "--json",
    ]);
    assert_eq!(ran.code, 1);
    let error = &ran.json()["outcome"]["error"];
    assert_eq!(
        (&error["name"], &error["message"], &error["code"]),
        (&json!("RangeError"), &json!("far"), &json!("E_FAR"))
    );
    assert!(
        error["stack"].as_str().unwrap().starts_with("RangeError"),
        "{error}"
    );
    let ran = run_cli(&["-e", "throw new Error('x')", "--json"]);
    assert_eq!(ran.json()["outcome"]["error"]["code"], Value::Null);
    let ran = run_cli(&["-e", "for (;;);", "--wall-ms", "200", "--json"]);
    assert_eq!(ran.code, 124);
    let limit = &ran.json()["outcome"]["limit"];
    assert_eq!(
        (&limit["which"], &limit["limit"]),
        (&json!("wall"), &json!(200))
    );
    assert!(limit["usage"].as_u64().unwrap() >= 200, "{limit}");
}

#[test]
fn several_sessions_run_in_one_sidecar() {
    let ran = run_cli(&["-e", "console.log('hi'); process.pid; 7", "--sessions", "3"]);
    check(&ran, 0, "hi\n7\nhi\n7\nhi\n7\n");
    let json = run_cli(&["-e", "Math.random()", "--sessions", "2", "--json"]).json();
    let sessions = json["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    assert_eq!(json["outcome"], sessions[0]["outcome"]);
    assert_ne!(sessions[0]["outcome"], sessions[1]["outcome"]);
}

#[test]
fn the_environment_is_what_is_given() {
    let ran = run_cli(&[
        "-e",
        "({ ...process.env })",
        "--env",
        "A=1=2",
        "--env",
        "PATH",
        "--env",
        "UNSET_VARIABLE",
    ]);
    let env: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut names: Vec<&str> = env
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort();
    assert_eq!((names, &env["A"]), (vec!["A", "PATH"], &json!("1=2")));
}

#[test]
fn a_snapshot_spares_the_loading() {
    let demo = fixtures().join("demo");
    let demo = demo.to_str().unwrap();
    let source = "import('zod').then(({ z }) => z.string().parse('a'))";
    let json = run_cli(&["--root", demo, "--snapshot", "zod", "-e", source, "--json"]).json();
    assert_eq!(json["outcome"]["value"], "a");
    assert_eq!(json["usage"]["modules_from_reader"], 0);
    assert!(
        json["usage"]["modules_from_snapshot"].as_u64().unwrap() >= 1,
        "{json}"
    );
    let ran = run_cli(&[
        "--root",
        demo,
        "--snapshot",
        "no-such-package",
        "-e",
        "1",
        "--json",
    ]);
    assert_eq!(
        (ran.code, ran.json()["outcome"]["kind"].clone()),
        (1, json!("lost"))
    );
    let ran = run_cli(&["--root", demo, "--snapshot", "no-such-package", "-e", "1"]);
    assert!(ran.stderr.contains("no-such-package"), "{}", ran.stderr);
}

#[test]
fn mistakes_of_usage_are_said_with_2() {
    let folder = project(&[("a.mjs", "1")]);
    let (file, here) = (path(&folder, "a.mjs"), folder.path().to_str().unwrap());
    let cases: [(&[&str], &str); 11] = [
        (&[], "FILE"),
        (&["/no/such/file.js"], "/no/such/file.js"),
        (&[here], "not a file"),
        (&["-e", "1", &file], "cannot be used with"),
        (&["-e", "1", "--input", "{"], "--input"),
        (&["-e", "1", "--root", "/no/such/folder"], "/no/such/folder"),
        (
            &["-e", "1", "--root", here, "--root", here],
            "second --root",
        ),
        (&["-e", "1", "--heap-mb", "none"], "--heap-mb"),
        (&["-e", "1", "--wall-ms", "0"], "--wall-ms"),
        (&["-e", "1", "--env", "=x"], "--env"),
        (&["-e", "1", "--unheard-of"], "--unheard-of"),
    ];
    for (args, text) in cases {
        let ran = run_cli(args);
        check(&ran, 2, "");
        assert!(ran.stderr.contains(text), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn an_interrupt_cancels_the_guest() {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the program that is tested"
    )]
    let mut child = std::process::Command::new(program(Program::Sidecar))
        .args(["run", "-e", "console.log('runs'); for (;;);", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::park_timeout(Duration::from_millis(1500));
    kill(
        Pid::from_raw(i32::try_from(child.id()).unwrap()),
        Signal::SIGINT,
    )
    .unwrap();
    let status = within(Duration::from_secs(5), || child.try_wait().unwrap());
    assert_eq!(status.and_then(|status| status.code()), Some(130));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["outcome"], json!({ "kind": "cancelled" }));
    assert_eq!(json["output"][0]["text"], "runs\n");
}

#[test]
fn help_and_version_are_there() {
    let program = program(Program::Sidecar);
    let run = |args: &[&str]| run_program(Path::new(&program), args, b"");
    let help = run(&["run", "--help"]);
    assert_eq!(help.code, 0);
    for option in [
        "--root",
        "--snapshot",
        "--heap-mb",
        "--json",
        "--sessions",
        "--input",
        "Exit codes",
    ] {
        assert!(help.stdout.contains(option), "{option}: {}", help.stdout);
    }
    assert_eq!(run(&["--version"]).code, 0);
    assert_eq!(run(&[]).code, 2);
}
