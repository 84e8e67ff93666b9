//! Code that is written anew: TypeScript that needs code, elements, and the maps of both.

use super::*;

fn transform(text: &str, path: &str) -> String {
    let made = ask(text, path, TypeScript::Transform, Jsx::Off).unwrap();
    assert!(made.source_map.is_some());
    made.code.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(text: &str, path: &str, expected: &str) {
    assert_eq!(transform(text, path), expected, "{text}");
}

#[test]
fn typescript_that_needs_code() {
    let enumeration = r#"var A = /*#__PURE__*/ function(A) { A[A["B"] = 0] = "B"; A["C"] = "c"; return A; }(A || {});"#;
    check("enum A { B, C = 'c' }", "a.mts", enumeration);
    check(
        "import a = require('a'); a();",
        "a.cts",
        "const a = require('a'); a();",
    );
    check("export = 1;", "a.cts", "module.exports = 1;");
    let class = "class A { a; constructor(a){ this.a = a; } }";
    check("class A { constructor(private a: 1) {} }", "a.mts", class);
    let namespace = "(function(N) { N.a = 1; })(N || (N = {})); var N;";
    check("namespace N { export const a = 1 }", "a.mts", namespace);
}

#[test]
fn an_import_that_is_not_of_a_type_stays() {
    let text = "import { A } from 'a'; import { type B } from 'b'; import type { C } from 'c';";
    check(text, "a.mts", "import { A } from 'a'; import 'b';");
}

fn elements(text: &str, path: &str, jsx: Jsx) -> String {
    let code = ask(text, path, TypeScript::Strip, jsx).unwrap().code;
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn elements_by_the_automatic_runtime() {
    let text = "export const a = <p id={b as string}>{c}{d}</p>;";
    let code = elements(text, "a.tsx", Jsx::automatic());
    assert!(
        code.contains(r#"import { jsxs as _jsxs } from "react/jsx-runtime";"#),
        "{code}"
    );
    let preact = Jsx::Automatic {
        import_source: "preact".to_owned(),
    };
    let code = elements("export default <></>;", "a.jsx", preact);
    assert!(
        code.contains(r#"Fragment as _Fragment } from "preact/jsx-runtime";"#),
        "{code}"
    );
    let named = "/** @jsxImportSource solid */ export default <p/>;";
    let code = elements(named, "a.jsx", Jsx::automatic());
    assert!(code.contains(r#"from "solid/jsx-runtime";"#), "{code}");
}

#[test]
fn elements_in_commonjs_require_the_runtime() {
    let options = ModuleOptions {
        typescript: TypeScript::Strip,
        jsx: Jsx::automatic(),
    };
    let request = Request {
        language: Language::Jsx,
        format: ModuleFormat::CommonJs,
        path: "/app/a.jsx",
        options: &options,
    };
    let code = to_javascript("module.exports = <p/>;", &request)
        .unwrap()
        .code;
    assert!(code.contains(r#"require("react/jsx-runtime")"#), "{code}");
}

#[test]
fn elements_by_the_classic_runtime() {
    let text = "export const a = <><P x='1'/></>;";
    let code = elements(text, "a.tsx", Jsx::classic());
    let expected = r#"export const a = /*#__PURE__*/ React.createElement(React.Fragment, null, /*#__PURE__*/ React.createElement(P, { x: "1" }));"#;
    assert_eq!(code, expected);
    let own = Jsx::Classic {
        factory: "h".to_owned(),
        fragment: "F".to_owned(),
    };
    let code = elements(text, "a.jsx", own);
    assert_eq!(
        code,
        r#"export const a = /*#__PURE__*/ h(F, null, /*#__PURE__*/ h(P, { x: "1" }));"#
    );
}

#[test]
fn what_needs_code_is_refused_beside_elements_too() {
    let error = ask(
        "enum A {}\n<p/>",
        "a.tsx",
        TypeScript::Strip,
        Jsx::automatic(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX");
    let both = ask(
        "enum A {}\n<p/>",
        "a.tsx",
        TypeScript::Transform,
        Jsx::automatic(),
    );
    assert!(both.unwrap().code.contains("_jsx"));
}

#[test]
fn a_map_leads_back_to_the_text() {
    let text = "enum A { B }\ntype X = 1;\n\n  throw new Error(A.B as any);\n";
    let made = ask(text, "/app/src/é.mts", TypeScript::Transform, Jsx::Off).unwrap();
    let line = made
        .code
        .lines()
        .position(|line| line.contains("throw"))
        .unwrap();
    let column = made.code.lines().nth(line).unwrap().find("new").unwrap();
    let map = sourcemap::SourceMap::from_slice(made.source_map.unwrap().as_bytes()).unwrap();
    let token = map
        .lookup_token(u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
        .unwrap();
    assert_eq!(token.get_source(), Some("é.mts"));
    assert_eq!((token.get_src_line(), token.get_src_col()), (3, 8));
}
