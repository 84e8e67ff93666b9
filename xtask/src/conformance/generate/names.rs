//! Class `names`: CommonJS that an ES module imports. Which names it sees is found by reading, not running, so every way in which
//! compilers write exports counts, and also what only looks like one.

use super::{Rng, Tree, list, quoted};

/// Ways to export, with `N` for a name and `M` for another file. What real compilers write, and what people do.
const SHAPES: [&str; 68] = [
    "exports.N = 'N';",
    "module.exports.N = 'N';",
    "exports['N'] = 'N';",
    "module.exports[\"N\"] = 'N';",
    "exports [ 'N' ] = 'N';",
    "exports . N = 'N';",
    "module . exports . N = 'N';",
    "exports.N = exports.N2 = 'N';",
    "exports.N = void 0;",
    "exports.N = exports.N2 = exports.N3 = void 0;",
    "Object.defineProperty(exports, '__esModule', { value: true });",
    "Object.defineProperty(module.exports, '__esModule', { value: true });",
    "exports.__esModule = true;",
    "module.exports.__esModule = true;",
    "Object.defineProperty(exports, \"N\", { enumerable: true, value: 'N' });",
    "Object.defineProperty(exports, 'N', { value: 'N' });",
    "Object.defineProperty(exports, 'N', { enumerable: true, get: function () { return M_1.N; } }); var M_1 = { N: 'N' };",
    "Object.defineProperty(exports, 'N', { enumerable: true, get() { return M_2['N']; } }); var M_2 = { N: 'N' };",
    "Object.defineProperty(exports, 'N', { enumerable: true, get: () => 'N' });",
    "Object.defineProperty(exports, 'N', { get: function () { return 'N'; } });",
    "Object.defineProperty(exports, 'N', { enumerable: true, get: function get() { return _M.N; } }); var _M = { N: 'N' };",
    "Object.defineProperty(exports, 'N', { configurable: true, enumerable: true, value: 'N' });",
    "Object.defineProperty(exports, `N`, { enumerable: true, value: 'N' });",
    "module.exports = { N: 'N' };",
    "module.exports = { N: N };\nvar N = 'N';",
    "var N = 'N', N2 = 2;\nmodule.exports = { N, N2 };",
    "var N = 'N', N2 = 2;\nmodule.exports = { N, 'N2': N2, N3: 3 };",
    "var N = 'N';\nmodule.exports = { N, ...require('M'), N2: 2 };",
    "module.exports = { ...require('M') };",
    "module.exports = { 'N': 'N', \"N2\": 2 };",
    "var N = 1, N3 = 3;\nmodule.exports = { N, N2() {}, N3 };",
    "var N = 1, N3 = 3;\nmodule.exports = { N, get N2() { return 2; }, N3 };",
    "var N = 1;\nmodule.exports = { N, ['N2']: 2 };",
    "module.exports = exports = { N: 'N' };",
    "exports = module.exports = { N: 'N' };\nexports.N2 = 2;",
    "module.exports = require('M');",
    "module.exports = require(\"M\");\nmodule.exports.N = 'N';",
    "exports.N = 'N';\nmodule.exports = require('M');",
    "__exportStar(require('M'), exports);\nfunction __exportStar(m, e) { for (var p in m) if (p !== 'default' && !e.hasOwnProperty(p)) e[p] = m[p]; }",
    "function __export(m) { for (var p in m) if (!exports.hasOwnProperty(p)) exports[p] = m[p]; }\n__export(require('M'));",
    "var tslib_1 = { __exportStar: function (m, e) { for (var p in m) if (p !== 'default' && !e.hasOwnProperty(p)) e[p] = m[p]; } };\n(0, tslib_1.__exportStar)(require('M'), exports);",
    "var tslib_1 = { __exportStar: function (m, e) { for (var p in m) if (p !== 'default' && !e.hasOwnProperty(p)) e[p] = m[p]; } };\ntslib_1.__exportStar(require('M'), exports);",
    "var _M = require('M');\nObject.keys(_M).forEach(function (key) {\n  if (key === 'default' || key === '__esModule') return;\n  if (key in exports && exports[key] === _M[key]) return;\n  Object.defineProperty(exports, key, {\n    enumerable: true,\n    get: function () {\n      return _M[key];\n    }\n  });\n});",
    "var _M = require('M');\nObject.keys(_M).forEach(function (key) {\n  if (key === 'default' || key === '__esModule') return;\n  exports[key] = _M[key];\n});",
    "var _M = _interopRequireWildcard(require('M'));\nfunction _interopRequireWildcard(m) { return m; }\nObject.keys(_M).forEach(function (k) {\n  if (k !== 'default' && !exports.hasOwnProperty(k)) Object.defineProperty(exports, k, {\n    enumerable: true,\n    get: function () { return _M[k]; }\n  });\n});",
    "var M$1 = require('M');\nObject.keys(M$1).forEach(function (k) {\n  if (k !== 'default' && !Object.prototype.hasOwnProperty.call(exports, k)) exports[k] = M$1[k];\n});",
    "0 && (module.exports = { N, N2 });",
    "0 && (module.exports = { N, N2, ...require('M') });",
    "var __defProp = Object.defineProperty;\nvar __export = (target, all) => { for (var name in all) __defProp(target, name, { get: all[name], enumerable: true }); };\nvar src = {};\n__export(src, { N: () => 'N' });\nmodule.exports = src;\n0 && (module.exports = { N });",
    "(function (factory) { if (typeof module === 'object' && typeof module.exports === 'object') { factory(require, exports); } })(function (require, exports) { exports.N = 'N'; });",
    "!function (e, t) { 'object' == typeof exports && 'undefined' != typeof module ? t(exports) : 0; }(this, function (e) { e.N = 'N'; });",
    "__webpack_require__ = { d: function () {} };\n__webpack_require__.d(exports, 'N', function () { return 'N'; });\nvar __webpack_require__;",
    "Object.assign(exports, { N: 'N' });",
    "var e = exports;\ne.N = 'N';",
    "if (false) exports.N = 'N';",
    "function later() { exports.N = 'N'; }",
    "// exports.N = 'N';\n/* exports.N2 = 1; */\nvar text = 'exports.N3 = 1;';",
    "var template = `${exports.N = 'N'} exports.N2 = 1`;",
    "var regexp = /exports.N = '/; exports.N2 = 2;",
    "this.N = 'N';",
    "exports.N\n= 'N';",
    "exports./* c */N = /* d */ 'N';",
    "var other = {}; other.exports = {}; other.exports.N = 1; other.module = { exports: {} }; other.module.exports.N2 = 1;",
    "exports.N = class N {};\nexports.N2 = function () {};",
    "exports['N-x'] = 1; exports['\\u{4e}2'] = 2; exports['default'] = 'own';",
    "exports.default = 'N';",
    "module.exports = function N() {};\nmodule.exports.N = 'N';",
    "exports.N ||= 'N'; exports.N2 ??= 2; exports.N3 += 3;",
];

