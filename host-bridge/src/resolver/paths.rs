//! Guest paths as text, as Node's `path` module takes them.

/// `path.resolve(directory, path)` for an absolute `directory`.
pub(super) fn resolve(directory: &str, path: &str) -> String {
    let directory = if path.starts_with('/') { "" } else { directory };
    let mut names = Vec::new();
    for name in directory.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let mut resolved = String::with_capacity(directory.len().saturating_add(path.len()));
    for name in names {
        resolved.push('/');
        resolved.push_str(name);
    }
    if resolved.is_empty() {
        resolved.push('/');
    }
    resolved
}

/// The directory that holds `path`; `/` has none.
pub(super) fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

/// The last name of `path`.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `directory` and all that hold it, innermost first.
pub(super) fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| parent(directory))
}

/// `directory/name`.
pub(super) fn join(directory: &str, name: &str) -> String {
    match directory {
        "/" => format!("/{name}"),
        directory => format!("{directory}/{name}"),
    }
}

/// What `require` searches for a package, innermost first: Node's `module.paths` for a
/// module in `directory`, an absolute and normal guest path.
#[must_use]
pub fn node_modules_paths(directory: &str) -> Vec<String> {
    ancestors(directory)
        .filter(|directory| file_name(directory) != "node_modules")
        .map(|directory| join(directory, "node_modules"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_as_path_resolve_does() {
        for (directory, path, resolved) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a/b", "/c/", "/c"),
            ("/", "..", "/"),
            ("/a", "./b/./..", "/a"),
        ] {
            assert_eq!(resolve(directory, path), resolved);
        }
    }

    #[test]
    fn node_modules_is_not_searched_in_node_modules() {
        assert_eq!(
            node_modules_paths("/a/node_modules/b"),
            [
                "/a/node_modules/b/node_modules",
                "/a/node_modules",
                "/node_modules"
            ]
        );
    }
}
