//! How the contents of a file are to be taken: by extension and by package scope.
//!
//! Node's docs, Packages, "Determining module system".

use super::{ImportKind, Language, ModuleFormat, ResolveError, Resolver, paths};

impl Resolver {
    /// Format of the file at a real path.
    pub(super) fn format_of(
        &self,
        path: &str,
        kind: ImportKind,
    ) -> Result<ModuleFormat, ResolveError> {
        let name = paths::file_name(path);
        match (extension(name), kind) {
            (".mjs", _) => Ok(ModuleFormat::EsModule),
            (".cjs", _) => Ok(ModuleFormat::CommonJs),
            (".json", _) => Ok(ModuleFormat::Json),
            (".wasm", _) => Ok(ModuleFormat::Wasm),
            (".js", _) | ("", ImportKind::Import) => self.format_of_scope(path),
            (".node", ImportKind::Require) => Err(ResolveError::AddonsDisabled {
                path: path.to_owned(),
            }),
            // `require` takes any other file for a script.
            (_, ImportKind::Require) => Ok(ModuleFormat::Undeclared),
            (extension, ImportKind::Import) => Err(ResolveError::UnknownExtension {
                extension: extension.to_owned(),
                path: path.to_owned(),
            }),
        }
    }

    fn format_of_scope(&self, path: &str) -> Result<ModuleFormat, ResolveError> {
        let directory = paths::parent(path).unwrap_or("/");
        let scope = self.package_scope(directory, Some(path))?;
        Ok(match scope {
            Some(scope) if scope.config.is_module => ModuleFormat::EsModule,
            Some(scope) if scope.config.is_common_js => ModuleFormat::CommonJs,
            _ => ModuleFormat::Undeclared,
        })
    }
}

/// From the last dot on; a dot at the start begins no extension.
fn extension(name: &str) -> &str {
    match name.rfind('.') {
        None | Some(0) => "",
        Some(dot) => name.get(dot..).unwrap_or_default(),
    }
}

/// Language of the file at a path.
pub(super) fn language_of(path: &str) -> Language {
    match extension(paths::file_name(path)) {
        ".ts" | ".mts" | ".cts" => Language::TypeScript,
        ".tsx" => Language::Tsx,
        ".jsx" => Language::Jsx,
        _ => Language::JavaScript,
    }
}