const NAMES: [&str; 12] = [
    "a", "b", "value", "Widget", "$dollar", "_under", "useIt", "then_", "constant", "ünï",
    "delete_", "in2",
];

/// What a file may export as a whole, last.
const WHOLE: [&str; 9] = [
    "module.exports = 1;",
    "module.exports = null;",
    "module.exports = undefined;",
    "module.exports = [1, 2];",
    "module.exports = 'text';",
    "module.exports = class Whole { static own = 1; };",
    "module.exports = Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } });",
    "throw Object.assign(new Error('at once'), { code: 'OWN' });",
    "module.exports = new Proxy({}, { get: (target, key) => (typeof key === 'symbol' ? undefined : `got ${String(key)}`), has: () => true });",
];

const FILES: usize = 7;

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    let mut files = Vec::new();
    for number in 0..FILES {
        let path = match rng.below(5) {
            0 => format!("node_modules/pkg{number}/index.js"),
            _ => format!("file{number}.cjs"),
        };
        files.push(path);
    }
    let specifiers: Vec<String> = files
        .iter()
        .map(|path| match path.strip_prefix("node_modules/") {
            Some(path) => path.trim_end_matches("/index.js").to_owned(),
            None => format!("./{path}"),
        })
        .collect();
    for (number, path) in files.iter().enumerate() {
        tree.file(path.clone(), file(rng, number, path, &specifiers));
    }
    tree.file("leaf.cjs", "exports.leaf = 'leaf';\nexports.value = 'leaf value';\nObject.defineProperty(exports, '__esModule', { value: true });\n");
    let mut entry = String::new();
    for specifier in &specifiers {
        let quoted = quoted(specifier);
        entry.push_str(&format!("await t.try({quoted}, () => import({quoted}));\n"));
    }
    // A name that is asked for and not found is an error of linking.
    for number in 0..3 {
        let specifier = rng.pick(&specifiers.iter().collect::<Vec<_>>()).clone();
        let name = rng.pick(&NAMES);
        tree.file(
            format!("asks{number}.mjs"),
            format!(
                "import {{ {name} as it }} from {};\nexport default it;\n",
                quoted(&specifier)
            ),
        );
        tree.file(
            format!("star{number}.mjs"),
            format!(
                "export * from {0};\nexport * as own from {0};\n",
                quoted(&specifier)
            ),
        );
        entry.push_str(&format!(
            "await t.try('asks{number}', () => import('./asks{number}.mjs'));\nawait t.try('star{number}', () => import('./star{number}.mjs'));\n"
        ));
    }
    entry.push_str(&format!(
        "import {{ createRequire }} from 'node:module';\nconst require = createRequire(import.meta.url);\nfor (const file of {}) await t.try(`require ${{file}}`, () => require(file));\n",
        list(&specifiers)
    ));
    tree.entry("main.mjs", entry);
}

