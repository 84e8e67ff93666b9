//! Modules from a directory of the host: packages from npm as they are, and Node's errors.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::fs;
use std::os::unix::fs::symlink;

use e2e_tests::{code_of, demo_root, error, imported, json, ok, open, project, root, run, sidecar};
use isolate_sidecar_client::{
    ModuleOptions, Outcome, Session, SessionOptions, Sidecar, SnapshotSpec, Value, import,
};
use serde_json::json;

fn demo(sidecar: &Sidecar) -> Session {
    let roots = vec![demo_root()];
    open(
        sidecar,
        SessionOptions {
            roots,
            ..SessionOptions::default()
        },
    )
}

#[test]
fn packages_from_npm_are_imported() {
    let sidecar = sidecar();
    let session = demo(&sidecar);
    let source = "(async () => {
        const { z } = await import('zod');
        const { chunk } = await import('lodash-es');
        const { format } = await import('date-fns');
        const { nanoid } = await import('nanoid');
        const semver = (await import('semver')).default;
        return [z.int().safeParse('no').success, chunk([1, 2, 3], 2).length,
            format(new Date(2020, 0, 2), 'yyyy-MM-dd'), nanoid().length, semver.inc('1.2.3', 'minor')];
    })()";
    assert_eq!(
        ok(&session, source),
        json!([false, 2, "2020-01-02", 21, "1.3.0"])
    );
}

#[test]
fn packages_from_npm_are_required() {
    let sidecar = sidecar();
    let session = demo(&sidecar);
    let source = "(async () => {
        const { createRequire } = await import('node:module');
        const require = createRequire('/app/src/validate.mjs');
        const { z } = require('zod');
        return [z.string().parse('a'), require('semver').major('3.0.1'), require('semver') === require('semver'),
            require.resolve('semver')];
    })()";
    assert_eq!(
        ok(&session, source),
        json!(["a", 3, true, "/app/node_modules/semver/index.js"])
    );
}

#[test]
fn errors_have_the_codes_of_node_and_no_path_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let session = project(
        &sidecar,
        folder.path(),
        ModuleOptions::default(),
        &[
            ("v.js", "export default 1"),
            ("data.json", "{\"a\": 1}"),
            ("throws.mjs", "throw new Error('here')"),
            (
                "node_modules/only/package.json",
                r#"{"name":"only","exports":{"require":"./r.cjs"}}"#,
            ),
            ("node_modules/only/r.cjs", "module.exports = 'required'"),
        ],
    );
    for (source, code) in [
        ("import('nowhere')", "ERR_MODULE_NOT_FOUND"),
        ("import('./v')", "ERR_MODULE_NOT_FOUND"),
        ("import('/app/../../etc/passwd')", "ERR_MODULE_NOT_FOUND"),
        ("import('file:///etc/passwd')", "ERR_MODULE_NOT_FOUND"),
        ("import('only')", "ERR_PACKAGE_PATH_NOT_EXPORTED"),
        ("import('./data.json')", "ERR_IMPORT_ASSERTION_TYPE_MISSING"),
        ("import('node:nothing')", "ERR_UNKNOWN_BUILTIN_MODULE"),
        (
            "import('https://example.com/a.mjs')",
            "ERR_UNSUPPORTED_ESM_URL_SCHEME",
        ),
    ] {
        assert_eq!(code_of(run(&session, source).outcome), code, "{source}");
    }
    let required = "import('node:module').then((m) => m.createRequire('/app/x.js')('only'))";
    assert_eq!(ok(&session, required), "required");
    let with = "import('./data.json', { with: { type: 'json' } }).then((m) => m.default.a)";
    assert_eq!(ok(&session, with), 1);
    let host = folder.path().to_str().unwrap();
    for source in [
        "import('./throws.mjs')",
        "import('nowhere')",
        "import('./v')",
    ] {
        let text = format!("{:?}", error(run(&session, source).outcome));
        assert!(!text.contains(host), "{text}");
    }
}

