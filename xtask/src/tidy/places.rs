//! The repository speaks of no machine: no absolute paths of a developer's disk, no hosts of package registries.

use super::{Problem, tree::Tree};

/// Folders of somebody's machine. Taken apart so that this file does not name them.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];
/// Registries are the machine's own choice, and reached by their clients.
const REGISTRIES: &[&str] = &[
    concat!("registry.np", "mjs.org"),
    concat!("crates", ".io/api"),
    concat!("static.cra", "tes.io"),
    concat!("deb.de", "bian.org"),
];
/// Written by package managers: each has a check or a form of its own.
const LOCKS: &[&str] = &["Cargo.lock", "package-lock.json"];
/// Files, or folders with their `/`, in which such a path is a guest's and not a machine's.
const GUEST_PATHS: &[&str] = &[];
const OMIT_RESOLVED: &str = "omit-lockfile-registry-resolved=true";

pub(super) fn no_machine_is_named(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().filter(|file| !LOCKS.contains(&file.name())) {
        let guest = GUEST_PATHS.iter().any(|path| file.path.starts_with(path));
        for (number, line) in (1..).zip(file.text.lines()) {
            let path = MACHINE_PATHS.iter().find(|path| names_path(line, path));
            if let Some(path) = path.filter(|_| !guest) {
                let text = format!("`{path}` is a path of one machine");
                problems.push(Problem::at_line(&file.path, number, text));
            }
            if let Some(host) = REGISTRIES.iter().find(|host| line.contains(**host)) {
                let text = format!("`{host}` is the host of a registry");
                problems.push(Problem::at_line(&file.path, number, text));
            }
        }
    }
    problems
}

/// Whether an absolute path that starts with `path` stands in `line`; `path` inside another path is none.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.*~})>]".contains(c))
    })
}

pub(super) fn npm_locks_name_no_host(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for lock in tree
        .files()
        .filter(|file| file.name() == "package-lock.json")
    {
        let resolved = (1..)
            .zip(lock.text.lines())
            .find(|(_, line)| line.contains("\"resolved\": \"http"));
        if let Some((number, _)) = resolved {
            let text = "a package is tied to a registry; make the lock file anew";
            problems.push(Problem::at_line(&lock.path, number, text));
        }
        let settings = match lock.folder() {
            "" => ".npmrc".to_owned(),
            folder => format!("{folder}/.npmrc"),
        };
        let omits = tree
            .file(&settings)
            .is_some_and(|file| file.text.lines().any(|line| line.trim() == OMIT_RESOLVED));
        if !omits {
            problems.push(Problem::in_file(
                &settings,
                format!("does not say `{OMIT_RESOLVED}`"),
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::planted::report;

    #[test]
    fn paths_of_a_machine_are_found() {
        let text = format!(
            "cd {0}main\nsee ..{0}main and a{0}b\nfile://{0}x\n",
            MACHINE_PATHS[0]
        );
        let found = report(no_machine_is_named, &[("docs/A.md", &text)]);
        let said = format!("`{}` is a path of one machine", MACHINE_PATHS[0]);
        assert_eq!(
            found,
            [
                format!("docs/A.md:1: {said}"),
                format!("docs/A.md:3: {said}")
            ]
        );
    }

    #[test]
    fn hosts_of_registries_are_found() {
        for host in REGISTRIES {
            let text = format!("from https://{host}/x\n");
            let found = report(
                no_machine_is_named,
                &[("scripts/get", &text), ("a/Cargo.lock", &text)],
            );
            assert_eq!(
                found,
                [format!("scripts/get:1: `{host}` is the host of a registry")]
            );
        }
    }

    #[test]
    fn npm_locks_are_free_of_hosts() {
        let tied = "{\n  \"resolved\": \"https://example.org/a.tgz\"\n}\n";
        let found = report(
            npm_locks_name_no_host,
            &[
                ("a/package-lock.json", tied),
                ("b/package-lock.json", "{}"),
                (
                    "b/.npmrc",
                    "save-exact=true\nomit-lockfile-registry-resolved=true\n",
                ),
            ],
        );
        assert_eq!(
            found,
            [
                "a/package-lock.json:2: a package is tied to a registry; make the lock file anew",
                "a/.npmrc: does not say `omit-lockfile-registry-resolved=true`",
            ]
        );
    }
}
