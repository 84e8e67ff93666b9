//! Class `layouts`: one graph of packages, put on the disk as package managers do it.
#![expect(
    clippy::indexing_slicing,
    reason = "fields of objects that are made here"
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Rng, Tree, list, quoted};

const NAMES: [&str; 9] = [
    "alpha",
    "beta",
    "@s/gamma",
    "delta",
    "@s/epsilon",
    "zeta",
    "@t/eta",
    "theta.js",
    "iota-core",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cjs,
    Esm,
    Dual,
}

/// A version of a package, with the versions that it asks for.
#[derive(Debug)]
struct Package {
    name: &'static str,
    version: usize,
    kind: Kind,
    manifest: Value,
    needs: Vec<usize>,
}

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    let packages = graph(rng);
    let mut roots: Vec<usize> = (0..packages.len()).filter(|_| rng.chance(50)).collect();
    if roots.is_empty() {
        roots.push(0);
    }
    // One version of a name at the top.
    let mut seen = Vec::new();
    roots.retain(|id| {
        let name = packages.get(*id).map(|package| package.name);
        let is_new = !seen.contains(&name);
        seen.push(name);
        is_new
    });
    match rng.below(5) {
        0 => flat(tree, "", &packages, &roots),
        1 => nested(tree, &packages, &roots),
        2 => pnpm(tree, &packages, &roots),
        3 => workspaces(tree, rng, &packages, &roots),
        _ => {
            tree.file("package.json", json!({"name": "outer"}).to_string());
            flat(tree, "inner/project/", &packages, &roots);
        }
    }
    let folder = match tree
        .nodes
        .contains_key("inner/project/node_modules/.marker")
    {
        true => "inner/project/",
        false => "",
    };
    entries(tree, folder, &packages);
}

fn graph(rng: &mut Rng) -> Vec<Package> {
    let count = rng.between(4, 7);
    let mut packages = Vec::new();
    for name in rng.shuffled(&NAMES).into_iter().take(count) {
        let versions = if rng.chance(35) { 2 } else { 1 };
        for version in 1..=versions {
            let kind = *rng.pick(&[&Kind::Cjs, &Kind::Esm, &Kind::Dual]);
            let manifest = manifest(rng, name, version, kind);
            packages.push(Package {
                name,
                version,
                kind,
                manifest,
                needs: Vec::new(),
            });
        }
    }
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    for (id, package) in packages.iter_mut().enumerate() {
        for other in 0..names.len() {
            // Forward mostly: a few cycles.
            let chance = if id < other { 30 } else { 6 };
            let taken: Vec<&str> = package
                .needs
                .iter()
                .filter_map(|id| names.get(*id).copied())
                .collect();
            let name = names.get(other).copied().unwrap_or_default();
            if name != package.name && !taken.contains(&name) && rng.chance(chance) {
                package.needs.push(other);
            }
        }
    }
    packages
}

fn manifest(rng: &mut Rng, name: &str, version: usize, kind: Kind) -> Value {
    let mut manifest = json!({"name": name, "version": format!("{version}.0.0")});
    match kind {
        Kind::Cjs => match rng.below(4) {
            0 => {}
            1 => manifest["main"] = json!("lib/index"),
            2 => manifest["main"] = json!("lib"),
            _ => manifest["exports"] = json!("./lib/index.js"),
        },
        Kind::Esm => {
            manifest["type"] = json!("module");
            match rng.below(3) {
                0 => manifest["main"] = json!("./lib/index.js"),
                1 => manifest["exports"] = json!({".": {"import": "./lib/index.js"}}),
                _ => {
                    manifest["exports"] =
                        json!({".": "./lib/index.js", "./package.json": "./package.json"})
                }
            }
        }
        Kind::Dual => {
            manifest["exports"] = json!({"import": "./lib/index.mjs", "require": "./lib/index.js"});
            manifest["main"] = json!("./lib/index.js");
        }
    }
    manifest
}