fn file(rng: &mut Rng, number: usize, path: &str, specifiers: &[String]) -> String {
    let mut text = String::new();
    if rng.chance(30) {
        text.push_str("'use strict';\n");
    }
    if rng.chance(25) {
        text.push_str("Object.defineProperty(exports, '__esModule', { value: true });\n");
    }
    for shape in 0..rng.between(1, 5) {
        // Files require later ones mostly; cycles are for the class `loading`, a few are here too.
        let other = match rng.chance(92) {
            true => number + 1 + rng.below(FILES),
            false => rng.below(FILES),
        };
        let other = specifiers.get(other).filter(|_| other != number);
        let other = other.map_or("./leaf.cjs", String::as_str);
        let is_package = path.starts_with("node_modules/");
        let other = match is_package && other.starts_with("./") {
            true => format!("../../{}", other.trim_start_matches("./")),
            false => other.to_owned(),
        };
        let name = rng.pick(&NAMES);
        let shape_text = rng.pick(&SHAPES);
        let shape_text = shape_text
            .replace("require('M')", &format!("require('{other}')"))
            .replace("require(\"M\")", &format!("require(\"{other}\")"));
        // Names that files declare are their own in each shape.
        let local = format!("M{shape}");
        let shape_text = rename(&shape_text, "M", &local);
        text.push_str(&rename(&shape_text, "N", name));
        text.push('\n');
    }
    if rng.chance(15) {
        text.push_str(rng.pick(&WHOLE));
        text.push('\n');
    }
    text
}

/// Puts a name in the place of a capital letter that stands by itself, or before a digit or a mark.
fn rename(text: &str, letter: &str, name: &str) -> String {
    let mut renamed = String::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let (_, after) = rest.split_at(character.len_utf8());
        let next = after.chars().next().unwrap_or(' ');
        let is_own = !before.is_ascii_alphanumeric() && !next.is_ascii_alphabetic();
        if rest.starts_with(letter) && is_own {
            renamed.push_str(name);
        } else {
            renamed.push(character);
        }
        before = character;
        rest = after;
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::rename;

    #[test]
    fn a_letter_by_itself_is_a_name() {
        assert_eq!(
            rename("N N2 M_1.N 'N' Name aN", "N", "x"),
            "x x2 M_1.x 'x' Name aN"
        );
    }
}
