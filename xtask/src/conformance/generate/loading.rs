//! Class `loading`: graphs of modules of both kinds with cycles, top-level await, failures and live bindings, loaded from several
//! entries; what counts is who runs when, and what everybody sees of the others.

use std::fmt::Write as _;

use super::{Rng, Tree, quoted};

/// A way from one module to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// `import ... from`
    Static,
    /// `export * from`
    Star,
    /// `import()` that nobody waits for.
    Loose,
    /// `import()` that is waited for.
    Awaited,
    /// `require`
    Require,
    /// `require` in a `try`
    Tried,
    /// `require` of a function that is called from outside, later
    Late,
}

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    let count = rng.between(3, 7);
    let with_await = rng.chance(45);
    let with_throw = rng.chance(40);
    let loose = if rng.chance(20) { 12 } else { 0 };
    // What several loads at once come to is chance where CommonJS is among them.
    let with_cjs = if rng.chance(20) { 0 } else { 45 };
    let files: Vec<String> = (0..count)
        .map(|number| {
            let letter = char::from(b'a' + u8::try_from(number).unwrap_or_default());
            match rng.chance(with_cjs) {
                true => format!("{letter}.cjs"),
                false => format!("{letter}.mjs"),
            }
        })
        .collect();
    for (number, file) in files.iter().enumerate() {
        let mut edges = Vec::new();
        for other in 0..count {
            let chance = if number < other { 38 } else { 14 };
            let awaited = if number < other && with_await { 14 } else { 0 };
            if other != number && rng.chance(chance) {
                edges.push((other, edge(rng, file, loose, awaited)));
            }
        }
        let edges: Vec<(&str, Edge)> = edges
            .iter()
            .filter_map(|(other, edge)| Some((files.get(*other)?.as_str(), *edge)))
            .collect();
        let end = match with_throw && rng.chance(25) {
            true => format!("throw new RangeError('{} fails');\n", own(file)),
            false => String::new(),
        };
        let waits = with_await && rng.chance(45);
        let text = match file.ends_with(".mjs") {
            true => esm(
                file,
                &edges,
                &end,
                if waits { rng.between(1, 4) } else { 0 },
            ),
            false => cjs(rng, file, &edges, &end),
        };
        tree.file(file.clone(), text);
    }
    entries(
        tree,
        rng,
        &files,
        if loose > 0 { "t.unordered();\n" } else { "" },
    );
}

/// One of the ways that the file's language has; the weights are those of `import()`.
fn edge(rng: &mut Rng, file: &str, loose: usize, awaited: usize) -> Edge {
    if file.ends_with(".cjs") {
        return match rng.weighted(&[50, 30, 10, loose]) {
            0 => Edge::Require,
            1 => Edge::Tried,
            2 => Edge::Late,
            _ => Edge::Loose,
        };
    }
    match rng.weighted(&[60, 10, loose, awaited, 8]) {
        0 => Edge::Static,
        1 => Edge::Star,
        2 => Edge::Loose,
        3 => Edge::Awaited,
        _ => Edge::Tried,
    }
}

/// The name of what a file exports.
fn own(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}

fn esm(file: &str, edges: &[(&str, Edge)], end: &str, waits: usize) -> String {
    let me = own(file);
    let mut head = String::new();
    let mut body = format!("t.note('{me} begins');\n");
    let mut views = String::new();
    for (other, edge) in edges {
        let (it, specifier) = (own(other), quoted(&format!("./{other}")));
        // Writing to a string does not fail.
        let _ = match edge {
            Edge::Static => {
                let _ = writeln!(head, "import * as {it} from {specifier};");
                let _ = write!(views, "{it}: {it}.{it} ?? {it}.default?.{it}, ");
                writeln!(
                    body,
                    "try {{ t.note(`{me} sees ${{String({it}.{it})}} of {it}`); }} catch (error) {{ t.note(`{me} cannot see {it}: ${{error.name}}`); }}"
                )
            }
            Edge::Star => writeln!(head, "export * from {specifier};"),
            Edge::Loose => writeln!(
                body,
                "import({specifier}).then(() => t.note('{me} has {it}'), (error) => t.note(`{me} lacks {it}: ${{error.code ?? error.message}}`));"
            ),
            Edge::Awaited => writeln!(
                body,
                "try {{ const it = await import({specifier}); t.note(`{me} awaited {it}: ${{Object.keys(it)}}`); }} catch (error) {{ t.note(`{me} awaited in vain {it}: ${{error.code ?? error.name}}`); }}"
            ),
            _ => writeln!(
                body,
                "try {{ t.note(`{me} required {it}: ${{Object.keys(createRequire(import.meta.url)({specifier}))}}`); }} catch (error) {{ t.note(`{me} cannot require {it}: ${{error.code ?? error.name}}`); }}"
            ),
        };
    }
    if body.contains("createRequire") {
        head.push_str("import { createRequire } from 'node:module';\n");
    }
    for turn in 0..waits {
        let _ = writeln!(body, "await null;\nt.note('{me} turn {turn}');");
    }
    body.push_str(end);
    format!(
        "{head}export let {me} = 'early {me}';\nexport function hoisted_{me}() {{ return {{ {views}}}; }}\n{body}{me} = 'late {me}';\nt.note('{me} ends');\nexport const const_{me} = 1;\n"
    )
}