fn cjs(package: &Package, needs: &[&str]) -> String {
    let id = quoted(&format!("{}@{}", package.name, package.version));
    let mut text = format!("exports.id = {id};\nexports.at = __filename;\nexports.deps = {{}};\n");
    for need in needs {
        let need = quoted(need);
        text.push_str(&format!(
            "try {{ exports.deps[{need}] = require({need}).id; }} catch (error) {{ exports.deps[{need}] = error.code; }}\n"
        ));
    }
    text
}

fn esm(package: &Package, needs: &[&str]) -> String {
    let mut text = String::new();
    let mut deps = String::new();
    for (number, need) in needs.iter().enumerate() {
        let need = quoted(need);
        text.push_str(&format!("import * as need{number} from {need};\n"));
        deps.push_str(&format!(
            "{need}: need{number}.id ?? need{number}.default?.id, "
        ));
    }
    let id = quoted(&format!("{}@{}", package.name, package.version));
    text.push_str(&format!("export const id = {id};\nexport const at = import.meta.url;\nexport const deps = () => ({{ {deps}}});\n"));
    text
}

/// Writes the files of a package into `folder`, which ends with `/`.
fn install(tree: &mut Tree, folder: &str, packages: &[Package], package: &Package) {
    let needs: Vec<&str> = package
        .needs
        .iter()
        .filter_map(|id| Some(packages.get(*id)?.name))
        .collect();
    tree.file(
        format!("{folder}package.json"),
        package.manifest.to_string(),
    );
    let common = cjs(package, &needs);
    match package.kind {
        Kind::Cjs => {
            tree.file(format!("{folder}index.js"), common.clone());
            tree.file(format!("{folder}lib/index.js"), common);
        }
        Kind::Esm => tree.file(format!("{folder}lib/index.js"), esm(package, &needs)),
        Kind::Dual => {
            tree.file(format!("{folder}lib/index.js"), common);
            tree.file(format!("{folder}lib/index.mjs"), esm(package, &needs));
        }
    }
}

/// What is at the top of a folder of packages: the first version of a name that is asked for.
fn hoisted(packages: &[Package], roots: &[usize]) -> BTreeMap<&'static str, usize> {
    let mut top = BTreeMap::new();
    let mut waiting: Vec<usize> = roots.to_vec();
    let mut at = 0;
    while let Some(id) = waiting.get(at).copied() {
        at += 1;
        let Some(package) = packages.get(id) else {
            continue;
        };
        top.entry(package.name).or_insert(id);
        let fresh = package.needs.iter().filter(|need| !waiting.contains(need));
        let fresh: Vec<usize> = fresh.copied().collect();
        waiting.extend(fresh);
    }
    top
}

/// npm and yarn classic: everything at the top, other versions below whoever asks for them.
fn flat(tree: &mut Tree, folder: &str, packages: &[Package], roots: &[usize]) {
    let top = hoisted(packages, roots);
    tree.file(
        format!("{folder}package.json"),
        json!({"name": "app"}).to_string(),
    );
    tree.file(format!("{folder}node_modules/.marker"), "");
    for (name, id) in &top {
        let at = format!("{folder}node_modules/{name}/");
        below(tree, &at, packages, *id, &top);
    }
}

/// A package, and below it those of its needs that are not at the top in that version.
fn below(tree: &mut Tree, at: &str, packages: &[Package], id: usize, top: &BTreeMap<&str, usize>) {
    let Some(package) = packages.get(id) else {
        return;
    };
    install(tree, at, packages, package);
    for need in &package.needs {
        let Some(needed) = packages.get(*need) else {
            continue;
        };
        let is_deep = at.matches("node_modules").count() > 3;
        if top.get(needed.name) != Some(need) && !is_deep {
            let at = format!("{at}node_modules/{}/", needed.name);
            below(tree, &at, packages, *need, top);
        }
    }
}

