//! Which package may depend on what, read from the manifests: a layer that is not in a manifest cannot be crossed in code.

use super::{
    Problem,
    tree::{TextFile, Tree},
};

/// What a package must not know.
struct Layer {
    manifest: &'static str,
    /// Names of crates; a name stands for its family too (`tokio` for `tokio-util`).
    never: &'static [&'static str],
    /// The only packages of this workspace that it may depend on; `None` leaves that open.
    workspace: Option<&'static [&'static str]>,
}

const LAYERS: &[Layer] = &[
    Layer {
        manifest: "protocol/Cargo.toml",
        never: &["tokio", "v8", "nix"],
        workspace: Some(&[]),
    },
    Layer {
        manifest: "host-bridge/Cargo.toml",
        never: &["tokio", "v8"],
        workspace: Some(&["protocol"]),
    },
    Layer {
        manifest: "runtime/Cargo.toml",
        never: &["tokio"],
        workspace: Some(&["protocol", "host-bridge"]),
    },
    Layer {
        manifest: "clients/rust/Cargo.toml",
        never: &["v8"],
        workspace: Some(&["protocol"]),
    },
];

/// A crate and the one manifest that may name it.
const EXCLUSIVE: &[(&str, &str)] = &[
    ("v8", "runtime/Cargo.toml"),
    ("bincode", "protocol/Cargo.toml"),
];
/// An error's class is part of the protocol, and these erase it.
const NOWHERE: &[&str] = &["anyhow", "eyre"];

pub(super) fn dependencies_respect_the_layers(tree: &Tree) -> Vec<Problem> {
    let packages: Vec<String> = manifests(tree).filter_map(package_name).collect();
    let mut problems = Vec::new();
    for layer in LAYERS {
        let Some(manifest) = tree.file(layer.manifest) else {
            continue;
        };
        for dependency in dependencies(&manifest.text) {
            let refused = layer
                .never
                .iter()
                .any(|name| is_family(&dependency.name, name));
            let outside = layer.workspace.is_some_and(|allowed| {
                packages.contains(&dependency.name) && !allowed.contains(&dependency.name.as_str())
            });
            if refused || outside {
                let text = format!("must not depend on `{}`", dependency.name);
                problems.push(Problem::at_line(layer.manifest, dependency.line, text));
            }
        }
    }
    problems
}

pub(super) fn exclusive_dependencies(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for manifest in manifests(tree) {
        for dependency in dependencies(&manifest.text) {
            let name = dependency.name.as_str();
            let owner = EXCLUSIVE.iter().find(|(owned, _)| *owned == name);
            let text = match owner {
                Some((_, owner)) if *owner != manifest.path => {
                    format!("`{name}` belongs to {owner} alone")
                }
                None if NOWHERE.contains(&name) => format!("`{name}` erases the class of an error"),
                _ => continue,
            };
            problems.push(Problem::at_line(&manifest.path, dependency.line, text));
        }
    }
    for (name, owner) in EXCLUSIVE {
        let depends = tree.file(owner).is_some_and(|manifest| {
            let found = dependencies(&manifest.text);
            found.iter().any(|dependency| dependency.name == *name)
        });
        if !depends {
            problems.push(Problem::in_file(
                owner,
                format!("does not depend on `{name}`"),
            ));
        }
    }
    problems
}

fn manifests(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.files()
        .filter(|file| file.name() == "Cargo.toml" && !file.path.starts_with("fixtures/"))
}

fn is_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn package_name(manifest: &TextFile) -> Option<String> {
    let mut lines = manifest.text.lines().map(str::trim);
    lines.find(|line| *line == "[package]")?;
    lines
        .take_while(|line| !line.starts_with('['))
        .find_map(|line| string_value(line, "name"))
}

struct Dependency {
    /// The crate's own name, also where the manifest gives it another one.
    name: String,
    line: usize,
}

/// Where a line of a manifest stands.
enum Table {
    /// `[dependencies]` and its relatives: each key is a crate.
    Dependencies,
    /// `[dependencies.name]`: the header is.
    One,
    Other,
}

/// All dependencies of a manifest: normal, for tests, for the build script and for one platform. The list that a workspace
/// shares is not one.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut table = Table::Other;
    for (line, text) in (1..).zip(manifest.lines()) {
        let text = text.trim();
        if let Some(header) = text
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            let name;
            (table, name) = read_header(header);
            found.extend(name.map(|name| Dependency { name, line }));
            continue;
        }
        let package = string_value(text, "package");
        match table {
            Table::Dependencies => {
                if let Some(key) = key_of(text) {
                    let name = package.unwrap_or_else(|| key.to_owned());
                    found.push(Dependency { name, line });
                }
            }
            Table::One => {
                if let (Some(package), Some(last)) = (package, found.last_mut()) {
                    last.name = package;
                }
            }
            Table::Other => {}
        }
    }
    found
}

