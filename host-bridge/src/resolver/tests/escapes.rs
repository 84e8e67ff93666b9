//! Specifiers that try to leave the directories that the host shares.

use super::*;

/// Ways to write `..` and `/`, none of which may lead out.
const UP: [&str; 17] = [
    "..",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "%252e%252e",
    "%25252e%25252e",
    "..%2f",
    "..%5c",
    "..\\",
    "%c0%ae%c0%ae",
    "%e0%80%ae%e0%80%ae",
    "\u{ff0e}\u{ff0e}",
    "\u{2025}",
    "\u{2024}\u{2024}",
    ".\t.",
    ".\n.",
    "..\0",
];
const SLASHES: [&str; 6] = ["/", "\\", "%2f", "%5c", "\u{2215}", "\u{ff0f}"];

#[test]
fn no_specifier_leads_out() {
    let app = App::new(&[
        ("app/a.mjs", ""),
        ("app/sub/b.mjs", ""),
        (
            "app/node_modules/p/package.json",
            r##"{"exports": {"./*": "./*"}, "imports": {"#*": "./*"}}"##,
        ),
        ("app/node_modules/p/x.js", ""),
        ("secret.js", "secret"),
    ]);
    let root = app.dir.path().join("app");
    let directories = Arc::new(HostDirectories::open(&[(root, "/app")]).unwrap());
    let resolver = Resolver::new(directories, ResolverOptions::default());
    for referrer in ["/app/a.mjs", "/app/sub/b.mjs", "/app/node_modules/p/x.js"] {
        let referrer = Referrer::new(referrer).unwrap();
        for (up, slash) in UP.iter().flat_map(|up| SLASHES.map(|slash| (up, slash))) {
            for n_steps in 1..5 {
                let steps = format!("{up}{slash}").repeat(n_steps);
                for specifier in [
                    format!("{steps}secret.js"),
                    format!("./{steps}secret.js"),
                    format!("/app/{steps}secret.js"),
                    format!("file:///app/{steps}secret.js"),
                    format!("p/{steps}secret.js"),
                    format!("#{steps}secret.js"),
                ] {
                    for kind in [Import, Require] {
                        let answer = resolver.resolve(&specifier, &referrer, kind);
                        assert!(answer.is_err(), "{specifier:?} {answer:?}");
                    }
                }
            }
        }
    }
}
