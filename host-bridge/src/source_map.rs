//! Positions in generated code, mapped to the sources that their author wrote.
//!
//! Maps come inline, as a `data:` URL, or from a file beside the code, through the reader.
//! What a map says is the package author's word and only changes what a stack shows. A
//! source that is no place below the guest's directories is not shown: it may be a path of
//! the machine that the package was built on, or of this one.

use std::collections::HashMap;
use std::sync::Arc;

use sourcemap::{DecodedMap, SourceMap, decode_data_url, decode_slice};

use crate::reader::HostDirectories;

/// Maps that one session remembers.
const MAX_MAPS: usize = 64;
/// Largest map that is looked at, in bytes.
const MAX_MAP_BYTES: usize = 16 << 20;

/// The maps of one session, by URL of the generated code.
#[derive(Debug)]
pub struct SourceMaps {
    directories: Arc<HostDirectories>,
    maps: HashMap<String, Option<Arc<SourceMap>>>,
}

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedPlace {
    /// URL of the source.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl SourceMaps {
    /// Maps that are read from `directories`.
    pub fn new(directories: Arc<HostDirectories>) -> SourceMaps {
        SourceMaps {
            directories,
            maps: HashMap::new(),
        }
    }

    /// Maps `line` and `column` (both from 1) of the code at `url`, whose
    /// `sourceMappingURL` is `mapping_url`. `None` when there is no usable map.
    pub fn lookup(
        &mut self,
        url: &str,
        mapping_url: &str,
        line: u32,
        column: u32,
    ) -> Option<MappedPlace> {
        let map = self.map(url, mapping_url)?;
        let token = map.lookup_token(line.checked_sub(1)?, column.checked_sub(1)?)?;
        if token.get_dst_line() != line.checked_sub(1)? {
            return None;
        }
        Some(MappedPlace {
            file: self.source(url, token.get_source()?)?,
            line: token.get_src_line().checked_add(1)?,
            column: token.get_src_col().checked_add(1)?,
        })
    }

    /// What a stack shows of a source: a guest path or its URL, as the code has it, or a URL
    /// of a bundler's own (`webpack://`).
    fn source(&self, url: &str, source: &str) -> Option<String> {
        if source.chars().any(char::is_control) {
            return None;
        }
        let place = beside(url, source);
        let Some(path) = place.strip_prefix("file://") else {
            return (!place.starts_with("file:")).then_some(place);
        };
        let is_below = |directory: &str| {
            let rest = path.strip_prefix(directory.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let is_guest = is_below(directory_of(url)) || self.directories.guest_roots().any(is_below);
        if !is_guest {
            return None;
        }
        Some(if url.starts_with('/') {
            path.to_owned()
        } else {
            place
        })
    }

    fn map(&mut self, url: &str, mapping_url: &str) -> Option<Arc<SourceMap>> {
        if let Some(known) = self.maps.get(url) {
            return known.clone();
        }
        let map = self.load(url, mapping_url).map(Arc::new);
        if self.maps.len() >= MAX_MAPS {
            self.maps.clear();
        }
        self.maps.insert(url.to_owned(), map.clone());
        map
    }

    fn load(&self, url: &str, mapping_url: &str) -> Option<SourceMap> {
        if mapping_url.len() > MAX_MAP_BYTES {
            return None;
        }
        let decoded = if mapping_url.starts_with("data:") {
            decode_data_url(mapping_url).ok()?
        } else {
            let place = beside(url, mapping_url);
            let contents = self.directories.read(place.strip_prefix("file://")?).ok()?;
            if contents.bytes().len() > MAX_MAP_BYTES {
                return None;
            }
            decode_slice(contents.bytes()).ok()?
        };
        match decoded {
            DecodedMap::Regular(map) => Some(map),
            _ => None,
        }
    }
}

/// `reference` as it is meant in the file at `url`, which may be a path: relative paths are
/// joined, anything with a scheme stays.
fn beside(url: &str, reference: &str) -> String {
    if reference.contains("://") {
        return reference.to_owned();
    }
    if reference.starts_with('/') {
        return format!("file://{reference}");
    }
    let mut parts: Vec<&str> = directory_of(url)
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in reference.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("file:///{}", parts.join("/"))
}

/// Path of the directory of the file at `url`.
fn directory_of(url: &str) -> &str {
    let path = url.strip_prefix("file://").unwrap_or(url);
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line 2, column 1 of the generated code is line 7, column 3 of `src/a.ts`.
    const MAP: &str = r#"{"version":3,"sources":["../src/a.ts"],"names":[],"mappings":";AAME"}"#;

    fn maps(dir: &std::path::Path) -> SourceMaps {
        let root = (dir.to_path_buf(), "/app".to_owned());
        SourceMaps::new(Arc::new(HostDirectories::open(&[root]).unwrap()))
    }

    #[test]
    fn a_map_beside_the_code() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("dist")).unwrap();
        std::fs::write(dir.path().join("dist/a.js.map"), MAP).unwrap();
        let mut maps = maps(dir.path());
        let place = maps.lookup("file:///app/dist/a.js", "a.js.map", 2, 5);
        let expected = MappedPlace {
            file: "file:///app/src/a.ts".into(),
            line: 7,
            column: 3,
        };
        assert_eq!(place, Some(expected));
        assert_eq!(maps.lookup("file:///app/dist/a.js", "a.js.map", 1, 1), None);
    }

    #[test]
    fn only_places_of_the_guest_are_shown() {
        let dir = tempfile::tempdir().unwrap();
        let mut maps = maps(dir.path());
        for (n, (source, url, expected)) in [
            ("a.ts", "/app/dist/x.cjs", Some("/app/dist/a.ts")),
            (
                "a.ts",
                "file:///app/dist/x.js",
                Some("file:///app/dist/a.ts"),
            ),
            ("../src/a.ts", "/app/dist/x.cjs", Some("/app/src/a.ts")),
            ("../a.ts", "/app/x.cjs", None),
            ("a.ts", "/other/x.cjs", Some("/other/a.ts")),
            ("/app/src/a.ts", "/app/x.cjs", Some("/app/src/a.ts")),
            (
                "file:///app/a.ts",
                "file:///app/x.js",
                Some("file:///app/a.ts"),
            ),
            (
                "webpack://lib/a.ts",
                "/app/x.cjs",
                Some("webpack://lib/a.ts"),
            ),
            ("/elsewhere/lib/a.ts", "/app/x.cjs", None),
            ("file:///elsewhere/lib/a.ts", "file:///app/x.js", None),
            (
                "file:/elsewhere/lib/a.ts",
                "/app/x.cjs",
                Some("/app/file:/elsewhere/lib/a.ts"),
            ),
            ("/application/a.ts", "/app/x.cjs", None),
            ("a.ts\\n    at forged", "/app/x.cjs", None),
        ]
        .into_iter()
        .enumerate()
        {
            let map = MAP.replace("../src/a.ts", source);
            let name = format!("{n}.map");
            std::fs::write(dir.path().join(&name), map).unwrap();
            // A name of its own each time: maps are remembered.
            let (directory, file) = url.rsplit_once('/').unwrap();
            let place = maps.lookup(
                &format!("{directory}/{n}{file}"),
                &format!("/app/{name}"),
                2,
                5,
            );
            assert_eq!(
                place.map(|place| place.file).as_deref(),
                expected,
                "{source}"
            );
        }
    }

    #[test]
    fn a_map_that_is_missing_or_broken_is_no_map() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("broken.map"), "{").unwrap();
        let mut maps = maps(dir.path());
        assert_eq!(maps.lookup("file:///app/a.js", "missing.map", 1, 1), None);
        assert_eq!(maps.lookup("file:///app/b.js", "broken.map", 1, 1), None);
        assert_eq!(maps.lookup("file:///app/c.js", "data:x,y", 1, 1), None);
        assert_eq!(
            maps.lookup("file:///app/d.js", "../../../etc/passwd", 1, 1),
            None
        );
    }
}
