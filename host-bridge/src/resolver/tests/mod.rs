//! Trees that are asked with `import` and `require`: files, formats, links.

mod errors;
mod escapes;
mod node;
mod packages;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use tempfile::TempDir;

use super::ImportKind::{Import, Require};
use super::*;

/// Files (`path`, contents), and links (`path`, `-> target`), seen at `/app`.
struct App {
    dir: TempDir,
    resolver: Resolver,
}

impl App {
    fn new(entries: &[(&str, &str)]) -> App {
        App::with_conditions(entries, &[])
    }

    fn with_conditions(entries: &[(&str, &str)], conditions: &[&str]) -> App {
        let dir = TempDir::new().unwrap();
        for (path, contents) in entries {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match contents.strip_prefix("-> ") {
                Some(target) => symlink(target, path).unwrap(),
                None => fs::write(path, contents).unwrap(),
            }
        }
        let directories = HostDirectories::open(&[(dir.path(), "/app")]).unwrap();
        let options = ResolverOptions {
            conditions: conditions.iter().map(ToString::to_string).collect(),
            builtins: Builtins::new(["fs", "fs/promises", "node:test"]),
            cwd: Some("/app".to_owned()),
        };
        let resolver = Resolver::new(Arc::new(directories), options);
        App { dir, resolver }
    }

    /// The URL or path and the format, or the code of the error.
    fn ask(&self, referrer: &str, specifier: &str, kind: ImportKind) -> String {
        let referrer = Referrer::new(referrer).unwrap();
        match self.resolver.resolve(specifier, &referrer, kind) {
            Ok(Resolved::Builtin { name }) => format!("builtin {name}"),
            Ok(Resolved::Data { url, format, .. }) => format!("{url} {format:?}"),
            Ok(Resolved::File {
                path, url, format, ..
            }) => match kind {
                Import => format!("{url} {format:?}"),
                Require => format!("{path} {format:?}"),
            },
            Err(error) if error.code().is_empty() => format!("{:?}", error.class()),
            Err(error) => error.code().to_owned(),
        }
    }

    fn message(&self, specifier: &str, kind: ImportKind) -> String {
        let referrer = Referrer::new("/app/a.mjs").unwrap();
        let error = self.resolver.resolve(specifier, &referrer, kind);
        error.unwrap_err().to_string()
    }

    /// Asks in `/app/a.mjs` for each row of `specifier | import | require`. `=` in the
    /// second column is the URL of the third; a third column left out is the second.
    #[track_caller]
    fn check(&self, table: &str) {
        for row in table.trim().lines() {
            let columns: Vec<&str> = row.split('|').map(str::trim).collect();
            let (specifier, imported) = (columns[0], columns[1]);
            let required = columns.get(2).copied().unwrap_or(imported);
            let imported = match imported {
                "=" => format!("file://{required}"),
                imported => imported.to_owned(),
            };
            let ask = |kind| self.ask("/app/a.mjs", specifier, kind);
            assert_eq!(ask(Import), imported, "import {specifier:?}");
            assert_eq!(ask(Require), required, "require {specifier:?}");
        }
    }
}

