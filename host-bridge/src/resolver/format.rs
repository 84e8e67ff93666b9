//! How the contents of a file are to be taken: by extension and by package scope.
//!
//! Node's docs, Packages, "Determining module system", and Modules: TypeScript.

use super::package::{Blame, PackageType};
use super::{ImportKind, Language, ModuleFormat, ResolveError, Resolver, paths};

impl Resolver {
    /// Format of the file at a real path.
    pub(super) fn format_of(
        &self,
        path: &str,
        kind: ImportKind,
    ) -> Result<ModuleFormat, ResolveError> {
        let name = paths::file_name(path);
        check_types(path, name)?;
        match (handled_extension(name, kind), kind) {
            (".mjs" | ".mts", _) => Ok(ModuleFormat::EsModule),
            (".cjs" | ".cts", _) => Ok(ModuleFormat::CommonJs),
            (".json", _) => Ok(ModuleFormat::Json),
            (".wasm", _) => Ok(ModuleFormat::Wasm),
            (".js" | ".ts" | ".jsx" | ".tsx", _) | ("", ImportKind::Import) => {
                self.format_of_scope(path, kind)
            }
            (".node", ImportKind::Require) => Err(ResolveError::AddonsDisabled {
                path: path.to_owned(),
            }),
            // `require` takes any other file for a script, whatever its package says.
            (_, ImportKind::Require) => Ok(ModuleFormat::Undeclared),
            (extension, ImportKind::Import) => Err(ResolveError::UnknownExtension {
                extension: extension.to_owned(),
                path: path.to_owned(),
            }),
        }
    }

    fn format_of_scope(&self, path: &str, kind: ImportKind) -> Result<ModuleFormat, ResolveError> {
        let directory = paths::parent(path).unwrap_or("/");
        let blame = match kind {
            ImportKind::Import => Blame::Import(path),
            ImportKind::Require => Blame::Require,
        };
        let scope = self.package_scope(directory, blame)?;
        let package_type = scope.map(|scope| scope.config.package_type);
        Ok(match package_type.unwrap_or_default() {
            PackageType::Module => ModuleFormat::EsModule,
            PackageType::CommonJs => ModuleFormat::CommonJs,
            PackageType::None => ModuleFormat::Undeclared,
        })
    }
}

/// Refuses what has types and cannot be run. Node's docs, Modules: TypeScript, "Type
/// stripping in dependencies".
fn check_types(path: &str, name: &str) -> Result<(), ResolveError> {
    if !matches!(Language::of(path), Language::TypeScript | Language::Tsx) {
        return Ok(());
    }
    if [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        let path = path.to_owned();
        return Err(ResolveError::DeclarationsOnly { path });
    }
    if path.contains("/node_modules/") {
        let path = path.to_owned();
        return Err(ResolveError::TypesInPackage { path });
    }
    Ok(())
}

/// The extension that decides. `require` looks at the end of the name, so that `.cjs` is
/// an extension even where it is the whole name.
fn handled_extension(name: &str, kind: ImportKind) -> &str {
    match (kind, name) {
        (ImportKind::Require, ".js" | ".cjs" | ".mjs") => name,
        _ => extension(name),
    }
}

/// From the last dot on; a dot at the start begins no extension.
fn extension(name: &str) -> &str {
    match name.rfind('.') {
        None | Some(0) => "",
        Some(dot) => name.get(dot..).unwrap_or_default(),
    }
}

impl Language {
    /// Language of the file at a path, as its extension says.
    #[must_use]
    pub fn of(path: &str) -> Language {
        match extension(paths::file_name(path)) {
            ".ts" | ".mts" | ".cts" => Language::TypeScript,
            ".tsx" => Language::Tsx,
            ".jsx" => Language::Jsx,
            _ => Language::JavaScript,
        }
    }
}