fn cjs(rng: &mut Rng, file: &str, edges: &[(&str, Edge)], end: &str) -> String {
    let me = own(file);
    let mut text = format!("t.note('{me} begins');\n");
    if rng.chance(20) {
        text.push_str("Object.defineProperty(exports, '__esModule', { value: true });\n");
    }
    let _ = writeln!(text, "exports.{me} = 'early {me}';");
    for (other, edge) in edges {
        let (it, specifier) = (own(other), quoted(&format!("./{other}")));
        let _ = match edge {
            Edge::Require => writeln!(
                text,
                "const {it} = require({specifier});\nt.note(`{me} sees ${{{it}.{it}}} of {it}`);"
            ),
            Edge::Late => writeln!(
                text,
                "exports.late_{it} = () => Object.keys(require({specifier}));"
            ),
            Edge::Loose => writeln!(
                text,
                "import({specifier}).then(() => t.note('{me} has {it}'), (error) => t.note(`{me} lacks {it}: ${{error.code ?? error.message}}`));"
            ),
            _ => writeln!(
                text,
                "try {{ t.note(`{me} tried {it}: ${{Object.keys(require({specifier}))}}`); }} catch (error) {{ t.note(`{me} failed with {it}: ${{error.code ?? error.name}}`); }}"
            ),
        };
    }
    if rng.chance(20) {
        let _ = writeln!(text, "module.exports = {{ {me}: 'replaced {me}' }};");
    }
    text.push_str(end);
    let _ = writeln!(
        text,
        "module.exports.{me} = 'late {me}';\nmodule.exports.facts = [module.id, module.loaded, module.parent?.filename, require.main?.filename];\nmodule.exports.children = module.children.map((child) => child.id);\nt.note('{me} ends');"
    );
    text
}

fn entries(tree: &mut Tree, rng: &mut Rng, files: &[String], head: &str) {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let twice = rng.pick(&files);
    let mut asked = rng.shuffled(&files);
    asked.truncate(3);
    if files.iter().all(|file| file.ends_with(".mjs")) {
        let imports = asked.iter().map(|file| format!("import('./{file}')"));
        let imports: Vec<String> = imports.collect();
        tree.entry(
            "together.mjs",
            format!(
                "t.unordered();\nt.is('together', await Promise.allSettled([{}]));\n",
                imports.join(", ")
            ),
        );
    }
    let mut esm = head.to_owned();
    for file in asked.iter().chain([&twice, &twice]) {
        let _ = writeln!(
            esm,
            "await t.try('import {file}', () => import('./{file}'));\nt.note('entry has {file}');"
        );
    }
    let _ = writeln!(
        esm,
        "const again = await Promise.allSettled([import('./{twice}'), import('./{twice}')]);\nt.is('one instance', again[0].value === again[1].value && again[0].reason === again[1].reason);\nt.is('another instance', (await Promise.allSettled([import('./{twice}?again')]))[0].value === again[0].value);"
    );
    tree.entry("main.mjs", esm);
    let mut cjs = head.to_owned();
    for file in asked.iter().chain([&twice, &twice]) {
        let _ = writeln!(
            cjs,
            "t.sync('require {file}', () => require('./{file}'));\nt.note('entry has {file}');"
        );
    }
    let _ = writeln!(
        cjs,
        "t.is('cached', Object.keys(require.cache));\nt.is('loaded', Object.values(require.cache).map((one) => [one.id, one.loaded, one.children.map((child) => child.id)]));\nt.is('children', module.children.map((child) => [child.id, child.loaded]));\ndelete require.cache[require.resolve('./{twice}')];\nt.sync('required anew', () => require('./{twice}'));"
    );
    tree.entry("main.cjs", cjs);
    // Statically, the graph's own order.
    if let Some(first) = asked.first() {
        tree.entry(
            "static.mjs",
            format!("import * as it from './{first}';\n{head}t.is('static', it);\n"),
        );
    }
}