const FILES: [(&str, &str); 17] = [
    ("a.mjs", ""),
    ("b.js", ""),
    ("sp ace.js", ""),
    ("q?m.js", ""),
    ("data.json", "{}"),
    ("m.wasm", ""),
    ("addon.node", ""),
    ("types.ts", ""),
    ("bin", ""),
    (".js", ""),
    ("dir/index.js", ""),
    ("main/package.json", r#"{"main": "./lib"}"#),
    ("main/lib.js", ""),
    ("esm/package.json", r#"{"type": "module"}"#),
    ("esm/c.js", ""),
    ("esm/bin", ""),
    ("esm/d.cjs", ""),
];

const FILES_TABLE: &str = "
    ./b.js             | =                            | /app/b.js Undeclared
    ./b                | ERR_MODULE_NOT_FOUND         | /app/b.js Undeclared
    /app/b.js          | =                            | /app/b.js Undeclared
    ./b.js?v=1#h       | file:///app/b.js?v=1#h Undeclared | MODULE_NOT_FOUND
    file:///app/b.js?v | file:///app/b.js?v Undeclared  | MODULE_NOT_FOUND
    ./sp%20ace.js      | file:///app/sp%20ace.js Undeclared | MODULE_NOT_FOUND
    ./sp ace.js        | file:///app/sp%20ace.js Undeclared | /app/sp ace.js Undeclared
    ./q%3fm.js         | file:///app/q%3Fm.js Undeclared | MODULE_NOT_FOUND
    ./q?m.js           | ERR_MODULE_NOT_FOUND         | /app/q?m.js Undeclared
    ./x%2fb.js         | ERR_INVALID_MODULE_SPECIFIER | MODULE_NOT_FOUND
    ./x%5Cb.js         | ERR_INVALID_MODULE_SPECIFIER | MODULE_NOT_FOUND
    ./%ff.js           | UriError                     | MODULE_NOT_FOUND
    ./data.json        | =                            | /app/data.json Json
    ./data             | ERR_MODULE_NOT_FOUND         | /app/data.json Json
    ./m.wasm           | =                            | /app/m.wasm Wasm
    ./addon.node       | ERR_UNKNOWN_FILE_EXTENSION   | ERR_DLOPEN_DISABLED
    ./addon            | ERR_MODULE_NOT_FOUND         | ERR_DLOPEN_DISABLED
    ./types.ts         | =                            | /app/types.ts Undeclared
    ./bin              | =                            | /app/bin Undeclared
    ./.js              | =                            | /app/.js Undeclared
    ./dir              | ERR_UNSUPPORTED_DIR_IMPORT   | /app/dir/index.js Undeclared
    ./dir/             | ERR_UNSUPPORTED_DIR_IMPORT   | /app/dir/index.js Undeclared
    ./b.js/            | ERR_UNSUPPORTED_DIR_IMPORT   | MODULE_NOT_FOUND
    .                  | ERR_UNSUPPORTED_DIR_IMPORT   | MODULE_NOT_FOUND
    ./main             | ERR_UNSUPPORTED_DIR_IMPORT   | /app/main/lib.js Undeclared
    ./esm/c.js         | =                            | /app/esm/c.js EsModule
    ./esm/bin          | file:///app/esm/bin EsModule | /app/esm/bin Undeclared
    ./esm/d.cjs        | =                            | /app/esm/d.cjs CommonJs
    ../../etc/passwd   | ERR_MODULE_NOT_FOUND         | MODULE_NOT_FOUND
    file://host/b.js   | ERR_INVALID_FILE_URL_HOST    | MODULE_NOT_FOUND
    https://x/y.js     | ERR_UNSUPPORTED_ESM_URL_SCHEME | MODULE_NOT_FOUND
    data:text/plain,1  | ERR_UNKNOWN_MODULE_FORMAT      | MODULE_NOT_FOUND
                       | ERR_MODULE_NOT_FOUND         | ERR_INVALID_ARG_VALUE
";

#[test]
fn files_and_urls() {
    App::new(&FILES).check(FILES_TABLE);
}

#[test]
fn built_in_modules() {
    let app = App::new(&[
        ("node_modules/fs/index.js", ""),
        ("node_modules/test/index.js", ""),
    ]);
    app.check(
        "
        fs               | builtin fs
        node:fs/promises | builtin fs/promises
        node:test        | builtin test
        test             | = | /app/node_modules/test/index.js Undeclared
        node:nope        | ERR_UNKNOWN_BUILTIN_MODULE
        node:fs?x        | ERR_UNKNOWN_BUILTIN_MODULE
        ",
    );
}

#[test]
fn pnpm_store_and_workspace_links() {
    let store = "node_modules/.pnpm";
    let app = App::new(&[
        (&format!("{store}/b@1/node_modules/b/index.js"), ""),
        (
            &format!("{store}/b@1/node_modules/c"),
            "-> ../../c@1/node_modules/c",
        ),
        (&format!("{store}/c@1/node_modules/c/index.js"), ""),
        ("node_modules/b", "-> .pnpm/b@1/node_modules/b"),
        ("node_modules/own", "-> ../packages/own"),
        ("packages/own/index.js", ""),
        ("node_modules/outside", "-> ../../outside"),
        ("node_modules/absolute", "-> /etc"),
    ]);
    let b = format!("/app/{store}/b@1/node_modules/b/index.js");
    let c = format!("/app/{store}/c@1/node_modules/c/index.js Undeclared");
    app.check(&format!(
        "
        b        | = | {b} Undeclared
        own      | = | /app/packages/own/index.js Undeclared
        c        | ERR_MODULE_NOT_FOUND | MODULE_NOT_FOUND
        outside  | ERR_ACCESS_DENIED
        absolute | ERR_ACCESS_DENIED
        "
    ));
    assert_eq!(app.ask(&b, "c", Import), format!("file://{c}"));
    assert_eq!(app.ask(&b, "c", Require), c);
}
