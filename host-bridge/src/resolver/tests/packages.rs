//! Packages: `main`, `exports`, `imports` and self-reference.

use super::*;

const PLAIN: [(&str, &str); 15] = [
    ("node_modules/plain/index.js", ""),
    ("node_modules/plain/sub.js", ""),
    ("node_modules/main/package.json", r#"{"main": "lib/m"}"#),
    ("node_modules/main/lib/m.js", ""),
    (
        "node_modules/stale/package.json",
        r#"{"main": "./gone.js"}"#,
    ),
    ("node_modules/stale/index.js", ""),
    ("node_modules/empty/package.json", "{}"),
    ("node_modules/gone/package.json", r#"{"main": "./gone.js"}"#),
    ("node_modules/broken/package.json", "{"),
    ("node_modules/null/package.json", "null"),
    (
        "node_modules/@s/p/package.json",
        r#"{"type": "module", "main": "./p.js"}"#,
    ),
    ("node_modules/@s/p/p.js", ""),
    ("node_modules/single.js", ""),
    ("node_modules/.hidden/index.js", ""),
    ("package.json", r#"{"main": "unused"}"#),
];

const PLAIN_TABLE: &str = "
    plain        | = | /app/node_modules/plain/index.js Undeclared
    plain/sub.js | = | /app/node_modules/plain/sub.js Undeclared
    plain/sub    | ERR_MODULE_NOT_FOUND | /app/node_modules/plain/sub.js Undeclared
    plain/       | ERR_UNSUPPORTED_DIR_IMPORT | /app/node_modules/plain/index.js Undeclared
    main         | = | /app/node_modules/main/lib/m.js Undeclared
    stale        | = | /app/node_modules/stale/index.js Undeclared
    @s/p         | = | /app/node_modules/@s/p/p.js EsModule
    empty        | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    gone         | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    none         | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    broken       | ERR_INVALID_PACKAGE_CONFIG | SyntaxError
    null         | TypeError
    single       | ERR_MODULE_NOT_FOUND | /app/node_modules/single.js Undeclared
    .hidden      | ERR_INVALID_MODULE_SPECIFIER | /app/node_modules/.hidden/index.js Undeclared
    @s           | ERR_INVALID_MODULE_SPECIFIER | MODULE_NOT_FOUND
    a%b          | ERR_INVALID_MODULE_SPECIFIER | MODULE_NOT_FOUND
";

#[test]
fn packages_without_exports() {
    let app = App::new(&PLAIN);
    app.check(PLAIN_TABLE);
    let path = "/app/node_modules/plain/index.js Undeclared";
    assert_eq!(app.ask("/app/x/y/a.js", "plain", Require), path);
    let url = format!("file://{path}");
    assert_eq!(app.ask("/app/x/y/a.js", "plain", Import), url);
}

const EXPORTS: &str = r#"{"exports": {
    ".": {"browser": "./no.js", "import": "./i.mjs", "require": "./r.cjs"},
    "./nested": {"node": {"special": "./s.js", "worker": "./no.js"}, "default": "./d.js"},
    "./order": {"default": "./d.js", "import": "./i.mjs"},
    "./array": ["no-dot.js", {"browser": "./no.js"}, "./d.js", "./no.js"],
    "./array-missing": ["./no.js", "./d.js"],
    "./array-bad": ["no-dot.js", "../up.js"],
    "./array-empty": [],
    "./lib/*": "./lib/*.js",
    "./lib/*.js": "./lib/*.js",
    "./lib/private/*": null,
    "./lib/private/but-not-this": "./d.js",
    "./two/*": "./lib/*/*.js",
    "./up": "./../d.js",
    "./modules": "./node_modules/x.js",
    "./number": 1,
    "./missing": "./no.js",
    "./directory": "./lib",
    "./encoded": "./lib%2fone.js"
}}"#;

const EXPORTING: [(&str, &str); 14] = [
    ("node_modules/p/package.json", EXPORTS),
    ("node_modules/p/i.mjs", ""),
    ("node_modules/p/r.cjs", ""),
    ("node_modules/p/d.js", ""),
    ("node_modules/p/s.js", ""),
    ("node_modules/p/lib/one.js", ""),
    ("node_modules/p/lib/one/one.js", ""),
    ("node_modules/p/lib/private/x.js", ""),
    (
        "node_modules/numeric/package.json",
        r#"{"exports": {"1": "./a.js"}}"#,
    ),
    (
        "node_modules/mixed/package.json",
        r#"{"exports": {".": "./a.js", "import": "./a.js"}}"#,
    ),
    ("node_modules/false/package.json", r#"{"exports": false}"#),
    ("node_modules/null/package.json", r#"{"exports": null}"#),
    (
        "node_modules/only/package.json",
        r#"{"exports": {"require": "./a.js"}}"#,
    ),
    ("node_modules/only/a.js", ""),
];

const EXPORTS_TABLE: &str = "
    p               | file:///app/node_modules/p/i.mjs EsModule | /app/node_modules/p/r.cjs CommonJs
    p/nested        | = | /app/node_modules/p/d.js Undeclared
    p/order         | = | /app/node_modules/p/d.js Undeclared
    p/array         | = | /app/node_modules/p/d.js Undeclared
    p/lib/one       | = | /app/node_modules/p/lib/one.js Undeclared
    p/lib/one.js    | = | /app/node_modules/p/lib/one.js Undeclared
    p/two/one       | = | /app/node_modules/p/lib/one/one.js Undeclared
    p/lib/private/but-not-this | = | /app/node_modules/p/d.js Undeclared
    p/missing       | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    p/array-missing | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    p/directory     | ERR_UNSUPPORTED_DIR_IMPORT | MODULE_NOT_FOUND
    only            | ERR_PACKAGE_PATH_NOT_EXPORTED | /app/node_modules/only/a.js Undeclared
    null            | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    p/none          | ERR_PACKAGE_PATH_NOT_EXPORTED
    p/d.js          | ERR_PACKAGE_PATH_NOT_EXPORTED
    p/lib/private/x | ERR_PACKAGE_PATH_NOT_EXPORTED
    p/array-empty   | ERR_PACKAGE_PATH_NOT_EXPORTED
    false           | ERR_PACKAGE_PATH_NOT_EXPORTED
    p/array-bad     | ERR_INVALID_PACKAGE_TARGET
    p/up            | ERR_INVALID_PACKAGE_TARGET
    p/modules       | ERR_INVALID_PACKAGE_TARGET
    p/number        | ERR_INVALID_PACKAGE_TARGET
    p/encoded       | ERR_INVALID_MODULE_SPECIFIER
    p/lib/../d      | ERR_INVALID_MODULE_SPECIFIER
    p/lib/%2e%2e/d  | ERR_INVALID_MODULE_SPECIFIER
    numeric         | ERR_INVALID_PACKAGE_CONFIG
    mixed           | ERR_INVALID_PACKAGE_CONFIG
";

#[test]
fn exports() {
    App::new(&EXPORTING).check(EXPORTS_TABLE);
}

#[test]
fn conditions_of_the_host() {
    let app = App::with_conditions(&EXPORTING, &["special"]);
    app.check("p/nested | = | /app/node_modules/p/s.js Undeclared");
}

const IMPORTS: &str = r##"{"name": "me", "exports": {".": "./t.js", "./sub": "./t.js"},
"imports": {
    "#t": "./t.js", "#fs": "fs", "#dep": "dep", "#dep/*": "dep/*.js", "#lib/*": "./lib/*.js",
    "#null": null, "#up": "../t.js", "#url": "https://x", "#missing": "nope", "#*/x": "./t.js"
}}"##;

const IMPORTING: [(&str, &str); 7] = [
    ("package.json", IMPORTS),
    ("t.js", ""),
    ("lib/z.js", ""),
    ("node_modules/dep/index.js", ""),
    ("node_modules/dep/s.js", ""),
    ("nested/package.json", "{}"),
    ("nested/n.js", ""),
];

const IMPORTS_TABLE: &str = "
    #t       | = | /app/t.js Undeclared
    #q/x     | = | /app/t.js Undeclared
    #lib/z   | = | /app/lib/z.js Undeclared
    #dep     | = | /app/node_modules/dep/index.js Undeclared
    #dep/s   | = | /app/node_modules/dep/s.js Undeclared
    me       | = | /app/t.js Undeclared
    me/sub   | = | /app/t.js Undeclared
    #fs      | builtin fs | ERR_INVALID_URL_SCHEME
    #missing | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
    #null    | ERR_PACKAGE_IMPORT_NOT_DEFINED
    #none    | ERR_PACKAGE_IMPORT_NOT_DEFINED
    #up      | ERR_INVALID_PACKAGE_TARGET
    #url     | ERR_INVALID_PACKAGE_TARGET
    #        | ERR_INVALID_MODULE_SPECIFIER
    #/t      | ERR_INVALID_MODULE_SPECIFIER
    #t/      | ERR_INVALID_MODULE_SPECIFIER
    me/none  | ERR_PACKAGE_PATH_NOT_EXPORTED
";

#[test]
fn imports_and_self_reference() {
    let app = App::new(&IMPORTING);
    app.check(IMPORTS_TABLE);
    let nested = |specifier, kind| app.ask("/app/nested/n.js", specifier, kind);
    assert_eq!(nested("#t", Import), "ERR_PACKAGE_IMPORT_NOT_DEFINED");
    assert_eq!(nested("#t", Require), "MODULE_NOT_FOUND");
    assert_eq!(nested("me", Import), "ERR_MODULE_NOT_FOUND");
}
