//! `exports` and `imports`: from a key to a file of the package.
//!
//! Node's docs, ECMAScript modules, "Resolution algorithm specification":
//! `PACKAGE_EXPORTS_RESOLVE`, `PACKAGE_IMPORTS_RESOLVE` and `PACKAGE_TARGET_RESOLVE`.
//! JSON keeps at most 127 levels, which bounds the recursion here.

use serde_json::{Map, Value};
use url::Url;

use super::file_url::FileUrl;
use super::package::Package;
use super::pattern::{best_match, has_invalid_segment, is_array_index};
use super::{PackageField, ResolveError, Resolver};

/// Where a package sends a specifier. Whether a file is there is not known yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Builtin(String),
    File(FileUrl),
    /// Neither; normal form.
    Url(String),
}

/// Who asks, and what holds for the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking<'a> {
    /// Named in errors, where Node names it.
    pub(super) importer: Option<&'a str>,
    pub(super) conditions: &'a [String],
}

/// The key under which a target stands, and what its `*` stands for.
#[derive(Debug, Clone, Copy)]
struct Spot<'a> {
    package: &'a Package,
    field: PackageField,
    key: &'a str,
    matched: Option<&'a str>,
}

/// What a target comes to.
#[derive(Debug)]
enum Target {
    /// No condition holds: the next one of an array or of outer conditions is tried.
    Undefined,
    /// `null`: the subpath is excluded.
    Null,
    Found(Destination),
}

impl Resolver {
    /// What `package` exports as `subpath`, which is `.` or `./name`. The package has
    /// `exports`.
    pub(super) fn package_exports(
        &self,
        package: &Package,
        subpath: &str,
        asking: Asking<'_>,
    ) -> Result<Destination, ResolveError> {
        let exports = package.config.exports.as_ref().unwrap_or(&Value::Null);
        let found = if is_main_only(package, exports, asking)? {
            match subpath {
                "." => Some((".", None, exports)),
                _ => None,
            }
        } else {
            exports.as_object().and_then(|map| find_key(map, subpath))
        };
        if let Some((key, matched, value)) = found {
            let spot = Spot {
                package,
                field: PackageField::Exports,
                key,
                matched,
            };
            if let Target::Found(destination) = self.target(spot, value, asking)? {
                return Ok(destination);
            }
        }
        Err(ResolveError::PathNotExported {
            config: package.config_path(),
            subpath: subpath.to_owned(),
            importer: asking.importer.map(str::to_owned),
        })
    }

    /// What `specifier`, which begins with `#`, means in `scope`, the package around the
    /// module `importer`.
    pub(super) fn package_imports(
        &self,
        specifier: &str,
        scope: Option<&Package>,
        importer: &str,
        conditions: &[String],
    ) -> Result<Destination, ResolveError> {
        check_imports_name(specifier, importer)?;
        let asking = Asking {
            importer: Some(importer),
            conditions,
        };
        if let Some(package) = scope
            && let Some(imports) = package.config.imports.as_ref().and_then(Value::as_object)
            && let Some((key, matched, value)) = find_key(imports, specifier)
        {
            let spot = Spot {
                package,
                field: PackageField::Imports,
                key,
                matched,
            };
            if let Target::Found(destination) = self.target(spot, value, asking)? {
                return Ok(destination);
            }
        }
        Err(ResolveError::ImportNotDefined {
            specifier: specifier.to_owned(),
            config: scope.map(Package::config_path),
            importer: importer.to_owned(),
        })
    }

    fn target(
        &self,
        spot: Spot<'_>,
        value: &Value,
        asking: Asking<'_>,
    ) -> Result<Target, ResolveError> {
        match value {
            Value::Null => Ok(Target::Null),
            Value::String(text) => self.text_target(spot, text, asking).map(Target::Found),
            Value::Array(values) => self.first_valid_target(spot, values, asking),
            Value::Object(map) => {
                if map.keys().any(|key| is_array_index(key)) {
                    let detail = "\"exports\" cannot contain numeric property keys.";
                    return Err(invalid_config(spot.package, detail, asking));
                }
                for (condition, value) in map {
                    if !asking.conditions.contains(condition) {
                        continue;
                    }
                    match self.target(spot, value, asking)? {
                        Target::Undefined => {}
                        target => return Ok(target),
                    }
                }
                Ok(Target::Undefined)
            }
            Value::Bool(_) | Value::Number(_) => {
                Err(invalid_target(spot, &value.to_string(), asking))
            }
        }
    }

    /// The fallbacks of an array are for targets that this resolver does not understand,
    /// not for files that are missing.
    fn first_valid_target(
        &self,
        spot: Spot<'_>,
        values: &[Value],
        asking: Asking<'_>,
    ) -> Result<Target, ResolveError> {
        let mut last = match values {
            [] => Ok(Target::Null),
            _ => Ok(Target::Undefined),
        };
        for value in values {
            match self.target(spot, value, asking) {
                Ok(Target::Undefined) => {}
                Ok(Target::Null) => last = Ok(Target::Null),
                Err(error @ ResolveError::InvalidTarget { .. }) => last = Err(error),
                target => return target,
            }
        }
        last
    }

