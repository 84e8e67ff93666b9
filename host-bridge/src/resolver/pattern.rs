//! Keys and targets of `exports` and `imports` as text.

use super::file_url::decode;

/// The key of `keys` with one `*` that matches `subpath` best, and what the `*` stands for.
///
/// Node's docs, Packages, "Subpath patterns", and `PATTERN_KEY_COMPARE`: the longest text
/// before the `*` wins, then the longest key.
pub(super) fn best_match<'a, 's>(
    keys: impl Iterator<Item = &'a String>,
    subpath: &'s str,
) -> Option<(&'a str, &'s str)> {
    let mut best: Option<(&str, &str)> = None;
    let mut best_rank = (0, 0);
    for key in keys {
        let Some((before, after)) = key.split_once('*') else {
            continue;
        };
        if after.contains('*') || subpath.len() < key.len() {
            continue;
        }
        let matched = subpath
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        let Some(matched) = matched else {
            continue;
        };
        let rank = (before.len(), key.len());
        if best.is_none() || best_rank < rank {
            best = Some((key, matched));
            best_rank = rank;
        }
    }
    best
}

/// Whether a segment of `path` is `.`, `..` or `node_modules`, percent-encoded or not:
/// `PACKAGE_TARGET_RESOLVE` refuses it. Empty segments pass, as in Node 20.
pub(super) fn has_invalid_segment(path: &str) -> bool {
    path.split(['/', '\\']).any(|segment| {
        let decoded = decode(segment).unwrap_or_default();
        decoded == b"." || decoded == b".." || decoded.eq_ignore_ascii_case(b"node_modules")
    })
}

/// Whether JavaScript takes `key` for the index of an array.
pub(super) fn is_array_index(key: &str) -> bool {
    key.parse::<u32>()
        .is_ok_and(|index| index != u32::MAX && index.to_string() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_base_wins_then_longest_key() {
        let keys = ["./*", "./a/*", "./a/*.js", "./a/b*c", "./*/x/*", "./exact"];
        let keys = keys.map(str::to_owned);
        for (subpath, wanted) in [
            ("./z", Some(("./*", "z"))),
            ("./a/z", Some(("./a/*", "z"))),
            ("./a/z.js", Some(("./a/*.js", "z"))),
            ("./a/b-c", Some(("./a/b*c", "-"))),
            ("./a/bc", Some(("./a/*", "bc"))),
            ("./q/x/y", Some(("./*", "q/x/y"))),
            ("x", None),
        ] {
            assert_eq!(best_match(keys.iter(), subpath), wanted, "{subpath}");
        }
    }

    #[test]
    fn invalid_segments() {
        for path in ["..", "a/.", "a/%2e%2E/b", "a\\..", "Node_%6dodules/x"] {
            assert!(has_invalid_segment(path), "{path}");
        }
        for path in ["", "a//b", "...", "node_modules_", "%zz", "a.b"] {
            assert!(!has_invalid_segment(path), "{path}");
        }
    }

    #[test]
    fn array_indices() {
        for (key, is_index) in [("0", true), ("12", true), ("01", false), ("-1", false)] {
            assert_eq!(is_array_index(key), is_index, "{key}");
        }
        assert!(is_array_index("4294967294"));
        assert!(!is_array_index("4294967295"));
    }
}
