//! Positions in generated code, mapped to the sources that their author wrote.
//!
//! Maps come inline, as a `data:` URL, or from a file beside the code, through the reader.
//! What a map says is the package author's word and only changes what a stack shows.

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
            file: beside(url, token.get_source()?),
            line: token.get_src_line().checked_add(1)?,
            column: token.get_src_col().checked_add(1)?,
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

/// `reference` as it is meant in the file at `url`: relative paths are joined, anything
/// with a scheme stays.
fn beside(url: &str, reference: &str) -> String {
    if reference.contains("://") {
        return reference.to_owned();
    }
    if reference.starts_with('/') {
        return format!("file://{reference}");
    }
    let directory = url
        .strip_prefix("file://")
        .and_then(|path| path.rsplit_once('/'))
        .map_or("", |(directory, _)| directory);
    let mut parts: Vec<&str> = directory
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