#[test]
fn a_link_that_leaves_its_directory_is_refused() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret.mjs"), "export default 'secret'").unwrap();
    fs::write(folder.path().join("inside.mjs"), "export default 'inside'").unwrap();
    symlink(
        outside.path().join("secret.mjs"),
        folder.path().join("out.mjs"),
    )
    .unwrap();
    symlink(outside.path(), folder.path().join("dir")).unwrap();
    symlink("inside.mjs", folder.path().join("in.mjs")).unwrap();
    let sidecar = sidecar();
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), &[]);
    assert_eq!(json(imported(&session, "/app/in.mjs")), "inside");
    for path in ["/app/out.mjs", "/app/dir/secret.mjs"] {
        let text = format!("{:?}", error(imported(&session, path)));
        assert!(
            !text.contains("secret'") && !text.contains(outside.path().to_str().unwrap()),
            "{text}"
        );
    }
}

#[test]
fn a_tree_as_pnpm_lays_it_out_works() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let store = "node_modules/.pnpm";
    let session = project(
        &sidecar,
        folder.path(),
        ModuleOptions::default(),
        &[
            (
                &format!("{store}/b@1/node_modules/b/package.json"),
                r#"{"name":"b","main":"b.mjs","exports":"./b.mjs"}"#,
            ),
            (
                &format!("{store}/b@1/node_modules/b/b.mjs"),
                "export * from 'c'; export const own = import.meta.url",
            ),
            (
                &format!("{store}/c@1/node_modules/c/package.json"),
                r#"{"name":"c","exports":"./c.mjs"}"#,
            ),
            (
                &format!("{store}/c@1/node_modules/c/c.mjs"),
                "export const c = 'from c'",
            ),
            (
                "use.mjs",
                "import { c, own } from 'b'; export default [c, own]",
            ),
        ],
    );
    let store = folder.path().join(store);
    symlink("../../c@1/node_modules/c", store.join("b@1/node_modules/c")).unwrap();
    symlink(
        ".pnpm/b@1/node_modules/b",
        folder.path().join("node_modules/b"),
    )
    .unwrap();
    let real = "file:///app/node_modules/.pnpm/b@1/node_modules/b/b.mjs";
    assert_eq!(
        json(imported(&session, "/app/use.mjs")),
        json!(["from c", real])
    );
    assert_eq!(
        code_of(run(&session, "import('c')").outcome),
        "ERR_MODULE_NOT_FOUND"
    );
}

#[test]
fn a_changed_file_is_seen_by_the_next_session() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let first = project(
        &sidecar,
        folder.path(),
        ModuleOptions::default(),
        &[("v.mjs", "export default 1")],
    );
    assert_eq!(json(imported(&first, "/app/v.mjs")), 1);
    let second = project(
        &sidecar,
        folder.path(),
        ModuleOptions::default(),
        &[("v.mjs", "export default 'changed'")],
    );
    assert_eq!(json(imported(&second, "/app/v.mjs")), "changed");
    assert_eq!(json(imported(&first, "/app/v.mjs")), 1);
}

#[test]
fn conditions_of_the_host_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let exports = r#"{"name":"p","exports":{"mine":"./mine.mjs","default":"./other.mjs"}}"#;
    drop(project(
        &sidecar,
        folder.path(),
        ModuleOptions::default(),
        &[
            ("node_modules/p/package.json", exports),
            ("node_modules/p/mine.mjs", "export default 'mine'"),
            ("node_modules/p/other.mjs", "export default 'other'"),
        ],
    ));
    let with = |conditions: &[&str]| {
        let session = open(
            &sidecar,
            SessionOptions {
                roots: vec![root(folder.path(), "/app")],
                conditions: conditions.iter().map(|&name| name.to_owned()).collect(),
                ..SessionOptions::default()
            },
        );
        json(imported(&session, "p"))
    };
    assert_eq!(with(&[]), "other");
    assert_eq!(with(&["mine"]), "mine");
}

#[test]
fn modules_cost_no_message_to_the_host() {
    let sidecar = sidecar();
    let session = demo(&sidecar);
    let loaded = session.execute(import("/app/src/schema.mjs")).unwrap();
    assert_eq!(loaded.outcome, Outcome::Ok(Value::Undefined));
    let stats = session.close().unwrap();
    assert_eq!((stats.round_trips, stats.modules_from_host), (0, 0));
    assert!(stats.modules_from_reader > 10, "{stats:?}");
}

