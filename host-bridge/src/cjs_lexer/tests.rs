//! Sources and what they export, then sources that are no sources.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// Each row is `source => names | specifiers`, both separated by blanks.
#[track_caller]
fn check(table: &str) {
    for row in table.trim().lines() {
        let (source, wanted) = row.trim().rsplit_once(" => ").unwrap();
        let (names, specifiers) = wanted.split_once('|').unwrap_or((wanted, ""));
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let wanted = CjsExports {
            exports: list(names),
            reexports: list(specifiers),
        };
        assert_eq!(named_exports(source), Ok(wanted), "{source}");
    }
}

#[test]
fn members() {
    check(
        "
        exports.a = exports.b = 1 => a b
        module.exports.a = 1; exports['b'] = 2; exports[\"c\"] /**/ = 3 => a b c
        module . exports /* x */ . a = 1 => a
        if (maybe) { (function () { exports.a = 1 })() } => a
        exports.a = 1; exports.a = 2 => a
        exports.class = 1; exports.let = 1; exports.default = 1 => class let default
        exports.a == 1 => a
        exports.é = 1; exports['\\u0062'] = 1; exports['\\ud800'] = 1 => é b
        exports.a; exports.a.b = 1; exports.a += 1; exports[a] = 1; exports[`a`] = 1 => |
        foo.exports.a = 1; foo?.exports.a = 1; module.foo.exports.a = 1 => |
        $exports.a = 1; exports$.a = 1; module['exports'].a = 1 => |
        ",
    );
}

#[test]
fn properties() {
    check(
        "
        Object.defineProperty(exports, '__esModule', { value: true }) => __esModule
        Object.defineProperty(module.exports, 'a', { enumerable: true, value: f() }) => a
        Object.defineProperty(exports, 'a', { enumerable: true, get: function () { return q.p; } }) => a
        Object.defineProperty(exports, 'a', { get: function get() { return q['p']; }, }) => a
        Object.defineProperty(exports, 'a', { get () { return b } }) => a
        Object.defineProperty(exports, 'a', { enumerable: false, get () { return b } }) => |
        Object.defineProperty(exports, 'a', { get: () => b }) => |
        Object.defineProperty(exports, 'a', { get () { return b() } }) => |
        Object.defineProperty(exports, 'a', { get () { return 'b' } }) => |
        Object.defineProperty(exports, 'a', { get () { return b } }, 1) => |
        exports.a = 1; Object.defineProperty(exports, 'a', dynamic) => |
        Object.defineProperty(exports, a, { value: 1 }) => |
        Object.defineProperties(exports, { a: { value: 1 } }) => |
        ",
    );
}

#[test]
fn literals() {
    check(
        "
        module.exports = { a, 'b': c, d: e, ...f, g, } => a b d g
        exports = module.exports = { a } => a
        0 && (module.exports = { a, b, ...require('c') }) => a b | c
        module.exports = { ...require('a'), ...require('b') } => | a b
        module.exports = { a: b.c, d } => a
        module.exports = { a, b: 'c', d } => a
        module.exports = { a() {}, b } => a
        module.exports = { a: function () {}, b } => a
        module.exports = { get a() { return 1 }, b } => get
        module.exports = { [a]: b, c } => |
        module.exports = { 1: a, b } => |
        module.exports = { a }; module.exports = { b } => a b
        module.exports = exports = { a } => |
        ",
    );
}

#[test]
fn reexports() {
    check(
        "
        module.exports = require('a') => | a
        module.exports = require('a').b => | a
        module.exports = require('a'); (module => module.exports = require('b'))(c) => | b
        module.exports = require('a'); module.exports = { ...require('b') } => | b
        module.exports = require('a'); module.exports = b => |
        module.exports = require('a'); module.exports.b = 1 => b | a
        module.exports = require(a); module.exports = require(`a`) => |
        __export(require('a')); tslib_1.__exportStar(require('b'), exports) => | a b
        if (a) __exportStar(require('a')) => | a
        { __exportStar(require('a')) } => |
        (0, tslib_1.__exportStar)(require('a'), exports) => |
        ",
    );
}

#[test]
fn star_loops_of_transpilers() {
    let bindings = [
        "var _x = require('x');",
        "const _x = _interopRequireWildcard(require('x'));",
    ];
    let skips = [
        "if (key === 'default' || key === '__esModule') return;",
        "if (key === \"default\" || key === \"__esModule\") return;
         if (Object.prototype.hasOwnProperty.call(_exportNames, key)) return;
         if (key in exports && exports[key] === _x[key]) return;",
        "if (key === 'default' || key === '__esModule') return
         if (key in module.exports && module.exports[key] === _x[key]) return",
        "if (key !== 'default')",
        "if (key !== 'default' && !exports.hasOwnProperty(key))",
        "if (key !== 'default' && !Object.hasOwnProperty.call(exports, key))",
    ];
    let copies = [
        "exports[key] = _x[key];",
        "module.exports[key] = _x[key]",
        "Object.defineProperty(exports, key, {
            enumerable: true, get: function () { return _x[key]; }
         });",
    ];
    let specifiers = |source: &str| named_exports(source).unwrap().reexports;
    for binding in bindings {
        for skip in skips {
            for copy in copies {
                let body = format!("{{ {skip} {copy} }}");
                let repeat = format!("Object.keys(_x).forEach(function (key) {body})");
                assert_eq!(
                    specifiers(&format!("{binding} {repeat}")),
                    ["x"],
                    "{repeat}"
                );
                let nested = format!("{binding} {{ {repeat} }}");
                assert!(specifiers(&nested).is_empty(), "top level only");
                let other = repeat.replace("_x[key]", "_y[key]");
                assert!(specifiers(&format!("{binding} {other}")).is_empty());
            }
        }
    }
}

