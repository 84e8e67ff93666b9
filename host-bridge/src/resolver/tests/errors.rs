//! Messages, referrers, memory and limits.

use super::*;
use crate::reader::ReaderLimits;

/// `kind | specifier | message`
const MESSAGES: &str = r##"
import  | x       | Cannot find package 'x' imported from /app/a.mjs
import  | ./x     | Cannot find module '/app/x' imported from /app/a.mjs
require | x       | Cannot find module 'x' Require stack: - /app/a.mjs
require | gone    | Cannot find module '/app/node_modules/gone/gone.js'. Please verify that the package.json has a valid "main" entry
import  | ./d     | Directory import '/app/d' is not supported resolving ES modules imported from /app/a.mjs
import  | ./x.foo | Unknown file extension ".foo" for /app/x.foo
import  | p       | No "exports" main defined in /app/node_modules/p/package.json imported from /app/a.mjs
require | p/s     | Package subpath './s' is not defined by "exports" in /app/node_modules/p/package.json
import  | p/bad   | Invalid "exports" target "bad.js" defined for './bad' in the package config /app/node_modules/p/package.json imported from /app/a.mjs; targets must start with "./"
import  | #x      | Package import specifier "#x" is not defined imported from /app/a.mjs
import  | @x      | Invalid module "@x" is not a valid package name imported from /app/a.mjs
require | node:x  | No such built-in module: node:x
"##;

