//! Class `conditions`: packages whose `exports` and `imports` are made of every form there is, valid or not, and many ways to ask.

use serde_json::{Map, Value, json};

use super::{Rng, Tree, cjs_probe, esm_probe};

const STANDARD: [&str; 6] = [
    "import",
    "require",
    "node",
    "default",
    "node-addons",
    "module-sync",
];
const CUSTOM: [&str; 4] = ["browser", "custom", "development", "types"];
const FILES: [&str; 16] = [
    "a.mjs",
    "a.cjs",
    "a.js",
    "b.mjs",
    "b.cjs",
    "b.json",
    "index.js",
    "main.cjs",
    "x/y.mjs",
    "x/y.cjs",
    "x/yz.mjs",
    "x/z.js",
    "x/deep/w.mjs",
    "dir/a.js",
    "dir/index.js",
    "dir/b.cjs",
];
const ODD_TARGETS: [&str; 14] = [
    "a.mjs",
    "../outside.mjs",
    "./../outside.mjs",
    "./x/../a.mjs",
    "./x/./y.mjs",
    "./node_modules/q/index.js",
    "/a.mjs",
    "./x/%2e%2e/a.mjs",
    "./x%2fy.mjs",
    "./missing.mjs",
    "./dir",
    "./dir/",
    "",
    "./",
];
const EXPORT_KEYS: [&str; 17] = [
    ".",
    "./a",
    "./b",
    "./x/*",
    "./x/y*",
    "./*",
    "./*.js",
    "./x/*.mjs",
    "./x/*/w",
    "./dir/",
    "./x/y",
    "./package.json",
    "./dir/*",
    "./x/deep/*",
    "./d*",
    "./*/*",
    "./x/*.js",
];
const IMPORT_KEYS: [&str; 12] = [
    "#a", "#b", "#x/*", "#x/y*", "#*", "#*.js", "#dep", "#dep/*", "#", "#/a", "#dir/", "#node",
];
const SUBPATHS: [&str; 25] = [
    "",
    "/",
    "/a",
    "/b",
    "/x/y",
    "/x/yz",
    "/x/y.mjs",
    "/x/z",
    "/x/z.js",
    "/x/deep/w",
    "/a.mjs",
    "/a.js",
    "/dir/a.js",
    "/dir/",
    "/dir",
    "/dir/b.cjs",
    "/package.json",
    "/missing",
    "/x/*",
    "/x/../a",
    "/x/%79",
    "//a",
    "/x//y",
    "/x/y/",
    "/index",
];
const INTERNAL: [&str; 14] = [
    "#a",
    "#b",
    "#x/y",
    "#x/yz.mjs",
    "#any",
    "#any.js",
    "#dep",
    "#dep/a",
    "#",
    "#/a",
    "#dir/a.js",
    "#node",
    "#x/",
    "#dep/../a",
];

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    tree.conditions = rng
        .some(&CUSTOM, 30)
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    if rng.chance(10) {
        tree.conditions.push("require".to_owned());
    }
    let names = match rng.below(3) {
        0 => ["p", "q"],
        1 => ["@s/p", "q"],
        _ => ["p", "@s/q"],
    };
    for name in names {
        package(tree, rng, name);
    }
    let mut specifiers = Vec::new();
    for name in names {
        let own = rng.some(&SUBPATHS, 60);
        specifiers.extend(own.iter().map(|subpath| format!("{name}{subpath}")));
    }
    tree.file("package.json", json!({"name": "app"}).to_string());
    tree.entry("main.mjs", esm_probe(&specifiers));
    tree.entry("main.cjs", cjs_probe(&specifiers));
    // Asked from within: the package's own name and its imports.
    let [name, _] = names;
    let mut own: Vec<String> = rng
        .some(&INTERNAL, 70)
        .iter()
        .map(|s| (*s).to_owned())
        .collect();
    let subpaths = rng.some(&SUBPATHS, 25);
    own.extend(subpaths.iter().map(|subpath| format!("{name}{subpath}")));
    let folder = format!("node_modules/{name}");
    match rng.chance(50) {
        true => tree.entry(&format!("{folder}/probe.mjs"), esm_probe(&own)),
        false => tree.entry(&format!("{folder}/probe.cjs"), cjs_probe(&own)),
    }
}