#[test]
fn what_is_no_code() {
    check(
        "
        'exports.a = 1'; \"exports.b = 1\" => |
        `exports.a = 1`; `${ exports.b = `${ exports.c = 1 }` }` => b c
        x = /exports.a = 1/; y = b / exports.c = 1 / d => c
        if (x) /exports.a = 1/.test(y); f(x) / exports.b = 1 / 2 => b
        x = /[/]exports.a = 1/; y = /\\/exports.b = 1/ => |
        return /exports.a = 1/; typeof /exports.b = 1/ => |
        x++ / exports.a = 1 / 2; x = { a } / exports.b = 1 / 2 => a b
        x.return / exports.a = 1 / 2 => a
        function f() {} /exports.a = 1/ => |
        /* exports.a = 1 */ exports.b = 1 // exports.c = 1 => b
        #!exports.a = 1 => |
        ({ import: 1, export: 2 }); import('x'); x.import; exports.a = 1 => a
        ",
    );
    assert_eq!(
        named_exports("// x\u{2028}exports.a = 1").unwrap().exports,
        ["a"]
    );
    assert_eq!(
        named_exports("'\\\r\n'; exports.a = 1").unwrap().exports,
        ["a"]
    );
}

#[test]
fn what_is_no_source() {
    for (source, error) in [
        ("x = 'a", LexError::UnterminatedString { at: 4 }),
        ("x = 'a\n'", LexError::UnterminatedString { at: 4 }),
        ("`a", LexError::UnterminatedTemplate { at: 0 }),
        ("`${a}", LexError::UnterminatedTemplate { at: 4 }),
        ("x = /a", LexError::UnterminatedRegex { at: 4 }),
        ("a)", LexError::UnexpectedClose { at: 1 }),
        ("(}", LexError::UnexpectedClose { at: 1 }),
        ("({", LexError::Unclosed { n_open: 2 }),
        ("import a from 'a'", LexError::ModuleSyntax { at: 0 }),
        ("; import.meta", LexError::ModuleSyntax { at: 2 }),
        (
            "exports.a = 1; export {}",
            LexError::ModuleSyntax { at: 15 },
        ),
        ("export default 1", LexError::ModuleSyntax { at: 0 }),
    ] {
        assert_eq!(named_exports(source), Err(error), "{source}");
    }
}

#[test]
fn nesting_below_at_and_above_the_limit() {
    for (depth, fits) in [(4095, true), (4096, true), (4097, false)] {
        let source = format!("{}{}", "(".repeat(depth), ")".repeat(depth));
        let wanted = if fits {
            Ok(CjsExports::default())
        } else {
            Err(LexError::TooDeep { limit: 4096 })
        };
        assert_eq!(named_exports(&source), wanted);
    }
}

/// A pattern that looks ahead without a bound takes minutes here.
#[test]
fn hostile_sources_take_linear_time() {
    let long = " ".repeat(1 << 10);
    for part in [
        "exports",
        "module.exports={a,",
        "module.exports={...",
        "Object.defineProperty(exports,'a',{get(){return ",
        "var exports/**/",
        "__exportStar(",
        "/*",
        "//",
        "`${",
        "a/",
        "[/a/",
        "'\\",
        "\\u0061",
        &long,
    ] {
        let source = part.repeat((2 << 20) / part.len());
        let _ = named_exports(&source);
    }
    let mut many = String::new();
    for i in 0..100_000 {
        write!(many, "exports.x{i} = module.exports = require('y{i}');").unwrap();
    }
    assert_eq!(named_exports(&many).unwrap().exports.len(), 100_000);
}

proptest! {
    #[test]
    fn any_text_is_survived(source in any::<String>()) {
        let _ = named_exports(&source);
    }

    #[test]
    fn any_tokens_are_survived(parts in prop::collection::vec(part(), 0..64)) {
        let source = parts.concat();
        if let Ok(found) = named_exports(&source) {
            let n_bytes: usize = found.exports.iter().map(String::len).sum();
            prop_assert!(n_bytes <= source.len());
        }
    }
}

const PARTS: &str = "exports module Object require defineProperty keys forEach function var const \
    return if in get value enumerable true x k __export _interopRequireWildcard import export \
    'a' \"\\u{61}\" '\\ ` ${ / // /* */ \\ ( ) { } [ ] . ... , ; : = === => ++ ! && || ? 1.5 é 😀 #";

fn part() -> impl Strategy<Value = &'static str> {
    let spaces = [" ", "\n", "\u{2028}"];
    prop::sample::select(PARTS.split(' ').chain(spaces).collect::<Vec<_>>())
}

#[test]
fn exports_of_a_file_are_found_once() {
    let dir = tempfile::TempDir::new().unwrap();
    std::fs::write(dir.path().join("a.js"), "exports.a = 1").unwrap();
    std::fs::write(dir.path().join("b.js"), b"exports.b = '\xff'").unwrap();
    let directories = crate::reader::HostDirectories::open(&[(dir.path(), "/app")]).unwrap();
    let contents = directories.read("/app/a.js").unwrap();
    let found = exports_of(&contents);
    assert_eq!(found.exports, ["a"]);
    assert!(std::sync::Arc::ptr_eq(&found, &exports_of(&contents)));
    let contents = directories.read("/app/b.js").unwrap();
    assert!(exports_of(&contents).exports.is_empty(), "not UTF-8");
}
