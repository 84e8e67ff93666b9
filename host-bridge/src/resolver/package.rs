//! `package.json`: the fields that resolution reads, and the nearest one to a path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::Value;

use super::{ResolveError, Resolver, is_missing, json_error, lock, paths};

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
    pub(super) package_type: PackageType,
    /// Absent when `null`.
    pub(super) exports: Option<Value>,
    /// Absent when `null`; where it is no object, it defines nothing.
    pub(super) imports: Option<Value>,
}

/// What `type` says. Another value than these two says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PackageType {
    #[default]
    None,
    CommonJs,
    Module,
}

/// Who meets a `package.json` that is not valid JSON, which decides on the error.
#[derive(Debug, Clone, Copy)]
pub(super) enum Blame<'a> {
    /// `import`, with what Node says is being imported.
    Import(&'a str),
    /// `require`
    Require,
}

/// What one file says; shared by all sessions that see the same contents.
type Parsed = Result<Arc<PackageConfig>, Broken>;

/// Why a file says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Broken {
    /// It is not JSON, in the words of `JSON.parse`.
    NotJson(String),
    /// It is `null`, of whose fields nobody thought.
    Null,
}

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
    /// The package whose `package.json` is in `directory` itself.
    pub(super) fn package_in(
        &self,
        directory: &str,
        blame: Blame<'_>,
    ) -> Result<Option<Package>, ResolveError> {
        if let Some(known) = lock(&self.packages.0).get(directory) {
            return Ok(known.clone());
        }
        let package = self.read_package(directory, blame)?;
        let mut packages = lock(&self.packages.0);
        if MAX_REMEMBERED <= packages.len() {
            packages.clear();
        }
        packages.insert(directory.to_owned(), package.clone());
        Ok(package)
    }

    /// Whether a `package.json` is known to be in `directory`.
    pub(super) fn has_package(&self, directory: &str) -> bool {
        let packages = lock(&self.packages.0);
        matches!(packages.get(directory), Some(Some(_)))
    }

    /// Node's `LOOKUP_PACKAGE_SCOPE` for a module in `directory`.
    pub(super) fn package_scope(
        &self,
        directory: &str,
        blame: Blame<'_>,
    ) -> Result<Option<Package>, ResolveError> {
        for directory in paths::ancestors(directory) {
            let name = paths::file_name(directory);
            let is_outermost = match blame {
                // Node compares the end of the path, so `my_node_modules` counts too.
                Blame::Import(_) => name.ends_with("node_modules"),
                Blame::Require => name == "node_modules",
            };
            if is_outermost {
                break;
            }
            if let Some(package) = self.package_in(directory, blame)? {
                return Ok(Some(package));
            }
        }
        Ok(None)
    }

    fn read_package(
        &self,
        directory: &str,
        blame: Blame<'_>,
    ) -> Result<Option<Package>, ResolveError> {
        let path = paths::join(directory, "package.json");
        let contents = match self.directories.read(&path) {
            Ok(contents) => contents,
            Err(reason) if is_missing(reason) => return Ok(None),
            Err(reason) => return Err(ResolveError::Unreadable { path, reason }),
        };
        let size = contents.bytes().len();
        if MAX_CONFIG_BYTES < size {
            let detail = format!("It has {size} bytes, the limit is {MAX_CONFIG_BYTES}");
            return Err(broken(path, blame, detail));
        }
        let weighed = |bytes: &Bytes| (parse(bytes), bytes.len().saturating_mul(PARSED_FACTOR));
        match &*contents.derived_weighed(weighed) {
            Ok(config) => Ok(Some(Package {
                directory: directory.to_owned(),
                config: Arc::clone(config),
            })),
            Err(Broken::NotJson(detail)) => Err(broken(path, blame, detail.clone())),
            Err(Broken::Null) => Err(ResolveError::NullPackage),
        }
    }
}

fn broken(path: String, blame: Blame<'_>, detail: String) -> ResolveError {
    match blame {
        Blame::Import(importer) => ResolveError::InvalidPackageConfig {
            path,
            importer: Some(importer.to_owned()),
            detail,
        },
        Blame::Require => ResolveError::UnparsablePackage { path, detail },
    }
}

fn parse(bytes: &Bytes) -> Parsed {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(text);
    let value = serde_json::from_str(&text)
        .map_err(|error| Broken::NotJson(json_error::explain(&text, &error)))?;
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Null => return Err(Broken::Null),
        _ => return Ok(Arc::default()),
    };
    let mut string = |name| match fields.shift_remove(name) {
        Some(Value::String(value)) => Some(value),
        _ => None,
    };
    let (name, main, package_type) = (string("name"), string("main"), string("type"));
    Ok(Arc::new(PackageConfig {
        name,
        main,
        package_type: match package_type.as_deref() {
            Some("module") => PackageType::Module,
            Some("commonjs") => PackageType::CommonJs,
            _ => PackageType::None,
        },
        exports: fields.shift_remove("exports").filter(|it| !it.is_null()),
        imports: fields.shift_remove("imports").filter(|it| !it.is_null()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_wrong_type_are_absent() {
        for text in [
            r#"{"name": 1, "main": {}, "type": "esm", "exports": null, "imports": null}"#,
            "[]",
            "\"text\"",
            "\u{feff}{}",
        ] {
            let config = parse(&Bytes::from_static(text.as_bytes())).unwrap();
            assert!(config.name.is_none() && config.main.is_none());
            assert_eq!(config.package_type, PackageType::None);
            assert!(config.exports.is_none() && config.imports.is_none());
        }
        assert!(parse(&Bytes::from_static(b"")).is_err());
        assert!(parse(&Bytes::from("[".repeat(100_000))).is_err());
    }
}