/// npm 2: everything below whoever asks for it.
fn nested(tree: &mut Tree, packages: &[Package], roots: &[usize]) {
    tree.file("package.json", json!({"name": "app"}).to_string());
    for id in roots {
        if let Some(package) = packages.get(*id) {
            let at = format!("node_modules/{}/", package.name);
            below(tree, &at, packages, *id, &BTreeMap::new());
        }
    }
}

/// A link from `node_modules/` in `folder` to a path from the tree's root.
fn link(tree: &mut Tree, folder: &str, name: &str, to: &str) {
    let path = format!("{folder}node_modules/{name}");
    let ups = path.matches('/').count();
    tree.link(path, format!("{}{to}", "../".repeat(ups)));
}

/// pnpm: a store of folders with links among them.
fn pnpm(tree: &mut Tree, packages: &[Package], roots: &[usize]) {
    let place = |package: &Package| {
        let name = package.name.replace('/', "+");
        format!("node_modules/.pnpm/{name}@{}.0.0/", package.version)
    };
    tree.file("package.json", json!({"name": "app"}).to_string());
    for package in packages {
        let own = place(package);
        install(
            tree,
            &format!("{own}node_modules/{}/", package.name),
            packages,
            package,
        );
        for need in package.needs.iter().filter_map(|id| packages.get(*id)) {
            let to = format!("{}node_modules/{}", place(need), need.name);
            link(tree, &own, need.name, &to);
        }
    }
    for package in roots.iter().filter_map(|id| packages.get(*id)) {
        let to = format!("{}node_modules/{}", place(package), package.name);
        link(tree, "", package.name, &to);
    }
}

/// Workspaces: some packages are folders of the project, linked at the top.
fn workspaces(tree: &mut Tree, rng: &mut Rng, packages: &[Package], roots: &[usize]) {
    let top = hoisted(packages, roots);
    tree.file(
        "package.json",
        json!({"name": "app", "workspaces": ["packages/*"]}).to_string(),
    );
    for (name, id) in &top {
        if rng.chance(50) {
            let own = format!("packages/{}", name.replace('/', "-"));
            below(tree, &format!("{own}/"), packages, *id, &top);
            link(tree, "", name, &own);
        } else {
            below(tree, &format!("node_modules/{name}/"), packages, *id, &top);
        }
    }
}

fn entries(tree: &mut Tree, folder: &str, packages: &[Package]) {
    let mut names: Vec<String> = packages
        .iter()
        .map(|package| package.name.to_owned())
        .collect();
    names.dedup();
    names.push("app".to_owned());
    let names = list(&names);
    tree.entry(
        &format!("{folder}main.mjs"),
        format!(
            "for (const name of {names}) {{
  await t.try(`import ${{name}}`, async () => {{
    const it = await import(name);
    return [it, typeof it.deps === 'function' ? it.deps() : it.deps];
  }});
  await t.try(`subpath of ${{name}}`, () => import(`${{name}}/lib/index.js`));
  await t.try(`resolve ${{name}}`, () => import.meta.resolve(name));
}}
"
        ),
    );
    tree.entry(
        &format!("{folder}main.cjs"),
        format!(
            "for (const name of {names}) {{
  t.sync(`require ${{name}}`, () => {{
    const it = require(name);
    return [it, typeof it.deps === 'function' ? it.deps() : it.deps];
  }});
  t.sync(`subpath of ${{name}}`, () => require(`${{name}}/lib`));
  t.sync(`resolve ${{name}}`, () => require.resolve(name));
  t.sync(`paths ${{name}}`, () => require.resolve(name, {{ paths: [`${{__dirname}}/packages`] }}));
}}
t.is('loaded', Object.keys(require.cache));
t.is('children', module.children.map((child) => child.id));
t.is('paths', module.paths.filter((path) => path.startsWith(__dirname)));
"
        ),
    );
}
