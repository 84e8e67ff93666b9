//! Running code: scripts, modules, calls, and the values that come back.

use e2e_tests::{demo_root, error, json, ok, open, root, run, session, sidecar};
use isolate_sidecar_client::{
    Code, Execute, Outcome, Reason, RequestError, SessionOptions, Until, Value, ValueFormat,
    call_export, call_global, import, script,
};
use serde_json::json;

fn execute(code: Code) -> Execute {
    Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

fn module(source: &'static str) -> Execute {
    execute(Code::Module {
        name: "/app/given.mjs".to_owned(),
        source: source.into(),
    })
}

#[test]
fn the_value_of_a_script_is_that_of_its_last_statement() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    assert_eq!(ok(&session, "var x = 20; x + 1"), 21);
    // The realm lives on between requests.
    assert_eq!(ok(&session, "x += 2"), 22);
    assert_eq!(
        run(&session, "undefined").outcome,
        Outcome::Ok(Value::Undefined)
    );
    assert_eq!(ok(&session, "null"), json!(null));
    assert_eq!(
        ok(&session, "({ a: [1.5, 'é', true], b: undefined })"),
        json!({ "a": [1.5, "é", true] })
    );
    assert_eq!(ok(&session, "new Date(0)"), "1970-01-01T00:00:00.000Z");
    assert_eq!(error(run(&session, "10n ** 20n").outcome).name, "TypeError");
    assert_eq!(
        error(run(&session, "let a = {}; a.a = a").outcome).name,
        "TypeError"
    );
    assert_eq!(error(run(&session, "(").outcome).name, "SyntaxError");
    session.close().unwrap();
}

#[test]
fn promises_are_waited_for() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let late = "new Promise((done) => setTimeout(() => done('late'), 20))";
    assert_eq!(ok(&session, late), "late");
    assert_eq!(ok(&session, "({ then(done) { done(5) } })"), 5);
    let rejected = error(run(&session, "Promise.reject(new RangeError('no'))").outcome);
    assert_eq!(
        (rejected.name.as_str(), rejected.message.as_str()),
        ("RangeError", "no")
    );
}

#[test]
fn a_drained_request_waits_for_timers_as_well() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let mut drained = script(
        "a.js",
        "globalThis.n = 0; setTimeout(() => n++, 30); 'first'",
    );
    drained.until = Until::Drained;
    assert_eq!(json(session.execute(drained).unwrap().outcome), "first");
    assert_eq!(ok(&session, "n"), 1);
    let unreferenced = "setTimeout(() => n++, 1e6).unref(); setInterval(() => n++, 1e6).unref()";
    let mut drained = script("a.js", format!("{unreferenced}; 'second'"));
    drained.until = Until::Drained;
    assert_eq!(json(session.execute(drained).unwrap().outcome), "second");
}

#[test]
fn the_value_of_a_module_is_its_default_export() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let given = module("export default await Promise.resolve(import.meta.url)");
    let outcome = session.execute(given).unwrap().outcome;
    assert_eq!(json(outcome), "file:///app/given.mjs");
    let outcome = session
        .execute(module("export const a = 1"))
        .unwrap()
        .outcome;
    assert_eq!(outcome, Outcome::Ok(Value::Undefined));
    let thrown = session
        .execute(module("throw new Error('at load')"))
        .unwrap();
    assert_eq!(error(thrown.outcome).message, "at load");
}

#[test]
fn exports_and_globals_can_be_called() {
    let folder = tempfile::tempdir().unwrap();
    let source = "export const add = (a, b) => a + b; export default async (n) => n + 1;\n\
                  export const notOne = 7;";
    std::fs::write(folder.path().join("m.mjs"), source).unwrap();
    std::fs::write(folder.path().join("c.cjs"), "exports.twice = (n) => 2 * n;").unwrap();
    let sidecar = sidecar();
    let session = open(
        &sidecar,
        SessionOptions {
            roots: vec![root(folder.path(), "/app")],
            ..SessionOptions::default()
        },
    );
    let args = || Value::Json("[40, 2]".into());
    let called = |specifier: &str, name: &str| {
        session
            .call(call_export(specifier, name, args()))
            .unwrap()
            .outcome
    };
    assert_eq!(json(called("/app/m.mjs", "add")), 42);
    assert_eq!(json(called("./m.mjs", "default")), 41);
    assert_eq!(json(called("./c.cjs", "twice")), 80);
    assert_eq!(error(called("./m.mjs", "notOne")).name, "TypeError");
    assert_eq!(
        error(called("./none.mjs", "a")).code.unwrap(),
        "ERR_MODULE_NOT_FOUND"
    );
    ok(&session, "globalThis.join = (...all) => all.join('-'); 0");
    let joined = session.call(call_global("join", args())).unwrap().outcome;
    assert_eq!(json(joined), "40-2");
    let none = session.call(call_global("join", Value::Undefined)).unwrap();
    assert_eq!(json(none.outcome), "");
    let wrong = session
        .call(call_global("join", Value::Json("3".into())))
        .unwrap();
    assert_eq!(error(wrong.outcome).name, "TypeError");
}

