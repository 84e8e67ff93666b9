//! A test for each file of `fixtures/hostile`, named after it with `_` for `-`.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in here fails the build, as it should"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Of so many guests, one is also tried in a process of its own; `cargo xtask hostile-report`
/// tries all.
const SAMPLE: usize = 8;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hostile");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".js") || name.ends_with(".mjs"))
        .collect();
    files.sort();
    let mut tests = String::new();
    let name = |file: &str| file.split('.').next().unwrap().replace('-', "_");
    for file in &files {
        let name = name(file);
        writeln!(
            tests,
            "#[test]\nfn {name}() {{\n    check({file:?}, Isolation::Thread);\n}}"
        )
        .unwrap();
    }
    for file in files.iter().step_by(SAMPLE) {
        let name = name(file);
        writeln!(
            tests,
            "#[test]\nfn process_{name}() {{\n    check({file:?}, Isolation::Process);\n}}"
        )
        .unwrap();
    }
    #[expect(clippy::disallowed_methods, reason = "cargo tells a build script so")]
    let to = std::env::var_os("OUT_DIR").unwrap();
    fs::write(Path::new(&to).join("hostile.rs"), tests).unwrap();
}
