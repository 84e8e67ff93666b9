//! Corners in which Node 20 does what its documentation leaves open, each row as Node
//! answers it.

use super::*;

#[test]
fn a_file_is_undeclared_where_its_package_does_not_say() {
    let app = App::new(&[
        ("bare/a.js", ""),
        ("bare/bin", ""),
        ("cjs/package.json", r#"{"type": "commonjs"}"#),
        ("cjs/a.js", ""),
        ("cjs/bin", ""),
        ("cjs/x.foo", ""),
        ("odd/package.json", r#"{"type": "es6"}"#),
        ("odd/a.js", ""),
        ("esm/package.json", r#"{"type": "module"}"#),
        ("esm/x.foo", ""),
        ("esm/.js", ""),
        ("esm/.cjs", ""),
        ("node_modules/p/package.json", "{}"),
        ("node_modules/p/index.js", ""),
    ]);
    app.check(
        "
        ./bare/a.js | = | /app/bare/a.js Undeclared
        ./bare/bin  | = | /app/bare/bin Undeclared
        ./cjs/a.js  | = | /app/cjs/a.js CommonJs
        ./cjs/bin   | file:///app/cjs/bin CommonJs | /app/cjs/bin Undeclared
        ./cjs/x.foo | ERR_UNKNOWN_FILE_EXTENSION | /app/cjs/x.foo Undeclared
        ./odd/a.js  | = | /app/odd/a.js Undeclared
        ./esm/x.foo | ERR_UNKNOWN_FILE_EXTENSION | /app/esm/x.foo Undeclared
        ./esm/.js   | = | /app/esm/.js EsModule
        ./esm/.cjs  | file:///app/esm/.cjs EsModule | /app/esm/.cjs CommonJs
        p           | = | /app/node_modules/p/index.js Undeclared
        ",
    );
}

#[test]
fn conditions_that_node_sets() {
    let app = App::new(&[
        (
            "node_modules/p/package.json",
            r#"{"exports": {
                ".": {"module-sync": "./sync.mjs", "default": "./no.js"},
                "./a": {"node-addons": "./a.cjs", "default": "./no.js"}
            }}"#,
        ),
        ("node_modules/p/sync.mjs", ""),
        ("node_modules/p/a.cjs", ""),
    ]);
    app.check(
        "
        p   | = | /app/node_modules/p/sync.mjs EsModule
        p/a | = | /app/node_modules/p/a.cjs CommonJs
        ",
    );
}

const DATA: &str = r#"
    data:text/javascript,1                     | data:text/javascript,1 EsModule
    DATA:text/javascript,1                     | data:text/javascript,1 EsModule
    data:TEXT/JavaScript;charset=utf-8,1       | data:TEXT/JavaScript;charset=utf-8,1 EsModule
    data:application/javascript;base64,MQ==    | data:application/javascript;base64,MQ== EsModule
    data:application/json,{}                   | data:application/json,{} Json
    data:application/wasm;base64,AGFzbQEAAAA=  | data:application/wasm;base64,AGFzbQEAAAA= Wasm
    data:application/JSON,{}                   | ERR_UNKNOWN_MODULE_FORMAT
    data:text/plain,1                          | ERR_UNKNOWN_MODULE_FORMAT
    data:,1                                    | ERR_INVALID_URL
    data:text/javascript                       | ERR_INVALID_URL
    data:text/javascript,%zz                   | UriError
    data:text/javascript,%ff                   | UriError
"#;

#[test]
fn data_urls() {
    let app = App::new(&[("b.js", ""), ("node_modules/p/index.js", "")]);
    for row in DATA.trim().lines() {
        let (specifier, wanted) = row.split_once('|').unwrap();
        assert_eq!(
            app.ask("/app/a.mjs", specifier.trim(), Import),
            wanted.trim()
        );
        let required = app.ask("/app/a.mjs", specifier.trim(), Require);
        assert_eq!(required, "MODULE_NOT_FOUND");
    }
    let from_data = |specifier| app.ask("data:text/javascript,1", specifier, Import);
    for specifier in ["./b.js", "/app/b.js", "p", "#x", "", "../b.js"] {
        assert_eq!(from_data(specifier), "ERR_UNSUPPORTED_RESOLVE_REQUEST");
    }
    assert_eq!(from_data("fs"), "builtin fs");
    assert_eq!(from_data("node:fs"), "builtin fs");
    assert_eq!(from_data("file:///app/b.js"), "file:///app/b.js Undeclared");
    assert_eq!(
        from_data("data:text/javascript,2"),
        "data:text/javascript,2 EsModule"
    );
    assert_eq!(from_data("https://x/"), "ERR_UNSUPPORTED_ESM_URL_SCHEME");
}

#[test]
fn bodies_of_data_urls() {
    let app = App::new(&[]);
    let referrer = Referrer::new("/app/a.mjs").unwrap();
    for (specifier, body) in [
        ("data:text/javascript,a%20b%2Bc", "a b+c"),
        ("data:text/javascript,1,2?query#fragment", "1,2"),
        ("data:text/javascript;x=y;base64,YSBi", "a b"),
        ("data:text/javascript;base64,YSBi%3D%3D", "a b"),
        ("data:text/javascript,\u{e9}", "\u{e9}"),
        ("data:text/javascript,", ""),
    ] {
        match app.resolver.resolve(specifier, &referrer, Import) {
            Ok(Resolved::Data { source, .. }) => assert_eq!(source, body.as_bytes(), "{specifier}"),
            other => panic!("{specifier}: {other:?}"),
        }
    }
}

#[test]
fn length_of_a_data_url_below_at_and_above_the_limit() {
    let app = App::new(&[]);
    for (n_bytes, fits) in [
        (MAX_DATA_URL_BYTES - 1, true),
        (MAX_DATA_URL_BYTES, true),
        (MAX_DATA_URL_BYTES + 1, false),
    ] {
        let mut specifier = "data:text/javascript,".to_owned();
        specifier.push_str(&"1".repeat(n_bytes - specifier.len()));
        let answer = app.ask("/app/a.mjs", &specifier, Import);
        assert_eq!(answer != "ERR_INVALID_MODULE_SPECIFIER", fits, "{n_bytes}");
    }
}

#[test]
fn names_of_packages_that_are_no_names() {
    let app = App::new(&[
        ("node_modules/r?q/index.js", ""),
        ("node_modules/p/index.js", ""),
        ("node_modules/@s/package.json", r#"{"exports": "./x.js"}"#),
        ("node_modules/@s/x.js", ""),
        ("node_modules/index.js", ""),
    ]);
    app.check(
        "
        r?q     | ERR_MODULE_NOT_FOUND | /app/node_modules/r?q/index.js Undeclared
        p?q     | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
        p#h     | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
        @s      | ERR_INVALID_MODULE_SPECIFIER | /app/node_modules/@s/x.js Undeclared
        @s/     | file:///app/node_modules/@s/x.js Undeclared | ERR_PACKAGE_PATH_NOT_EXPORTED
        @s/.x   | ERR_MODULE_NOT_FOUND | ERR_PACKAGE_PATH_NOT_EXPORTED
                | file:///app/node_modules/index.js Undeclared | ERR_INVALID_ARG_VALUE
        ",
    );
    let url = "file:///app/node_modules/p/index.js Undeclared";
    assert_eq!(app.ask("/app/a.mjs", "p\t", Import), url);
}

#[test]
fn queries_and_fragments_that_say_nothing_are_dropped() {
    let app = App::new(&[("b.js", "")]);
    for (specifier, url) in [
        ("./b.js?", "file:///app/b.js"),
        ("./b.js#", "file:///app/b.js"),
        ("./b.js?#", "file:///app/b.js"),
        ("./b.js?x#", "file:///app/b.js?x"),
    ] {
        let answer = app.ask("/app/a.mjs", specifier, Import);
        assert_eq!(answer, format!("{url} Undeclared"));
    }
}

#[test]
fn main_is_a_url_for_import_and_a_path_for_require() {
    let app = App::new(&[
        ("node_modules/q/package.json", r#"{"main": "b.js?x"}"#),
        ("node_modules/q/b.js", ""),
        ("node_modules/c/package.json", r#"{"main": "%62.js"}"#),
        ("node_modules/c/b.js", ""),
        ("node_modules/d/package.json", r#"{"main": "lib/"}"#),
        ("node_modules/d/lib.js", ""),
        ("node_modules/d/lib/index.js", ""),
        ("node_modules/t/package.json", r#"{"exports": "./b.js/"}"#),
        ("node_modules/t/b.js", ""),
    ]);
    app.check(
        "
        q | file:///app/node_modules/q/b.js?x Undeclared | MODULE_NOT_FOUND
        c | file:///app/node_modules/c/b.js Undeclared | MODULE_NOT_FOUND
        d | file:///app/node_modules/d/lib/index.js Undeclared | /app/node_modules/d/lib.js Undeclared
        t | ERR_UNSUPPORTED_DIR_IMPORT | MODULE_NOT_FOUND
        ",
    );
}

#[test]
fn scopes_end_at_node_modules_by_name() {
    let app = App::new(&[
        (
            "package.json",
            r##"{"type": "module", "imports": {"#x": "./b.cjs"}}"##,
        ),
        ("b.cjs", ""),
        ("my_node_modules/a.js", ""),
        ("imports/package.json", r#"{"imports": 1}"#),
        ("imports/a.js", ""),
        ("builtin/package.json", r##"{"imports": {"#fs": "fs"}}"##),
        ("builtin/a.js", ""),
    ]);
    app.check("./my_node_modules/a.js | file:///app/my_node_modules/a.js Undeclared | /app/my_node_modules/a.js EsModule");
    let undefined = "ERR_PACKAGE_IMPORT_NOT_DEFINED";
    for kind in [Import, Require] {
        assert_eq!(app.ask("/app/my_node_modules/a.js", "#x", kind), undefined);
        assert_eq!(app.ask("/app/imports/a.js", "#x", kind), undefined);
    }
    assert_eq!(app.ask("/app/builtin/a.js", "#fs", Import), "builtin fs");
    let refused = app.ask("/app/builtin/a.js", "#fs", Require);
    assert_eq!(refused, "ERR_INVALID_URL_SCHEME");
}

#[test]
fn a_relative_request_leaves_a_directory_that_is_not_there() {
    let app = App::new(&[("b.js", "")]);
    let found = "/app/b.js Undeclared";
    assert_eq!(app.ask("/app/none/x.js", "../b.js", Require), found);
    assert_eq!(app.ask("/app/none/x.js", "./../b.js", Require), found);
    let inside = app.ask("/app/none/x.js", "./x/../../b.js", Require);
    assert_eq!(inside, found);
    assert_eq!(
        app.ask("/app/none/x.js", "./b.js", Require),
        "MODULE_NOT_FOUND"
    );
}

#[test]
fn urls_without_a_module_are_still_urls() {
    let app = App::new(&[]);
    let referrer = Referrer::new("/app/a.mjs").unwrap();
    for (specifier, wanted) in [
        ("HTTP://X/../y", "http://x/y"),
        ("node:nope", "node:nope"),
        ("data:text/plain,1", "data:text/plain,1"),
    ] {
        let url = wanted.to_owned();
        let located = app.resolver.locate(specifier, &referrer, Import);
        assert_eq!(located, Ok(Location::Url { url }));
    }
    let error = app
        .resolver
        .locate("http://", &referrer, Import)
        .unwrap_err();
    let message = "Cannot find package 'http:' imported from /app/a.mjs";
    assert_eq!(error.to_string(), message);
    for request in ["", "node:nope"] {
        let error = app
            .resolver
            .locate(request, &referrer, Require)
            .unwrap_err();
        assert_eq!(error.code(), "MODULE_NOT_FOUND");
    }
}