    fn text_target(
        &self,
        spot: Spot<'_>,
        text: &str,
        asking: Asking<'_>,
    ) -> Result<Destination, ResolveError> {
        let Some(relative) = text.strip_prefix("./") else {
            let may_be_bare = spot.field == PackageField::Imports
                && !text.starts_with("../")
                && !text.starts_with('/')
                && Url::parse(text).is_err();
            if !may_be_bare {
                return Err(invalid_target(spot, text, asking));
            }
            let specifier = match spot.matched {
                Some(matched) => text.replace('*', matched),
                None => text.to_owned(),
            };
            let base = spot.package.config_path();
            return self.package_destination(&specifier, &base, asking.conditions);
        };
        let config_url = FileUrl::from_path(&spot.package.config_path());
        let inside = config_url.pathname.strip_suffix("package.json");
        let url = config_url.join(text).ok().filter(|url| {
            !has_invalid_segment(relative)
                && inside.is_some_and(|inside| url.pathname.starts_with(inside))
        });
        let Some(url) = url else {
            return Err(invalid_target(spot, text, asking));
        };
        let Some(matched) = spot.matched else {
            return Ok(Destination::File(url));
        };
        if has_invalid_segment(matched) {
            return Err(invalid_subpath(spot, matched, asking));
        }
        match FileUrl::parse(&url.to_string().replace('*', matched)) {
            Some(Ok(url)) => Ok(Destination::File(url)),
            _ => Err(invalid_subpath(spot, matched, asking)),
        }
    }
}

/// Whether `specifier`, which begins with `#`, may be a key of `imports`.
pub(super) fn check_imports_name(specifier: &str, importer: &str) -> Result<(), ResolveError> {
    if specifier == "#" || specifier.starts_with("#/") || specifier.ends_with('/') {
        return Err(ResolveError::InvalidSpecifier {
            specifier: specifier.to_owned(),
            reason: "is not a valid internal imports specifier name".to_owned(),
            importer: Some(importer.to_owned()),
        });
    }
    Ok(())
}

/// The value under `name`, or under the pattern that matches it best.
fn find_key<'a>(
    map: &'a Map<String, Value>,
    name: &'a str,
) -> Option<(&'a str, Option<&'a str>, &'a Value)> {
    if !name.contains('*')
        && !name.ends_with('/')
        && let Some((key, value)) = map.get_key_value(name)
    {
        return Some((key, None, value));
    }
    let (key, matched) = best_match(map.keys(), name)?;
    Some((key, Some(matched), map.get(key)?))
}

/// Whether `exports` is the target of the main entry rather than a table of subpaths.
fn is_main_only(
    package: &Package,
    exports: &Value,
    asking: Asking<'_>,
) -> Result<bool, ResolveError> {
    let map = match exports {
        Value::String(_) | Value::Array(_) => return Ok(true),
        Value::Object(map) => map,
        _ => return Ok(false),
    };
    let n_subpaths = map.keys().filter(|key| key.starts_with('.')).count();
    if n_subpaths == map.len() {
        Ok(false)
    } else if n_subpaths == 0 {
        Ok(true)
    } else {
        let detail = "\"exports\" cannot contain some keys starting with '.' and some not. The \
                      exports object must either be an object of package subpath keys or an \
                      object of main entry condition name keys only.";
        Err(invalid_config(package, detail, asking))
    }
}

fn invalid_config(package: &Package, detail: &str, asking: Asking<'_>) -> ResolveError {
    ResolveError::InvalidPackageConfig {
        path: package.config_path(),
        // The one place where Node names the importer by its URL.
        importer: asking
            .importer
            .map(|importer| FileUrl::from_path(importer).to_string()),
        detail: detail.to_owned(),
    }
}

fn invalid_target(spot: Spot<'_>, target: &str, asking: Asking<'_>) -> ResolveError {
    ResolveError::InvalidTarget {
        config: spot.package.config_path(),
        field: spot.field,
        key: spot.key.to_owned(),
        target: target.to_owned(),
        importer: asking.importer.map(str::to_owned),
    }
}

fn invalid_subpath(spot: Spot<'_>, matched: &str, asking: Asking<'_>) -> ResolveError {
    let Spot { field, key, .. } = spot;
    let config = spot.package.config_path();
    ResolveError::InvalidSpecifier {
        specifier: key.replacen('*', matched, 1),
        reason: format!(
            "request is not a valid match in pattern \"{key}\" for the \"{field}\" resolution \
             of {config}"
        ),
        importer: asking.importer.map(str::to_owned),
    }
}