#[test]
fn messages_are_those_of_node() {
    let app = App::new(&[
        ("d/x", ""),
        ("x.foo", ""),
        (
            "node_modules/p/package.json",
            r#"{"exports": {"./bad": "bad.js"}}"#,
        ),
        ("node_modules/gone/package.json", r#"{"main": "gone.js"}"#),
    ]);
    for row in MESSAGES.trim().lines() {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let kind = if columns[0] == "import" {
            Import
        } else {
            Require
        };
        let message = app.message(columns[1], kind).replace('\n', " ");
        assert_eq!(message, columns[2]);
    }
}

#[test]
fn location_needs_no_format() {
    let app = App::new(&[("notes.txt", "")]);
    let referrer = Referrer::new("file:///app/a.mjs?x").unwrap();
    let locate = |specifier| app.resolver.locate(specifier, &referrer, Import);
    let url = "file:///app/notes.txt".to_owned();
    let path = "/app/notes.txt".to_owned();
    assert_eq!(locate("./notes.txt"), Ok(Location::File { path, url }));
    let error = locate("./none.txt").unwrap_err();
    assert_eq!(error.url(), Some("file:///app/none.txt"));
    assert_eq!(error.class(), ErrorClass::Error);
}

#[test]
fn referrers() {
    for (referrer, path) in [
        ("/app/../a.js", Some("/a.js")),
        ("file:///a%20b.js?q", Some("/a b.js")),
        ("a.js", None),
        ("https://x/a.js", None),
        ("file://host/a.js", None),
    ] {
        let referrer = Referrer::new(referrer);
        assert_eq!(referrer.as_ref().ok().map(Referrer::path), path);
    }
    let entry = Referrer::in_directory("/app/").unwrap();
    assert_eq!(entry.path(), "/app/[eval]");
}

#[test]
fn what_is_found_is_remembered_and_what_is_not_is_not() {
    let app = App::new(&[("b.js", "")]);
    assert_eq!(
        app.ask("/app/a.mjs", "./c.js", Import),
        "ERR_MODULE_NOT_FOUND"
    );
    fs::rename(app.dir.path().join("b.js"), app.dir.path().join("c.js")).unwrap();
    let found = "file:///app/c.js Undeclared";
    assert_eq!(app.ask("/app/a.mjs", "./c.js", Import), found);
    fs::remove_file(app.dir.path().join("c.js")).unwrap();
    assert_eq!(app.ask("/app/other.mjs", "./c.js", Import), found);
}

#[test]
fn specifier_length_below_at_and_above_the_limit() {
    let app = App::new(&[]);
    for (n_bytes, code) in [
        (MAX_SPECIFIER_BYTES - 1, "ERR_MODULE_NOT_FOUND"),
        (MAX_SPECIFIER_BYTES, "ERR_MODULE_NOT_FOUND"),
        (MAX_SPECIFIER_BYTES + 1, "ERR_INVALID_MODULE_SPECIFIER"),
    ] {
        assert_eq!(app.ask("/app/a.mjs", &"a".repeat(n_bytes), Import), code);
    }
}

#[test]
fn a_spent_reader_is_an_error_of_its_own() {
    let app = App::new(&[
        ("node_modules/p/package.json", "{}"),
        ("node_modules/p/index.js", ""),
    ]);
    let limits = ReaderLimits {
        max_files: 0,
        ..ReaderLimits::default()
    };
    let directories = app.resolver.directories().for_session(limits);
    let resolver = Resolver::new(Arc::new(directories), ResolverOptions::default());
    let referrer = Referrer::new("/app/a.mjs").unwrap();
    for kind in [Import, Require] {
        let error = resolver.resolve("p", &referrer, kind).unwrap_err();
        assert_eq!(error.code(), "EDQUOT");
    }
}

#[test]
fn hints_name_what_require_finds() {
    let app = App::new(&[
        ("b.js", ""),
        ("sub/c.js", ""),
        ("x y/[d].js", ""),
        ("dir/index.js", ""),
        ("node_modules/p/package.json", "{}"),
        ("node_modules/p/lib/a b.js", ""),
        ("node_modules/q", "-> ../sub"),
        ("node_modules/none/x", ""),
    ]);
    let hint = |referrer: &str, specifier: &str| {
        let referrer = Referrer::new(referrer).unwrap();
        let error = app.resolver.resolve(specifier, &referrer, Import);
        let message = error.unwrap_err().to_string();
        let hint = message.split_once("\nDid you mean to import ");
        hint.map(|(_, hint)| hint.to_owned())
    };
    let wanted = |specifier: &str| Some(format!("{specifier:?}?"));
    for (referrer, specifier, found) in [
        ("/app/a.mjs", "./b", wanted("./b.js")),
        ("/app/a.mjs", "./dir", wanted("./dir/index.js")),
        ("/app/a.mjs", "./x y/[d]", wanted("./x%20y/%5Bd%5D.js")),
        ("/app/a.mjs", "p/lib/a b", wanted("p/lib/a%20b.js")),
        ("/app/a.mjs", "q/c", wanted("file:///app/sub/c.js")),
        ("/app/a.mjs", "/app/b", wanted("/app/b.js")),
        ("/app/a.mjs", "file:///app/b", wanted("/app/b.js")),
        ("/app/a.mjs", "./nothing", None),
        ("/app/a.mjs", "none", None),
        // Node looks in the working directory, here /app.
        ("/app/sub/a.mjs", "./c", None),
        ("/app/sub/a.mjs", "./b", wanted("../b.js")),
    ] {
        assert_eq!(hint(referrer, specifier), found, "{specifier}");
    }
}

#[test]
fn properties_are_those_of_node() {
    let app = App::new(&[
        ("d/x", ""),
        ("node_modules/gone/package.json", r#"{"main": "gone.js"}"#),
        ("node_modules/e/package.json", r#"{"exports": "./no.js"}"#),
        ("node_modules/broken/package.json", "{"),
    ]);
    let referrer = Referrer::new("/app/a.mjs").unwrap();
    let gone = "/app/node_modules/gone/package.json";
    let broken = "/app/node_modules/broken/package.json";
    for (kind, specifier, wanted) in [
        (Import, "./x?q", vec![("url", "file:///app/x?q")]),
        (Import, "./d", vec![("url", "file:///app/d")]),
        (Import, "x", vec![]),
        (Require, "x", vec![]),
        (
            Require,
            "gone",
            vec![("path", gone), ("requestPath", "gone")],
        ),
        (
            Require,
            "e",
            vec![("path", "/app/node_modules/e/package.json")],
        ),
        (Require, "broken", vec![("path", broken)]),
        (Import, "broken", vec![]),
        (
            Import,
            "file://host/x",
            vec![("input", "file://host/x"), ("module", "file:///app/a.mjs")],
        ),
        (
            Import,
            "./%ff",
            vec![
                ("input", "file:///app/%ff"),
                ("module", "file:///app/a.mjs"),
            ],
        ),
        (Import, "data:,", vec![("input", "data:,")]),
    ] {
        let error = app
            .resolver
            .resolve(specifier, &referrer, kind)
            .unwrap_err();
        assert_eq!(error.properties(), wanted, "{kind} {specifier}");
    }
}

#[test]
fn a_package_that_is_installed_meanwhile_is_found() {
    let app = App::new(&[("node_modules/p/index.js", ""), ("sub/deep/a.js", "")]);
    for kind in [Import, Require] {
        let ask = |specifier| app.ask("/app/sub/deep/a.js", specifier, kind);
        let not_found = ask("q");
        assert!(not_found.ends_with("MODULE_NOT_FOUND"), "{not_found}");
        assert!(ask("p").ends_with("/app/node_modules/p/index.js Undeclared"));
        let package = app.dir.path().join("sub/node_modules/q");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), r#"{"main": "m.js"}"#).unwrap();
        fs::write(package.join("m.js"), "").unwrap();
        assert!(ask("q").ends_with("/app/sub/node_modules/q/m.js Undeclared"));
        fs::remove_dir_all(app.dir.path().join("sub/node_modules")).unwrap();
    }
}
