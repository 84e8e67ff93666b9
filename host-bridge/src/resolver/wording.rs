//! Parts of the sentences of [`ResolveError`](super::ResolveError) that depend on what is
//! known.

use std::fmt;

use super::{ImportKind, PackageField};

impl fmt::Display for ImportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImportKind::Import => "import",
            ImportKind::Require => "require",
        })
    }
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(super) fn imported_from(importer: Option<&str>) -> String {
    importer.map_or_else(String::new, |importer| format!(" imported from {importer}"))
}

pub(super) fn while_importing(importer: Option<&str>) -> String {
    importer.map_or_else(String::new, |importer| {
        format!(" while importing {importer}")
    })
}

pub(super) fn require_stack(importer: Option<&str>) -> String {
    importer.map_or_else(String::new, |importer| {
        format!("\nRequire stack:\n- {importer}")
    })
}

pub(super) fn in_package(config: Option<&str>) -> String {
    config.map_or_else(String::new, |config| format!(" in package {config}"))
}

pub(super) fn not_exported(subpath: &str) -> String {
    match subpath {
        "." => "No \"exports\" main defined in".to_owned(),
        subpath => format!("Package subpath '{subpath}' is not defined by \"exports\" in"),
    }
}

pub(super) fn target_of(field: PackageField, key: &str, target: &str) -> String {
    let quoted = serde_json::Value::from(target);
    match (field, key) {
        (PackageField::Exports, ".") => format!("\"exports\" main target {quoted} defined"),
        _ => format!("\"{field}\" target {quoted} defined for '{key}'"),
    }
}

pub(super) fn target_advice(field: PackageField, target: &str) -> &'static str {
    if field == PackageField::Exports && !target.is_empty() && !target.starts_with("./") {
        "; targets must start with \"./\""
    } else {
        ""
    }
}

impl fmt::Display for PackageField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PackageField::Exports => "exports",
            PackageField::Imports => "imports",
        })
    }
}