/// What a script gives within a session that has these files.
fn given(files: &[(&str, &str)], source: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), files);
    ok(&session, source)
}

/// Node itself ends where `inner.mjs` is required: V8 may not be asked to evaluate what
/// imports a CommonJS file that is being evaluated.
#[test]
fn a_graph_that_leads_back_to_commonjs_is_refused_and_a_neighbour_lives() {
    let folder = tempfile::tempdir().unwrap();
    let sidecar = sidecar();
    let neighbour = demo(&sidecar);
    let caught = "exports.code = 'none';
        try { require('./inner.mjs'); } catch (error) { exports.code = error.code; }";
    let files = [
        (
            "outer.mjs",
            "import './requires.cjs'; import './inner.mjs'; export const o = 1",
        ),
        ("inner.mjs", "import './below.mjs'; export const i = 1"),
        ("below.mjs", "export { code } from './requires.cjs'"),
        ("requires.cjs", caught),
        ("own.mjs", "import './own.cjs'; export const o = 1"),
        ("own.cjs", "require('./own.mjs')"),
    ];
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), &files);
    let source = "import('./outer.mjs').then(async (m) => [m.o,
        (await import('./below.mjs')).code,
        await import('./own.mjs').catch((error) => error.code)])";
    let code = "ERR_REQUIRE_CYCLE_MODULE";
    assert_eq!(ok(&session, source), json!([1, code, code]));
    assert_eq!(ok(&neighbour, "1 + 1"), 2);
}

#[test]
fn a_guest_that_patches_promises_does_not_reach_import() {
    let source = "const { then } = Promise.prototype;
        Promise.prototype.then = () => { throw new Error('patched'); };
        const pending = import('./a.mjs');
        Promise.prototype.then = then;
        pending.then((m) => m.a)";
    assert_eq!(given(&[("a.mjs", "export const a = 1")], source), 1);
}

#[test]
fn a_chain_of_imports_is_bounded_however_it_is_linked() {
    let folder = tempfile::tempdir().unwrap();
    let n_modules = 4000;
    for at in 0..n_modules {
        let below = at + 1;
        let text = if below < n_modules {
            format!("export * from './m{below}.mjs'")
        } else {
            "export const x = 1".to_owned()
        };
        fs::write(folder.path().join(format!("m{at}.mjs")), text).unwrap();
        let step = format!("import './m{at}.mjs'");
        fs::write(folder.path().join(format!("step{at}.mjs")), step).unwrap();
    }
    let sidecar = sidecar();
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), &[]);
    let source = "(async () => {
        for (let at = 3999; at >= 0; at -= 500) {
            try { await import(`./step${at}.mjs`); } catch (error) { return [at, error.name, error.code]; }
        }
    })()";
    assert_eq!(
        ok(&session, source),
        json!([999, "RangeError", "ERR_LIMIT_MODULE_DEPTH"])
    );
    assert_eq!(ok(&session, "import('./m1500.mjs').then((m) => m.x)"), 1);
}

#[test]
fn a_web_assembly_file_is_refused_while_a_snapshot_is_made() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lib.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fs::write(folder.path().join("sdk.mjs"), "import './lib.wasm'").unwrap();
    let sidecar = sidecar();
    let spec = SnapshotSpec {
        roots: vec![root(folder.path(), "/app")],
        entries: vec!["/app/sdk.mjs".to_owned()],
        ..SnapshotSpec::default()
    };
    let refused = format!("{:?}", sidecar.warm_snapshot(spec).unwrap_err());
    assert!(
        refused.contains("no WebAssembly while a snapshot"),
        "{refused}"
    );
}

#[test]
fn imports_that_wait_are_counted() {
    let sidecar = sidecar();
    let session = demo(&sidecar);
    let refused = |n: u32| {
        let source = format!(
            "Promise.allSettled(Array.from({{ length: {n} }}, () => import('path'))).then((all) =>
                all.filter((one) => one.reason?.code === 'ERR_LIMIT_IMPORTS').length)"
        );
        ok(&session, &source)
    };
    assert_eq!(refused(99_999), json!(0));
    assert_eq!(refused(100_000), json!(0));
    assert_eq!(refused(100_001), json!(1));
    assert_eq!(refused(1), json!(0), "the jobs have run");
}
