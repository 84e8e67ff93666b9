//! What a test of Node needs that a session has not, as far as its text says so.

/// Words of a test, and what they mean that it needs. The first that stands in it counts.
const NEEDS: &[(&str, &[&str])] = &[
    (
        "processes",
        &["child_process", "spawn", "fork(", "execPath", "execFile"],
    ),
    ("workers", &["worker_threads", "new Worker"]),
    (
        "internals of Node",
        &[
            "internalBinding",
            "internal/",
            "process.binding",
            "_debugger",
        ],
    ),
    (
        "files",
        &[
            "tmpdir",
            "'fs'",
            "\"fs\"",
            "node:fs",
            "fs/promises",
            "readSync",
            "readKey",
        ],
    ),
    (
        "modules that a session has not",
        &[
            "'vm'",
            "node:vm",
            "'http'",
            "node:http",
            "'inspector'",
            "node:inspector",
            "inspector-helper",
            "'repl'",
            "common/gc",
        ],
    ),
    ("node:test", &["node:test'", "node:test\""]),
    ("module.register", &["register(", "registerHooks"]),
];

/// Flags that are the default, or say nothing about the result.
const HARMLESS: &[&str] = &[
    "--experimental-require-module",
    "--no-warnings",
    "--no-deprecation",
    "--pending-deprecation",
];

/// How a test wants to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Demand {
    /// The arguments of Node.
    pub(super) flags: Vec<String>,
    pub(super) conditions: Vec<String>,
    /// What it needs and cannot have.
    pub(super) needs: Option<String>,
}

pub(super) fn demand(text: &str) -> Demand {
    let flags: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("// Flags: "))
        .flat_map(|flags| flags.split_whitespace().map(str::to_owned))
        .collect();
    let mut conditions = Vec::new();
    let mut unknown = None;
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        if let Some(name) = flag.strip_prefix("--conditions=") {
            conditions.push(name.to_owned());
        } else if flag == "-C" {
            conditions.extend(words.next().cloned());
        } else if !HARMLESS.contains(&flag.as_str()) {
            unknown = Some(format!(
                "flags ({})",
                flag.split('=').next().unwrap_or(flag)
            ));
        }
    }
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let needs = NEEDS.iter().find(|(_, words)| says(words));
    Demand {
        flags,
        conditions,
        needs: needs.map(|(what, _)| (*what).to_owned()).or(unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_says_what_it_needs() {
        let demand_of = |text: &str| demand(text).needs;
        assert_eq!(demand_of("import '../common/index.mjs';"), None);
        assert_eq!(demand_of("require('child_process')").unwrap(), "processes");
        assert_eq!(
            demand_of("// Flags: --loader=x\n").unwrap(),
            "flags (--loader)"
        );
        assert_eq!(demand_of("// Flags: --experimental-require-module\n"), None);
        let with = demand("// Flags: --conditions=a -C b\n");
        assert_eq!(
            (with.conditions, with.needs),
            (vec!["a".to_owned(), "b".to_owned()], None)
        );
    }
}
