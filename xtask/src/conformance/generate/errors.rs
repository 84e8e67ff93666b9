//! Class `errors`: packages and specifiers that are broken, one fault each, asked for in every way.

use super::{Rng, Tree, cjs_probe, esm_probe};

/// Manifests of a package that something is wrong with, mostly.
const MANIFESTS: [&str; 30] = [
    "",
    "{",
    "null",
    "[]",
    "7",
    "\"text\"",
    "{\"exports\": {}}",
    "{\"exports\": []}",
    "{\"exports\": null}",
    "{\"exports\": false}",
    "{\"exports\": 7}",
    "{\"exports\": \"\"}",
    "{\"exports\": \"index.js\"}",
    "{\"exports\": {\".\": \"./missing.js\"}}",
    "{\"exports\": {\"import\": \"./index.js\"}}",
    "{\"exports\": {\"require\": \"./index.js\"}}",
    "{\"exports\": {\".\": null}}",
    "{\"exports\": {\"./sub\": \"./lib/sub.js\"}}",
    "{\"exports\": {\".\": [null, \"./index.js\"]}}",
    "{\"exports\": {\".\": [\"bad\", \"./index.js\"]}}",
    "{\"exports\": {\".\": [\"bad\", null]}}",
    "{\"exports\": {\".\": {\"unknown\": \"./index.js\"}}}",
    "{\"exports\": {\"default\": \"./index.js\", \"./sub\": \"./lib/sub.js\"}}",
    "{\"exports\": {\"./lib/*\": \"./lib/*.js\", \"./lib/sub\": null}}",
    "{\"main\": \"missing.js\"}",
    "{\"main\": {}}",
    "{\"main\": \"./lib\", \"type\": \"module\"}",
    "{\"name\": 7, \"exports\": \"./index.js\"}",
    "{\"type\": \"module\", \"exports\": {\".\": \"./lib\"}}",
    "{\"imports\": {\"#a\": \"./index.js\", \"b\": \"./index.js\", \"#c\": null, \"#d\": \"./missing.js\", \"#e\": \"missing\", \"#f\": \"../x\"}}",
];

/// Files of a package.
const INDEXES: [&str; 8] = [
    "exports.ok = true;\n",
    "let syntax error;\n",
    "throw new TypeError('own');\n",
    "throw null;\n",
    "throw 'text';\n",
    "require('missing-dependency');\n",
    "require('./lib/missing.js');\n",
    "throw Object.assign(new SyntaxError('made up'), { code: 'MADE_UP' });\n",
];

const SPECIFIERS: [&str; 44] = [
    "broken",
    "broken/",
    "broken/sub",
    "broken/lib/sub",
    "broken/lib/sub.js",
    "broken/package.json",
    "broken/lib",
    "broken/missing",
    "missing",
    "missing/sub",
    "@scope",
    "@scope/",
    "@scope/missing",
    "@/x",
    "",
    " ",
    ".",
    "..",
    "./",
    "../",
    "./missing",
    "./missing.js",
    "./broken.json",
    "./lib",
    "./lib/",
    "#",
    "#/",
    "#a",
    "#missing",
    "%",
    "broken%2fsub",
    "broken\\sub",
    ".hidden",
    "_under",
    "~tilde",
    "node:missing",
    "node:",
    "fs/missing",
    "node:path/posix",
    "./fails.mjs",
    "./lacks.mjs",
    "./syntax.mjs",
    "./native.node",
    "./wasm.wasm",
];

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    let manifest = rng.pick(&MANIFESTS);
    if !manifest.is_empty() || rng.chance(50) {
        tree.file("node_modules/broken/package.json", manifest);
    }
    if rng.chance(85) {
        tree.file("node_modules/broken/index.js", rng.pick(&INDEXES));
    }
    tree.file("node_modules/broken/lib/sub.js", "exports.sub = true;\n");
    tree.file("node_modules/.hidden/index.js", "exports.hidden = true;\n");
    tree.file("node_modules/_under/index.js", "exports.under = true;\n");
    tree.file("broken.json", "{\"a\": 1,}");
    tree.file("lib/a.js", "exports.a = 1;\n");
    tree.file("fails.mjs", "import 'broken';\nimport 'missing';\n");
    tree.file("lacks.mjs", "import { lacking } from './lib/a.js';\n");
    tree.file("syntax.mjs", "export { a };\n");
    tree.file("native.node", "no program");
    tree.file("wasm.wasm", "no module");
    if rng.chance(60) {
        tree.file("package.json", rng.pick(&MANIFESTS[12..]));
    }
    let specifiers: Vec<String> = rng
        .some(&SPECIFIERS, 75)
        .iter()
        .map(|s| (*s).to_owned())
        .collect();
    tree.entry("main.mjs", esm_probe(&specifiers));
    tree.entry("main.cjs", cjs_probe(&specifiers));
    tree.entry(
        "node_modules/broken/inside.mjs",
        esm_probe(&["#a", "#c", "#d", "#e", "#f", "#g", "broken"].map(str::to_owned)),
    );
}
