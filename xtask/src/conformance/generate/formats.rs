//! Class `formats`: what a file is taken for, by its extension, its package and what is in it; and which file a name leads to.
#![expect(
    clippy::indexing_slicing,
    reason = "fields of objects that are made here"
)]

use serde_json::{Value, json};

use super::{Rng, Tree, cjs_probe, esm_probe};

const EXTENSIONS: [&str; 7] = ["js", "mjs", "cjs", "json", "", "txt", "MJS"];

/// Programs by what they are written in.
const TEXTS: [&str; 30] = [
    "export const kind = 'esm';\nexport const dir = typeof __dirname;\n",
    "exports.kind = 'cjs';\nexports.self = typeof this;\nexports.same = this === module.exports;\n",
    "module.exports = { kind: 'cjs object', strict: (function () { return this === undefined; })() };\n",
    "export default await Promise.resolve('tla');\n",
    "await Promise.resolve();\nglobalThis.tla = true;\n",
    "globalThis.nothing = typeof require;\n",
    "import fs from 'node:path';\nmodule.exports = 1;\n",
    "export {};\nmodule.exports = 1;\n",
    "{\"json\": [1, 2, null]}",
    "\u{feff}{\"bom\": true}",
    "{\"broken\": ",
    "#!/usr/bin/env node\nexports.shebang = true;\n",
    "#!/usr/bin/env node\nexport const shebang = true;\n",
    "\u{feff}exports.bom = true;\n",
    "",
    "'use strict';\nmodule.exports = typeof this;\n",
    "export const url = typeof import.meta.url;\n",
    "const url = import.meta.url;\nexports.url = typeof url;\n",
    "module.exports = import('node:path').then((m) => typeof m.join);\n",
    "// export const x = 1;\nexports.comment = \"import x from 'y'\";\n",
    "const require = 1;\nexport { require };\n",
    "const require = 1;\nglobalThis.shadow = require;\n",
    "const module = 1, exports = 2;\nawait 0;\nglobalThis.shadow = module + exports;\n",
    "let a = ;\n",
    "export const a = 1;\nlet a = 2;\n",
    "with ({}) {}\nexports.sloppy = true;\n",
    "return;\n",
    "exports.first = 1;\nreturn;\nexports.second = 2;\n",
    "export default class Named {}\nexport function f() {}\n",
    "const x = await 1;\nmodule.exports = x;\n",
];

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    let mut folders = Vec::new();
    tree.file("package.json", package(rng).to_string());
    for name in [
        "",
        "sub/",
        "sub/inner/",
        "node_modules/dep/",
        "node_modules/dep/lib/",
        "node_modules/none/",
    ] {
        if !name.is_empty() && !name.ends_with("none/") && rng.chance(60) {
            tree.file(format!("{name}package.json"), package(rng).to_string());
        }
        folders.push(name);
    }
    let mut paths: Vec<String> = Vec::new();
    for folder in folders {
        for _ in 0..rng.between(2, 4) {
            let base = rng.pick(&["a", "b", "index", "main", "lib"]);
            let extension = rng.pick(&EXTENSIONS);
            let name = match extension {
                "" => base.to_owned(),
                extension => format!("{base}.{extension}"),
            };
            let path = format!("{folder}{name}");
            // A folder is called so already.
            if path == "node_modules/dep/lib" || tree.nodes.contains_key(&path) {
                continue;
            }
            tree.file(path.clone(), rng.pick(&TEXTS));
            paths.push(path);
        }
    }
    let mut specifiers: Vec<String> = Vec::new();
    for path in &paths {
        specifiers.push(specifier(path));
        if let Some((stem, _)) = path.rsplit_once('.')
            && rng.chance(50)
        {
            specifiers.push(specifier(stem));
        }
    }
    let folders = [
        "./sub",
        "./sub/",
        "./sub/inner",
        "./sub/.",
        "./sub/inner/..",
        ".",
        "./",
        "dep",
        "dep/",
        "dep/lib",
        "dep/package.json",
        "none",
        "none/index",
        "./sub/package.json",
    ];
    specifiers.extend(rng.some(&folders, 70).iter().map(|name| (*name).to_owned()));
    tree.entry("probe.mjs", esm_probe(&specifiers));
    tree.entry("probe.cjs", cjs_probe(&specifiers));
}

/// How a file of the tree is asked for from its root.
fn specifier(path: &str) -> String {
    match path.strip_prefix("node_modules/") {
        Some(path) => path.to_owned(),
        None => format!("./{path}"),
    }
}

fn package(rng: &mut Rng) -> Value {
    let mut package = json!({});
    if rng.chance(40) {
        package["name"] = json!("self");
    }
    match rng.weighted(&[35, 25, 35, 3, 2]) {
        0 => package["type"] = json!("module"),
        1 => package["type"] = json!("commonjs"),
        2 => {}
        3 => package["type"] = json!("Module"),
        _ => package["type"] = json!(1),
    }
    let mains = [
        json!("a"),
        json!("./a.js"),
        json!("lib"),
        json!("lib/"),
        json!("./lib/index.js"),
        json!("missing"),
        json!("./b.mjs"),
        json!("b.cjs"),
        json!(""),
        json!(null),
        json!(7),
        json!("."),
        json!("../a"),
        json!("index"),
        json!("./main.json"),
    ];
    if rng.chance(60) {
        let mains: Vec<&Value> = mains.iter().collect();
        package["main"] = rng.pick(&mains).clone();
    }
    package
}
