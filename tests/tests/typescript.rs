//! TypeScript and JSX by the options of a session, from files and from the host.

use std::fs;

use e2e_tests::{code_of, error, imported, json, open, project, root, run_cli, sidecar};
use isolate_sidecar_client::{
    Code, Jsx, ModuleOptions, Session, SessionOptions, SnapshotSpec, TypeScript, import,
};

fn transform() -> ModuleOptions {
    ModuleOptions {
        typescript: TypeScript::Transform,
        ..ModuleOptions::default()
    }
}

fn with_jsx(jsx: Jsx) -> ModuleOptions {
    ModuleOptions {
        jsx,
        ..ModuleOptions::default()
    }
}

const FILES: [(&str, &str); 9] = [
    (
        "a.mts",
        "import type { T } from './none.ts';\nimport { b } from './b.cts';\nexport default (b as number) + 1;",
    ),
    (
        "b.cts",
        "interface I {}\nconst c: number = require('./c.ts').c!;\nexports.b = c;",
    ),
    (
        "c.ts",
        "declare const x: any;\nmodule.exports = { c: 41 as number };",
    ),
    ("enum.mts", "enum E { A = 7 }\nexport default E.A;"),
    ("bad.mts", "let a: = 1;"),
    ("d.d.ts", "export {};"),
    ("node_modules/p/index.ts", "export default 1;"),
    (
        "node_modules/p/package.json",
        r#"{"type":"module","exports":"./index.ts"}"#,
    ),
    ("p.mjs", "export { default } from 'p';"),
];

#[test]
fn both_module_systems_take_it() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), &FILES);
    assert_eq!(json(imported(&session, "/app/a.mts")), 42);
    assert_eq!(json(imported(&session, "/app/c.ts"))["c"], 41);
}

#[test]
fn what_is_refused_has_nodes_codes() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let session = project(&sidecar, folder.path(), ModuleOptions::default(), &FILES);
    for (file, code) in [
        ("/app/enum.mts", "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"),
        ("/app/bad.mts", "ERR_INVALID_TYPESCRIPT_SYNTAX"),
        ("/app/d.d.ts", "ERR_UNKNOWN_FILE_EXTENSION"),
        ("/app/p.mjs", "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING"),
        ("/app/a", "ERR_MODULE_NOT_FOUND"),
    ] {
        assert_eq!(code_of(imported(&session, file)), code, "{file}");
    }
}

#[test]
fn transform_is_the_sessions_choice_and_keeps_places() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let thrower = "enum E { A = 7 }\n\ntype T = 1;\n\n\n    throw new Error('x' as string);";
    let files = [FILES[3], ("throws.mts", thrower)];
    let strip = project(&sidecar, folder.path(), ModuleOptions::default(), &files);
    let session = project(&sidecar, folder.path(), transform(), &[]);
    assert_eq!(json(imported(&session, "/app/enum.mts")), 7);
    assert_eq!(
        code_of(imported(&strip, "/app/enum.mts")),
        "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
    );
    let error = error(imported(&session, "/app/throws.mts"));
    let top = error.frames.first().unwrap();
    assert_eq!((top.line, top.column), (6, 11), "{error:?}");
    assert!(top.file.ends_with("/app/throws.mts"), "{error:?}");
}

#[test]
fn elements_become_what_the_session_says() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let runtime = "export const jsx = (t, p) => ['jsx', t, p.id]; export const Fragment = 'F';";
    let files = [
        (
            "node_modules/react/package.json",
            r#"{"type":"module","exports":{"./jsx-runtime":"./r.js"}}"#,
        ),
        ("node_modules/react/r.js", runtime),
        ("package.json", r#"{"type":"module"}"#),
        (
            "a.tsx",
            "const id: string = 'i';\nexport default <p id={id}/>;",
        ),
        (
            "h.jsx",
            "const h = (t, p) => ['h', t, p.id];\nexport default <p id='j'/>;",
        ),
    ];
    let off = project(&sidecar, folder.path(), ModuleOptions::default(), &files);
    assert_eq!(
        code_of(imported(&off, "/app/a.tsx")),
        "ERR_UNKNOWN_FILE_EXTENSION"
    );
    let automatic = project(&sidecar, folder.path(), with_jsx(Jsx::automatic()), &[]);
    assert_eq!(
        json(imported(&automatic, "/app/a.tsx")),
        serde_json::json!(["jsx", "p", "i"])
    );
    let classic = Jsx::Classic {
        factory: "h".to_owned(),
        fragment: "F".to_owned(),
    };
    let classic = project(&sidecar, folder.path(), with_jsx(classic), &[]);
    assert_eq!(
        json(imported(&classic, "/app/h.jsx")),
        serde_json::json!(["h", "p", "j"])
    );
}