fn read_header(header: &str) -> (Table, Option<String>) {
    if header.starts_with("workspace.") {
        (Table::Other, None)
    } else if header.ends_with("dependencies") {
        (Table::Dependencies, None)
    } else if let Some((_, name)) = header.rsplit_once("dependencies.") {
        (Table::One, Some(name.trim_matches('"').to_owned()))
    } else {
        (Table::Other, None)
    }
}

/// The first part of the key of `key = value` or `key.part = value`.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.split('.').next()?.trim().trim_matches('"');
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!key.is_empty() && key.chars().all(is_name)).then_some(key)
}

/// The value of `key = "value"`, alone on the line or inside braces.
fn string_value(line: &str, key: &str) -> Option<String> {
    let spaced: String = line.split('#').next()?.split_whitespace().collect();
    let start = [format!("{{{key}=\""), format!(",{key}=\"")]
        .iter()
        .find_map(|opening| spaced.split_once(opening.as_str()))
        .map(|(_, rest)| rest)
        .or_else(|| spaced.strip_prefix(&format!("{key}=\"")))?;
    start.split('"').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::report;

    fn names(manifest: &str) -> Vec<String> {
        let found = dependencies(manifest);
        found
            .into_iter()
            .map(|dependency| dependency.name)
            .collect()
    }

    #[test]
    fn every_way_to_write_a_dependency_is_read() {
        let manifest = r#"
[package]
name = "a"

[dependencies]
bytes = "1"
nix.workspace = true
other = { version = "1", package = "v8" } # renamed
tokio = { version = "1", features = [
    "rt",
] }

[dev-dependencies.serde]
version = "1"

[build-dependencies.cc2]
package = "cc"

[target.'cfg(target_os = "linux")'.dependencies]
libc = "0.2"

[features]
default = []

[workspace.dependencies]
anyhow = "1"
"#;
        assert_eq!(
            names(manifest),
            ["bytes", "nix", "v8", "tokio", "serde", "cc", "libc"]
        );
    }

    #[test]
    fn layers_are_held() {
        let found = report(
            dependencies_respect_the_layers,
            &[
                (
                    "protocol/Cargo.toml",
                    "[package]\nname = \"protocol\"\n[dependencies]\nbytes = \"1\"\ntokio-util = \"1\"\n",
                ),
                (
                    "host-bridge/Cargo.toml",
                    "[package]\nname = \"host-bridge\"\n[dependencies]\nnix = \"1\"\nprotocol.workspace = true\nruntime.workspace = true\n",
                ),
                (
                    "runtime/Cargo.toml",
                    "[package]\nname = \"runtime\"\n[dev-dependencies]\ntokio = \"1\"\n",
                ),
                (
                    "clients/rust/Cargo.toml",
                    "[package]\nname = \"client\"\n[dependencies]\ntokio = \"1\"\nhost-bridge = { workspace = true }\n",
                ),
            ],
        );
        assert_eq!(
            found,
            [
                "protocol/Cargo.toml:5: must not depend on `tokio-util`",
                "host-bridge/Cargo.toml:6: must not depend on `runtime`",
                "runtime/Cargo.toml:4: must not depend on `tokio`",
                "clients/rust/Cargo.toml:5: must not depend on `host-bridge`",
            ]
        );
    }

    #[test]
    fn some_crates_have_one_owner() {
        let found = report(
            exclusive_dependencies,
            &[
                ("protocol/Cargo.toml", "[dependencies]\nbincode = \"2\"\n"),
                ("runtime/Cargo.toml", "[dependencies]\nbytes = \"1\"\n"),
                (
                    "sidecar/Cargo.toml",
                    "[dependencies]\nv8.workspace = true\nbincode.workspace = true\nanyhow = \"1\"\n",
                ),
                ("Cargo.toml", "[workspace.dependencies]\nv8 = \"152\"\n"),
            ],
        );
        assert_eq!(
            found,
            [
                "sidecar/Cargo.toml:2: `v8` belongs to runtime/Cargo.toml alone",
                "sidecar/Cargo.toml:3: `bincode` belongs to protocol/Cargo.toml alone",
                "sidecar/Cargo.toml:4: `anyhow` erases the class of an error",
                "runtime/Cargo.toml: does not depend on `v8`",
            ]
        );
    }
}
