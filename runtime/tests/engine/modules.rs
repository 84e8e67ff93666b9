//! Modules from a directory: ES modules, CommonJS, JSON, `import()`, errors with codes.

use std::path::Path;

use crate::support::{Session, json, root, spec};
use protocol::{Outcome, Root};

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

fn session(dir: &Path) -> Session {
    let mut spec = spec(1);
    spec.roots = vec![root(dir)];
    Session::open(spec)
}

#[test]
fn es_modules_common_js_and_json() {
    let dir = tree(&[
        (
            "main.mjs",
            "import data from './data.json' with { type: 'json' };
             import cjs, { named } from './lib.cjs';
             import { x } from './x.mjs';
             const { y } = await import('./y.mjs');
             export default { data, cjs, named, x, y, url: import.meta.url, dir: import.meta.dirname, main: import.meta.main };",
        ),
        ("data.json", "{\"a\":1}"),
        ("lib.cjs", "exports.named = require('./other').n; exports.file = __filename"),
        ("other.js", "module.exports = { n: 7 }"),
        ("x.mjs", "export let x = 0; x++"),
        ("y.mjs", "await 0; export const y = 'later'"),
    ]);
    let mut session = session(dir.path());
    let (outcome, usage) = session.import("./main.mjs");
    assert_eq!(
        json(&outcome),
        r#"{"data":{"a":1},"cjs":{"named":7,"file":"/app/lib.cjs"},"named":7,"x":1,"y":"later","url":"file:///app/main.mjs","dir":"/app","main":true}"#
    );
    assert_eq!((usage.modules_from_reader, usage.modules_from_host), (6, 0));
}

#[test]
fn scripts_have_require_and_modules_alone_do_not() {
    let dir = tree(&[
        ("lib.cjs", "module.exports = 5"),
        ("main.mjs", "export default typeof require"),
    ]);
    let mut session = session(dir.path());
    assert_eq!(json(&session.import("./main.mjs").0), "\"undefined\"");
    assert_eq!(
        json(&session.script("require('./lib.cjs') + require('node:path').sep")),
        "\"5/\""
    );
    match session.script("require('_tls_wrap')") {
        Outcome::Exception(error) => assert_eq!(error.code.as_deref(), Some("ERR_ACCESS_DENIED")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_common_js_file_as_the_main_module() {
    let dir = tree(&[(
        "main.js",
        "module.exports = [require.main === module, __dirname, typeof this]",
    )]);
    let mut session = session(dir.path());
    assert_eq!(
        json(&session.import("./main.js").0),
        r#"[true,"/app","object"]"#
    );
}

#[test]
fn errors_carry_the_codes_of_node() {
    let dir = tree(&[
        ("a.mjs", "import './missing'"),
        ("b.mjs", "import 'nowhere'"),
        ("c.mjs", "import './d.json'"),
        ("d.json", "{}"),
        ("e.cjs", "require('./missing')"),
        ("f.mjs", "import 'node:nothing'"),
    ]);
    let mut session = session(dir.path());
    for (file, code) in [
        ("./a.mjs", "ERR_MODULE_NOT_FOUND"),
        ("./b.mjs", "ERR_MODULE_NOT_FOUND"),
        ("./c.mjs", "ERR_IMPORT_ASSERTION_TYPE_MISSING"),
        ("./e.cjs", "MODULE_NOT_FOUND"),
        ("./f.mjs", "ERR_UNKNOWN_BUILTIN_MODULE"),
    ] {
        for _ in 0..2 {
            match session.import(file).0 {
                Outcome::Exception(error) => {
                    assert_eq!(error.code.as_deref(), Some(code), "{file}: {error:?}");
                    let host = dir.path().display().to_string();
                    assert!(!format!("{error:?}").contains(&host), "{error:?}");
                }
                other => panic!("{file}: {other:?}"),
            }
        }
    }
}

#[test]
fn frames_are_mapped_to_the_author_s_source() {
    let map = r#"{"version":3,"sources":["../src/a.ts"],"names":[],"mappings":";AAME"}"#;
    let dir = tree(&[
        (
            "dist/a.mjs",
            "\nthrow new Error('mapped')\n//# sourceMappingURL=a.mjs.map",
        ),
        ("dist/a.mjs.map", map),
    ]);
    let mut session = session(dir.path());
    match session.import("./dist/a.mjs").0 {
        Outcome::Exception(error) => {
            assert_eq!(
                error.stack,
                "Error: mapped\n    at file:///app/src/a.ts:7:3"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn packages_of_the_demonstration() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let mut spec = spec(1);
    spec.roots = vec![Root {
        host: demo.display().to_string(),
        guest: "/app".into(),
    }];
    let mut session = Session::open(spec);
    for (package, expression) in [
        ("zod", "m.z.object({ a: m.z.number() }).parse({ a: 1 }).a"),
        ("lodash-es", "m.chunk([1, 2, 3], 2).length"),
        (
            "date-fns",
            "m.format(new Date(2020, 0, 2), 'yyyy-MM-dd').length",
        ),
        ("nanoid", "m.nanoid().length"),
        ("semver", "m.default.valid('1.2.3').length"),
    ] {
        let source = format!("import('{package}').then(m => {expression})");
        let value = json(&session.script(&source));
        assert!(value.parse::<u32>().is_ok(), "{package}: {value}");
    }
}
