//! Class `urls`: specifiers as text, put together of what URLs and paths are made of, over files with names that need escaping.

use super::{Rng, Tree, cjs_probe, esm_probe};

const FILES: [&str; 16] = [
    "plain.mjs",
    "with space.mjs",
    "with%20percent.mjs",
    "hash#tag.mjs",
    "question?mark.mjs",
    "ünï.mjs",
    "日本.mjs",
    "a+b.mjs",
    "a&b=c.mjs",
    "quote'.mjs",
    "dir/inner.mjs",
    "dir with space/inner.mjs",
    "back\\slash.mjs",
    "tilde~.mjs",
    "br[ack]et.mjs",
    "double\"quote.mjs",
];

const PIECES: [&str; 52] = [
    "plain.mjs",
    "with space.mjs",
    "with%20space.mjs",
    "with%2520percent.mjs",
    "with%20percent.mjs",
    "hash#tag.mjs",
    "hash%23tag.mjs",
    "question?mark.mjs",
    "question%3Fmark.mjs",
    "question%3fmark.mjs",
    "ünï.mjs",
    "%C3%BCn%C3%AF.mjs",
    "日本.mjs",
    "%E6%97%A5%E6%9C%AC.mjs",
    "a+b.mjs",
    "a&b=c.mjs",
    "quote'.mjs",
    "quote%27.mjs",
    "dir/inner.mjs",
    "dir%2Finner.mjs",
    "dir%2finner.mjs",
    "dir%5Cinner.mjs",
    "dir%5cinner.mjs",
    "dir\\inner.mjs",
    "dir//inner.mjs",
    "dir/./inner.mjs",
    "dir/../plain.mjs",
    "dir/%2e%2e/plain.mjs",
    "dir/%2E/inner.mjs",
    "dir%20with%20space/inner.mjs",
    "back\\slash.mjs",
    "back%5Cslash.mjs",
    "tilde~.mjs",
    "%7e.mjs",
    "%",
    "%zz.mjs",
    "%00.mjs",
    "%ff.mjs",
    "br[ack]et.mjs",
    "br%5Back%5Det.mjs",
    "double\"quote.mjs",
    "double%22quote.mjs",
    "PLAIN.mjs",
    "plain.mjs/",
    "plain%2Emjs",
    "dir/",
    "dir",
    "pl\tain.mjs",
    "plain.mjs ",
    " plain.mjs",
    "pl\u{0}ain.mjs",
    "plain.mjs%0a",
];

const SUFFIXES: [&str; 12] = [
    "", "?", "#", "?x=1", "?x=2", "#frag", "?x#frag", "??", "?a?b", "#?x", "?%20", "? space",
];

const WHOLE: [&str; 44] = [
    "data:text/javascript,export default 1",
    "data:text/javascript,export default import.meta.url",
    "data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgMQ==",
    "data:text/javascript;charset=utf-8,export default '%C3%BC'",
    "data:text/javascript,import 'node:path'; export default 2",
    "data:text/javascript,import './plain.mjs'; export default 3",
    "data:text/javascript,import 'pkg'; export default 4",
    "data:application/json,{}",
    "data:application/json,{\"a\":",
    "data:text/plain,hello",
    "data:text/css,",
    "data:,export default 5",
    "data:",
    "data:text/javascript",
    "data:application/javascript,export default 6",
    "data:TEXT/JAVASCRIPT,export default 7",
    "data:text/javascript;base64,%%%",
    "data:text/javascript,export default '#hash'",
    "node:path",
    "node:path?x",
    "node:path#x",
    "node:path/posix",
    "node:test",
    "node:sea",
    "node:PATH",
    "NODE:path",
    "node:./path",
    "node:node:path",
    "node: path",
    "path",
    "path/posix",
    "path/",
    "http://localhost/x.mjs",
    "https://localhost/x.mjs",
    "ftp://localhost/x.mjs",
    "blob:nodedata:x",
    "unknown:x",
    "file:",
    "file://",
    "file:///",
    "file://host/x.mjs",
    "file:plain.mjs",
    "file:./plain.mjs",
    "javascript:1",
];

pub(super) fn generate(tree: &mut Tree, rng: &mut Rng) {
    for file in FILES {
        if rng.chance(92) {
            let name = file.to_owned();
            tree.file(name, "export const url = import.meta.url;\nexport const facts = [import.meta.filename, import.meta.dirname];\n");
        }
    }
    tree.file("node_modules/pkg/index.js", "exports.at = __filename;\n");
    let mut specifiers = Vec::new();
    for _ in 0..rng.between(16, 26) {
        let piece = rng.pick(&PIECES);
        let suffix = if rng.chance(45) {
            rng.pick(&SUFFIXES)
        } else {
            ""
        };
        let head = rng.pick(&[
            "./",
            "./",
            "./",
            "./",
            "././",
            ".//",
            "./dir/../",
            "%2e/",
            ".%2f",
            "./%2e/",
        ]);
        specifiers.push(format!("{head}{piece}{suffix}"));
    }
    specifiers.extend(rng.some(&WHOLE, 50).iter().map(|one| (*one).to_owned()));
    tree.entry("main.mjs", esm_probe(&specifiers));
    let pieces: Vec<String> = rng
        .some(&PIECES, 50)
        .iter()
        .map(|one| (*one).to_owned())
        .collect();
    tree.entry(
        "absolute.mjs",
        format!(
            "import {{ pathToFileURL, fileURLToPath }} from 'node:url';
const here = new URL('.', import.meta.url).href;
const folder = fileURLToPath(here);
for (const piece of {}) {{
  await t.try(`url ${{piece}}`, () => import(here + piece));
  await t.try(`path ${{piece}}`, () => import(folder + piece));
  await t.try(`slashes ${{piece}}`, () => import(here.replace('file:///', 'file:/') + piece));
  await t.try(`upper ${{piece}}`, () => import(here.replace('file:', 'FILE:') + piece));
  await t.try(`localhost ${{piece}}`, () => import(here.replace('file:///', 'file://localhost/') + piece));
  await t.try(`round ${{piece}}`, () => import(pathToFileURL(folder + piece)));
}}
",
            super::list(&pieces)
        ),
    );
    specifiers.truncate(30);
    tree.entry("main.cjs", cjs_probe(&specifiers));
}