#[test]
fn a_module_of_the_host_is_what_its_name_says() {
    let sidecar = sidecar();
    let session = open(&sidecar, SessionOptions::default());
    let mut execute = import("");
    execute.code = Code::Module {
        name: "host.ts".to_owned(),
        source: "type A = 1;\nexport default 5 as A;".into(),
    };
    assert_eq!(json(session.execute(execute).unwrap().outcome), 5);
}

#[test]
fn options_of_elements_are_looked_at_before_anything_starts() {
    for args in [
        &["-e", "1", "--jsx", "classic", "--jsx-factory", "a-b"][..],
        &["-e", "1", "--jsx", "automatic", "--jsx-import-source", ""],
        &["-e", "1", "--jsx", "preact"],
    ] {
        let ran = run_cli(args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("--jsx"), "{ran:?}");
    }
}

#[test]
fn sessions_with_different_options_each_get_theirs_of_one_file() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    let text = "const a = (...of) => ['a', ...of.slice(0, 1)], b = (...of) => ['b', ...of.slice(0, 1)];\n\
                enum E { A = 1 }\nexport default <p/>;";
    let plain = [("x.tsx", text), FILES[3]];
    let classic = |factory: &str, typescript| ModuleOptions {
        typescript,
        jsx: Jsx::Classic {
            factory: factory.to_owned(),
            fragment: "F".to_owned(),
        },
    };
    let open = |options, files: &[(&str, &str)]| project(&sidecar, folder.path(), options, files);
    let first = open(classic("a", TypeScript::Transform), &plain);
    let second = open(classic("b", TypeScript::Transform), &[]);
    let strip = open(classic("b", TypeScript::Strip), &[]);
    let off = open(transform(), &[]);
    for _ in 0..2 {
        // The second time, what was made for the others is there.
        let json_of = |session: &Session| json(imported(session, "/app/x.tsx"));
        assert_eq!(json_of(&first), serde_json::json!(["a", "p"]));
        assert_eq!(json_of(&second), serde_json::json!(["b", "p"]));
        let code = code_of(imported(&strip, "/app/x.tsx"));
        assert_eq!(code, "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX");
        assert_eq!(
            code_of(imported(&off, "/app/x.tsx")),
            "ERR_UNKNOWN_FILE_EXTENSION"
        );
    }
    let third = open(classic("a", TypeScript::Transform), &[]);
    assert_eq!(
        json(imported(&third, "/app/x.tsx")),
        serde_json::json!(["a", "p"])
    );
}

#[test]
fn a_snapshot_is_made_with_its_options_and_named_by_them() {
    let (sidecar, folder) = (sidecar(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("s.mts"), "export default 2 as number;").unwrap();
    fs::write(folder.path().join("e.mts"), FILES[3].1).unwrap();
    let warm = |entry: &str, modules| {
        sidecar.warm_snapshot(SnapshotSpec {
            roots: vec![root(folder.path(), "/app")],
            entries: vec![format!("/app/{entry}.mts")],
            modules,
            ..SnapshotSpec::default()
        })
    };
    let strip = warm("s", ModuleOptions::default()).unwrap();
    assert_eq!(warm("s", ModuleOptions::default()).unwrap().key, strip.key);
    assert_ne!(warm("s", transform()).unwrap().key, strip.key);
    assert_ne!(
        warm("s", with_jsx(Jsx::automatic())).unwrap().key,
        strip.key
    );
    let refused = warm("e", ModuleOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("enum"), "{refused}");
    let key = warm("e", transform()).unwrap().key;
    let session = open(
        &sidecar,
        SessionOptions {
            snapshot: Some(key),
            ..SessionOptions::default()
        },
    );
    assert_eq!(json(imported(&session, "/app/e.mts")), 7);
}