fn package(tree: &mut Tree, rng: &mut Rng, name: &str) {
    let folder = format!("node_modules/{name}");
    let package_type = if rng.chance(50) { "module" } else { "" };
    for file in FILES {
        if rng.chance(85) {
            let path = format!("{folder}/{file}");
            tree.file(path, text(file, package_type));
        }
    }
    let mut manifest = Map::new();
    manifest.insert("name".to_owned(), json!(name));
    if !package_type.is_empty() {
        manifest.insert("type".to_owned(), json!(package_type));
    }
    if rng.chance(40) {
        manifest.insert(
            "main".to_owned(),
            json!(rng.pick(&["./main.cjs", "a", "dir", "./missing"])),
        );
    }
    if rng.chance(92) {
        manifest.insert("exports".to_owned(), exports(rng));
    }
    if rng.chance(85) {
        let keys = rng.some(&IMPORT_KEYS, 55);
        let keys = rng.shuffled(&keys);
        let map: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), target(rng, key, 0)))
            .collect();
        manifest.insert("imports".to_owned(), Value::Object(map));
    }
    tree.file(
        format!("{folder}/package.json"),
        Value::Object(manifest).to_string(),
    );
}

/// What tells where it is, in the format that the name and the package give it.
fn text(file: &str, package_type: &str) -> String {
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json") => format!("{{\"at\": \"{file}\"}}"),
        Some("mjs") => "export const at = import.meta.url;\n".to_owned(),
        Some("js") if package_type == "module" => "export const at = import.meta.url;\n".to_owned(),
        _ => "exports.at = __filename;\n".to_owned(),
    }
}

fn exports(rng: &mut Rng) -> Value {
    match rng.weighted(&[10, 8, 70, 8, 2, 2]) {
        0 => target(rng, ".", 1),
        1 => conditions(rng, ".", 1),
        2 => {
            let keys = rng.some(&EXPORT_KEYS, 45);
            let keys = rng.shuffled(&keys);
            let map = keys
                .iter()
                .map(|key| ((*key).to_owned(), target(rng, key, 0)));
            Value::Object(map.collect())
        }
        3 => {
            let targets = rng.between(1, 3);
            (0..targets).map(|_| target(rng, ".", 1)).collect()
        }
        // Keys of both kinds, or numbers, which no order holds.
        4 => json!({"./a": "./a.mjs", "import": "./a.mjs"}),
        _ => json!({"import": "./a.mjs", "0": "./b.mjs", "default": "./a.cjs"}),
    }
}

fn target(rng: &mut Rng, key: &str, depth: usize) -> Value {
    let nested = if depth < 3 { 22 } else { 0 };
    match rng.weighted(&[45, nested, nested / 3, 7, 6, 1]) {
        0 => json!(path(rng, key)),
        1 => conditions(rng, key, depth + 1),
        2 => {
            let targets = rng.below(4);
            (0..targets).map(|_| target(rng, key, depth + 1)).collect()
        }
        3 => Value::Null,
        4 => json!(rng.pick(&ODD_TARGETS)),
        _ => rng
            .pick(&[&json!(7), &json!(true), &json!("q"), &json!({})])
            .clone(),
    }
}

fn conditions(rng: &mut Rng, key: &str, depth: usize) -> Value {
    let mut names = rng.some(&STANDARD, 40);
    names.extend(rng.some(&CUSTOM, 35));
    let map = rng.shuffled(&names).into_iter().map(|name| {
        let target = target(rng, key, depth);
        (name.to_owned(), target)
    });
    Value::Object(map.collect())
}

/// A path that fits the key: with a star where the key has one, mostly.
fn path(rng: &mut Rng, key: &str) -> String {
    if key.starts_with('#') && rng.chance(25) {
        let other = rng.pick(&[
            "q",
            "q/a",
            "q/*",
            "node:path",
            "url",
            "missing",
            "p",
            "@s/q/b",
            "https://x.test/",
        ]);
        return (*other).to_owned();
    }
    if key.contains('*') && rng.chance(85) {
        let star = rng.pick(&[
            "./*",
            "./*.mjs",
            "./*.js",
            "./x/*",
            "./x/*.mjs",
            "./x/*/w.mjs",
            "./dir/*",
            "./*.cjs",
            "./x/y*.mjs",
            "./*/*.mjs",
        ]);
        return (*star).to_owned();
    }
    if key.ends_with('/') {
        return (*rng.pick(&["./dir/", "./x/", "./"])).to_owned();
    }
    format!("./{}", rng.pick(&FILES))
}
