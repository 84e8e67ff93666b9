//! `package.json`: the fields that resolution reads, and the nearest one to a path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{ResolveError, Resolver, is_missing, lock, paths};

/// Bytes that a `package.json` may have.
const MAX_CONFIG_BYTES: usize = 4 << 20;
/// How much more memory parsed fields take than their text, at most and roughly.
const PARSED_FACTOR: usize = 4;
/// Packages that one resolver remembers, present or absent.
const MAX_REMEMBERED: usize = 32_768;

/// A directory with a `package.json`.
#[derive(Debug, Clone)]
pub(super) struct Package {
    /// Guest path of the directory, as it was asked for.
    pub(super) directory: String,
    pub(super) config: Arc<PackageConfig>,
}

/// The fields that resolution reads. A field of the wrong type counts as absent, as in
/// Node.
#[derive(Debug, Default)]
pub(super) struct PackageConfig {
    pub(super) name: Option<String>,
    pub(super) main: Option<String>,
    pub(super) is_module: bool,
    /// Absent when `null`.
    pub(super) exports: Option<Value>,
    pub(super) imports: Option<Map<String, Value>>,
}

/// What one file says; shared by all sessions that see the same contents.
type Parsed = Result<Arc<PackageConfig>, serde_json::Error>;

/// The packages that one resolver has looked for, by directory.
#[derive(Debug, Default)]
pub(super) struct PackageStore(Mutex<HashMap<String, Option<Package>>>);

impl Package {
    /// Guest path of the `package.json`.
    pub(super) fn config_path(&self) -> String {
        paths::join(&self.directory, "package.json")
    }
}

impl Resolver {
    /// The package whose `package.json` is in `directory` itself. `importer` is named
    /// when it cannot be used.
    pub(super) fn package_in(
        &self,
        directory: &str,
        importer: Option<&str>,
    ) -> Result<Option<Package>, ResolveError> {
        if let Some(known) = lock(&self.packages.0).get(directory) {
            return Ok(known.clone());
        }
        let package = self.read_package(directory, importer)?;
        let mut packages = lock(&self.packages.0);
        if MAX_REMEMBERED <= packages.len() {
            packages.clear();
        }
        packages.insert(directory.to_owned(), package.clone());
        Ok(package)
    }

    /// Node's `LOOKUP_PACKAGE_SCOPE` for a module in `directory`.
    pub(super) fn package_scope(
        &self,
        directory: &str,
        importer: Option<&str>,
    ) -> Result<Option<Package>, ResolveError> {
        for directory in paths::ancestors(directory) {
            if paths::file_name(directory) == "node_modules" {
                break;
            }
            if let Some(package) = self.package_in(directory, importer)? {
                return Ok(Some(package));
            }
        }
        Ok(None)
    }

    fn read_package(
        &self,
        directory: &str,
        importer: Option<&str>,
    ) -> Result<Option<Package>, ResolveError> {
        let path = paths::join(directory, "package.json");
        let contents = match self.directories.read(&path) {
            Ok(contents) => contents,
            Err(reason) if is_missing(reason) => return Ok(None),
            Err(reason) => return Err(ResolveError::Unreadable { path, reason }),
        };
        let size = contents.bytes().len();
        if MAX_CONFIG_BYTES < size {
            return Err(ResolveError::InvalidPackageConfig {
                path,
                importer: importer.map(str::to_owned),
                detail: format!("It has {size} bytes, the limit is {MAX_CONFIG_BYTES}"),
            });
        }
        let weighed = |bytes: &Bytes| (parse(bytes), bytes.len().saturating_mul(PARSED_FACTOR));
        match &*contents.derived_weighed(weighed) {
            Ok(config) => Ok(Some(Package {
                directory: directory.to_owned(),
                config: Arc::clone(config),
            })),
            Err(error) => Err(ResolveError::InvalidPackageConfig {
                path,
                importer: importer.map(str::to_owned),
                detail: format!("It is not valid JSON: {error}"),
            }),
        }
    }
}

fn parse(bytes: &Bytes) -> Parsed {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Value::Object(mut fields) = serde_json::from_slice(text)? else {
        return Ok(Arc::default());
    };
    let mut string = |name| match fields.shift_remove(name) {
        Some(Value::String(value)) => Some(value),
        _ => None,
    };
    let (name, main, package_type) = (string("name"), string("main"), string("type"));
    Ok(Arc::new(PackageConfig {
        name,
        main,
        is_module: package_type.as_deref() == Some("module"),
        exports: fields.shift_remove("exports").filter(|it| !it.is_null()),
        imports: match fields.shift_remove("imports") {
            Some(Value::Object(imports)) => Some(imports),
            _ => None,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_wrong_type_are_absent() {
        for text in [
            r#"{"name": 1, "main": {}, "type": "esm", "exports": null, "imports": []}"#,
            "[]",
            "\"text\"",
            "\u{feff}{}",
        ] {
            let config = parse(&Bytes::from_static(text.as_bytes())).unwrap();
            assert!(config.name.is_none() && config.main.is_none() && !config.is_module);
            assert!(config.exports.is_none() && config.imports.is_none());
        }
        assert!(parse(&Bytes::from_static(b"")).is_err());
        assert!(parse(&Bytes::from("[".repeat(100_000))).is_err());
    }
}