#[test]
fn input_and_result_have_formats() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let with = |source: &'static str, input: Value, result: ValueFormat| {
        let mut execute = script("a.js", source);
        (execute.input, execute.result) = (input, result);
        session.execute(execute).unwrap().outcome
    };
    let given = Value::Json(r#"{"a":[1,2]}"#.into());
    assert_eq!(json(with("input.a.length", given, ValueFormat::Json)), 2);
    let raw = with(
        "new Uint8Array(input).reverse()",
        Value::Raw(vec![1, 2, 0xff].into()),
        ValueFormat::Raw,
    );
    assert_eq!(raw, Outcome::Ok(Value::Raw(vec![0xff, 2, 1].into())));
    // A clone travels through the host unread: maps, dates and cycles survive.
    let source = "const all = { map: new Map([[1, 2n]]), date: new Date(5) }; all.self = all; all";
    let Outcome::Ok(clone) = with(source, Value::Undefined, ValueFormat::V8) else {
        panic!("no clone");
    };
    let check = "input.map.get(1) === 2n && input.date.getTime() === 5 && input.self === input";
    assert_eq!(json(with(check, clone, ValueFormat::Json)), true);
    let broken = with("1", Value::V8(vec![1, 2, 3].into()), ValueFormat::Json);
    assert!(matches!(broken, Outcome::Exception(_)), "{broken:?}");
    let broken = with("1", Value::Json("{".into()), ValueFormat::Json);
    assert!(matches!(broken, Outcome::Exception(_)), "{broken:?}");
}

#[test]
fn requests_of_a_session_run_in_order_and_no_more_than_32_wait() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    ok(&session, "globalThis.seen = []; 0");
    let busy = "const end = Date.now() + 300; while (Date.now() < end); 'busy'";
    let first = session.start(script("a.js", busy)).unwrap();
    // Until it runs, it is one of those that wait.
    sidecar.serve_for(std::time::Duration::from_millis(50));
    let waiting: Vec<_> = (0..40)
        .map(|n| {
            session
                .start(script("a.js", format!("seen.push({n})")))
                .unwrap()
        })
        .collect();
    assert_eq!(json(first.wait().unwrap().outcome), "busy");
    let (mut ran, mut refused) = (0, 0);
    for pending in waiting {
        match pending.wait() {
            Ok(finished) => {
                ran += 1;
                assert_eq!(json(finished.outcome), ran);
            }
            Err(RequestError::Refused { reason, limit, .. }) => {
                assert_eq!(reason, Reason::Busy);
                assert_eq!(limit.unwrap().limit, 32);
                refused += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((ran, refused), (32, 8));
    session.close().unwrap();
}

#[test]
fn usage_tells_what_a_request_cost() {
    let sidecar = sidecar();
    let session = open(
        &sidecar,
        SessionOptions {
            roots: vec![demo_root()],
            ..SessionOptions::default()
        },
    );
    let busy = "const end = Date.now() + 50; while (Date.now() < end);";
    let usage = session.execute(script("a.js", busy)).unwrap().usage;
    assert!(
        usage.wall_us >= 45_000 && usage.cpu_us >= 1_000,
        "{usage:?}"
    );
    assert!(usage.heap_peak_bytes > 0, "{usage:?}");
    let usage = session
        .execute(import("/app/src/schema.mjs"))
        .unwrap()
        .usage;
    assert!(usage.modules_from_reader > 10, "{usage:?}");
    let usage = session
        .execute(script("a.js", "console.log('12345')"))
        .unwrap()
        .usage;
    assert_eq!((usage.output_bytes, usage.output_dropped_bytes), (6, 0));
    session.close().unwrap();
}

#[test]
fn a_rejection_that_nobody_handles_is_reported_on_its_session() {
    let sidecar = sidecar();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let keep = std::sync::Arc::clone(&seen);
    let session = sidecar
        .session(SessionOptions::default())
        .on_event(move |_, event| keep.lock().unwrap().push(event))
        .open()
        .unwrap();
    let late = "setTimeout(() => Promise.reject(new Error('late')), 50); 1";
    assert_eq!(ok(&session, late), 1);
    sidecar.serve_for(std::time::Duration::from_millis(400));
    assert_eq!(ok(&session, "1 + 1"), 2);
    let seen = format!("{:?}", seen.lock().unwrap());
    assert!(
        seen.contains("UnhandledRejection") && seen.contains("late"),
        "{seen}"
    );
    let handled = "const p = Promise.reject(new Error('handled')); p.catch(() => {}); 3";
    assert_eq!(ok(&session, handled), 3);
}
