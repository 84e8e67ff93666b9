//! Sessions know nothing of each other, of the host, or of the process that they are in.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use e2e_tests::{demo_root, error, ok, open, run, session, sidecar};
use isolate_sidecar_client::{EnvVar, Session, SessionOptions, Sidecar, SnapshotSpec};
use serde_json::{Value, json};

/// Two sessions from one snapshot of a package and a script.
fn twins(sidecar: &Sidecar) -> [Session; 2] {
    let spec = SnapshotSpec {
        roots: vec![demo_root()],
        entries: vec!["lodash-es".to_owned()],
        script: Some(
            "globalThis.shared = { list: [1] }; globalThis.drawn = Math.random();".to_owned(),
        ),
        ..SnapshotSpec::default()
    };
    let key = sidecar.warm_snapshot(spec).unwrap().key;
    ["a", "b"].map(|name| {
        open(
            sidecar,
            SessionOptions {
                snapshot: Some(key),
                roots: vec![demo_root()],
                env: vec![EnvVar {
                    name: "NAME".to_owned(),
                    value: name.to_owned(),
                }],
                argv: vec!["node".to_owned(), format!("{name}.js")],
                ..SessionOptions::default()
            },
        )
    })
}

#[track_caller]
fn check_differ(sessions: &[Session; 2], code: &str) {
    let [a, b] = sessions.each_ref().map(|session| ok(session, code));
    assert_ne!(a, Value::Null);
    assert_ne!(a, b, "{code}");
}

#[test]
fn a_mutation_stays_in_its_session() {
    let sidecar = sidecar();
    let [a, b] = twins(&sidecar);
    let mutate = "(async () => {
        shared.list.push(2);
        Object.prototype.polluted = true;
        Array.prototype.map = () => 'mine';
        JSON.stringify = () => 'mine';
        const lodash = await import('lodash-es');
        lodash.default.chunk = () => 'mine';
        globalThis.fetch = Promise.prototype.then = 1;
        return 1;
    })()";
    let _ = run(&a, mutate);
    let look = "import('lodash-es').then(({ default: _ }) =>
        [shared.list, {}.polluted, [1].map((n) => n + 1), JSON.stringify([0]), _.chunk([1, 2], 1).length, typeof Promise.prototype.then])";
    assert_eq!(ok(&b, look), json!([[1], null, [2], "[0]", 2, "function"]));
    assert_eq!(ok(&session(&sidecar), "({}).polluted === undefined"), true);
}

#[test]
fn random_streams_differ_between_sessions_of_a_snapshot() {
    let sidecar = sidecar();
    let twins = twins(&sidecar);
    check_differ(&twins, "Math.random()");
    check_differ(&twins, "crypto.randomUUID()");
    check_differ(
        &twins,
        "[...crypto.getRandomValues(new Uint8Array(16))].join()",
    );
    check_differ(
        &twins,
        "import('node:crypto').then((c) => c.randomBytes(16).toString('hex'))",
    );
    // Drawn before the snapshot was made: part of it.
    let [a, b] = twins.each_ref().map(|session| ok(session, "drawn"));
    assert_eq!(a, b);
}

#[test]
fn env_and_argv_are_the_session_s_own() {
    let sidecar = sidecar();
    let [a, b] = twins(&sidecar);
    for (session, name) in [(&a, "a"), (&b, "b")] {
        let seen = ok(session, "[{ ...process.env }, process.argv, process.cwd()]");
        assert_eq!(
            seen,
            json!([{ "NAME": name }, ["node", format!("{name}.js")], "/app"])
        );
    }
    ok(&a, "process.env.NAME = 'changed'; process.env.NEW = '1'; 0");
    assert_eq!(
        ok(&b, "[process.env.NAME, process.env.NEW]"),
        json!(["b", null])
    );
    assert_eq!(ok(&session(&sidecar), "Object.keys(process.env).length"), 0);
}

#[test]
fn nothing_of_the_host_is_in_reach() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    for (code, expected) in [
        ("typeof require.main", json!("undefined")),
        (
            "typeof process.binding === 'function' ? (() => { try { process.binding('fs'); return 'there' } catch { return 'refused' } })() : 'none'",
            json!("refused"),
        ),
        ("typeof Deno", json!("undefined")),
        ("typeof process.mainModule", json!("undefined")),
        (
            "(function () { return this })() === globalThis",
            json!(true),
        ),
        (
            "Function('return require')()('module') === require('node:module')",
            json!(true),
        ),
    ] {
        let seen = ok(&session, code);
        let none = json!("none");
        assert!(seen == expected || seen == none, "{code}: {seen}");
    }
    for module in [
        "fs",
        "child_process",
        "net",
        "worker_threads",
        "vm",
        "inspector",
    ] {
        let probes = format!(
            "import('node:{module}').then((m) => {{
                if (m.readFileSync) return m.readFileSync('/etc/hostname', 'utf8');
                if (m.execSync) return String(m.execSync('id'));
                if (m.Worker) return String(new m.Worker('1', {{ eval: true }}));
                if (m.connect) return new Promise((_, fail) => m.connect(1).on('error', fail));
                if (m.runInNewContext) return m.runInNewContext('typeof process');
                if (m.Session) return String(new m.Session().connect());
                return 'nothing in it';
            }})"
        );
        let outcome = run(&session, probes).outcome;
        let is_refused = matches!(outcome, isolate_sidecar_client::Outcome::Exception(_));
        let text = format!("{outcome:?}");
        assert!(
            is_refused || text.contains("nothing in it") || text.contains("undefined"),
            "{module}: {text}"
        );
    }
}

#[test]
fn stacks_name_no_path_of_the_host() {
    let sidecar = sidecar();
    let roots = vec![demo_root()];
    let host = roots[0].host.clone();
    let session = open(
        &sidecar,
        SessionOptions {
            roots,
            ..SessionOptions::default()
        },
    );
    for code in [
        "null.x",
        "import('zod').then(({ z }) => z.int().parse('no'))",
        "import('/app/src/none.mjs')",
        "import('node:fs').then((fs) => fs.readFileSync('/app/none'))",
        "structuredClone(() => 1)",
        "new URL('::')",
        "throw Object.assign(new Error('x'), { stack: 1 })",
    ] {
        let text = format!("{:?}", error(run(&session, code).outcome));
        assert!(!text.contains(&host), "{code}: {text}");
        assert!(
            !text.contains("/src/runtime") && !text.contains(".rs:"),
            "{code}: {text}"
        );
    }
}

#[test]
fn what_is_thrown_always_has_the_same_shape() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    for thrown in [
        "null",
        "undefined",
        "Symbol('s')",
        "1n",
        "'text'",
        "{}",
        "Object.create(null)",
        "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
        "new Proxy(new Error('e'), { get() { throw 1 } })",
        "Object.defineProperty(new Error('e'), 'stack', { get() { throw 1 } })",
        "Object.defineProperties(new Error('e'), { message: { get() { throw 1 } }, name: { get() { throw 2 } } })",
        "(() => { const e = new Error('loop'); e.cause = e; return e })()",
        "Object.assign(new Error('deep'), { code: { toString() { throw 3 } } })",
        "(function f() { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()",
    ] {
        let error = error(run(&session, format!("throw {thrown}")).outcome);
        assert!(!error.name.is_empty(), "{thrown}: {error:?}");
        e2e_tests::answers(&session);
    }
}
