//! Why a specifier means no module: Node's codes, and sentences a Node user recognises.

use super::wording::{
    imported_from, in_package, not_exported, quoted, require_stack, target_advice, target_of,
    while_importing,
};
use crate::reader::ReadError;

/// Which class of JavaScript error Node throws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// `Error`
    Error,
    /// `TypeError`
    TypeError,
    /// `RangeError`
    RangeError,
    /// `SyntaxError`
    SyntaxError,
    /// `URIError`
    UriError,
}

/// A field of `package.json` with targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageField {
    /// `exports`
    Exports,
    /// `imports`
    Imports,
}

/// Why a specifier means no module that can be loaded. All paths are guest paths.
///
/// `importer` is the guest path of the module that asks, where Node names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// `import`: no such file.
    #[error("Cannot find module '{path}' imported from {importer}")]
    ModuleNotFound {
        /// Path that was tried.
        path: String,
        /// Its URL.
        url: String,
        /// Who asks.
        importer: String,
    },
    /// `import`: no such package, or nothing at its main entry.
    #[error("Cannot find package '{name}' imported from {importer}")]
    PackageNotFound {
        /// Name of the package, or path of the main entry.
        name: String,
        /// Who asks.
        importer: String,
    },
    /// `require`: no such module.
    #[error("Cannot find module '{request}'{}", require_stack(importer.as_deref()))]
    RequiredNotFound {
        /// As it was asked for, or the path that a package gives.
        request: String,
        /// Who asks, if Node says so.
        importer: Option<String>,
        /// Path of the `package.json` that sends there, if Node says so.
        config: Option<String>,
    },
    /// `require`: nothing at the `main` of a package.
    #[error(
        "Cannot find module '{path}'. Please verify that the package.json has a valid \"main\" \
         entry"
    )]
    MainNotFound {
        /// Path of the main entry.
        path: String,
        /// Path of the `package.json`.
        config: String,
        /// As it was asked for.
        request: String,
    },
    /// What `import` does not find, and `require` would.
    #[error("{error}\nDid you mean to import {}?", quoted(found))]
    Hinted {
        /// What is not found.
        #[source]
        error: Box<ResolveError>,
        /// The specifier that may have been meant.
        found: String,
    },
    /// `import` of a directory.
    #[error(
        "Directory import '{path}' is not supported resolving ES modules imported from {importer}"
    )]
    DirectoryImport {
        /// Path of the directory.
        path: String,
        /// Its URL.
        url: String,
        /// Who asks.
        importer: String,
    },
    /// `import` of a file with an extension that has no format.
    #[error("Unknown file extension \"{extension}\" for {path}")]
    UnknownExtension {
        /// With its dot.
        extension: String,
        /// Path of the file.
        path: String,
    },
    /// `require` of a native add-on.
    #[error("Cannot load native addon because loading addons is disabled: {path}")]
    AddonsDisabled {
        /// Path of the file.
        path: String,
    },
    /// A file that only declares types.
    #[error(
        "A file of declarations has no code to run: {path}; import its types with `import type`"
    )]
    DeclarationsOnly {
        /// Path of the file.
        path: String,
    },
    /// TypeScript in a package: packages are published as JavaScript.
    #[error(
        "Types are not stripped from files below node_modules: {path}; a package must bring JavaScript"
    )]
    TypesInPackage {
        /// Path of the file.
        path: String,
    },
    /// The specifier cannot mean a module.
    #[error("Invalid module \"{specifier}\" {reason}{}", imported_from(importer.as_deref()))]
    InvalidSpecifier {
        /// The specifier, or the path in it.
        specifier: String,
        /// What is wrong with it.
        reason: String,
        /// Who asks, if Node says so.
        importer: Option<String>,
    },
    /// The specifier has more bytes than a specifier may have.
    #[error("Invalid module specifier: it has {size} bytes, the limit is {limit}")]
    SpecifierTooLong {
        /// [`MAX_SPECIFIER_BYTES`](super::MAX_SPECIFIER_BYTES).
        limit: usize,
        /// Bytes of the specifier.
        size: usize,
    },
    /// `require("")`
    #[error("The argument 'id' must be a non-empty string. Received ''")]
    EmptyRequest,
    /// A `file:` URL with a host.
    #[error("File URL host must be \"localhost\" or empty on linux")]
    FileUrlHost {
        /// The URL.
        url: String,
        /// Who asks.
        importer: String,
    },
    /// Percent-encoding that encodes nothing, or no UTF-8.
    #[error("URI malformed")]
    MalformedUri {
        /// The URL, and who asks, if Node says so.
        url: Option<(String, String)>,
    },
    /// A `data:` URL without a type or a comma.
    #[error("Invalid URL")]
    InvalidUrl {
        /// The URL.
        input: String,
    },
    /// `require` of a key of `imports` that leads to a built-in module.
    #[error("The URL must be of scheme file")]
    NotAFileUrl,
    /// A `data:` URL of a type that no module has.
    #[error("Unknown module format: {mime} for URL {url}")]
    UnknownFormat {
        /// The type.
        mime: String,
        /// The URL.
        url: String,
    },
    /// A relative specifier, or the name of a package, in a `data:` URL.
    #[error(
        "Failed to resolve module specifier \"{specifier}\" from \"{importer}\": Invalid relative \
         URL or base scheme is not hierarchical."
    )]
    UnsupportedRequest {
        /// The specifier.
        specifier: String,
        /// The `data:` URL.
        importer: String,
    },
    /// A URL with a scheme that modules are not loaded from.
    #[error(
        "Only URLs with a scheme in: file, data, and node are supported by the default ESM \
         loader. Received protocol '{scheme}:'"
    )]
    UnsupportedScheme {
        /// Without its colon.
        scheme: String,
    },
    /// `node:` with a name that is not built in.
    #[error("No such built-in module: {name}")]
    UnknownBuiltin {
        /// With `node:`.
        name: String,
    },
    /// A `package.json` that cannot be used.
    #[error("Invalid package config {path}{}. {detail}", while_importing(importer.as_deref()))]
    InvalidPackageConfig {
        /// Path of the `package.json`.
        path: String,
        /// What is being imported, if Node says so.
        importer: Option<String>,
        /// What is wrong.
        detail: String,
    },
    /// `require`: a `package.json` that is not JSON.
    #[error("Error parsing {path}: {detail}")]
    UnparsablePackage {
        /// Path of the `package.json`.
        path: String,
        /// What is wrong.
        detail: String,
    },
    /// A `package.json` that is `null`.
    #[error("Cannot convert undefined or null to object")]
    NullPackage,
    /// A target in a `package.json` that leads out of its package or is no target.
    #[error(
        "Invalid {} in the package config {config}{}{}",
        target_of(*field, key, target),
        imported_from(importer.as_deref()),
        target_advice(*field, target)
    )]
    InvalidTarget {
        /// Path of the `package.json`.
        config: String,
        /// The field it stands in.
        field: PackageField,
        /// The key it stands under.
        key: String,
        /// The target.
        target: String,
        /// Who asks, if Node says so.
        importer: Option<String>,
    },
    /// A `#` specifier that the package does not define.
    #[error(
        "Package import specifier \"{specifier}\" is not defined{} imported from {importer}",
        in_package(config.as_deref())
    )]
    ImportNotDefined {
        /// The specifier.
        specifier: String,
        /// Path of the `package.json`, if there is one.
        config: Option<String>,
        /// Who asks.
        importer: String,
    },
    /// A subpath that the package does not export.
    #[error(
        "{} {config}{}",
        not_exported(subpath),
        imported_from(importer.as_deref())
    )]
    PathNotExported {
        /// Path of the `package.json`.
        config: String,
        /// `.` or `./subpath`.
        subpath: String,
        /// Who asks, if Node says so.
        importer: Option<String>,
    },
    /// A file on the way cannot be read.
    #[error("Cannot read '{path}': {reason}")]
    Unreadable {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        reason: ReadError,
    },
}

impl ResolveError {
    /// Node's `error.code`; empty where Node sets none.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            ResolveError::ModuleNotFound { .. } | ResolveError::PackageNotFound { .. } => {
                "ERR_MODULE_NOT_FOUND"
            }
            ResolveError::RequiredNotFound { .. } | ResolveError::MainNotFound { .. } => {
                "MODULE_NOT_FOUND"
            }
            ResolveError::DirectoryImport { .. } => "ERR_UNSUPPORTED_DIR_IMPORT",
            ResolveError::UnknownExtension { .. } => "ERR_UNKNOWN_FILE_EXTENSION",
            ResolveError::DeclarationsOnly { .. } => "ERR_UNKNOWN_FILE_EXTENSION",
            ResolveError::TypesInPackage { .. } => "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
            ResolveError::AddonsDisabled { .. } => "ERR_DLOPEN_DISABLED",
            ResolveError::InvalidSpecifier { .. } | ResolveError::SpecifierTooLong { .. } => {
                "ERR_INVALID_MODULE_SPECIFIER"
            }
            ResolveError::EmptyRequest => "ERR_INVALID_ARG_VALUE",
            ResolveError::FileUrlHost { .. } => "ERR_INVALID_FILE_URL_HOST",
            ResolveError::InvalidUrl { .. } => "ERR_INVALID_URL",
            ResolveError::NotAFileUrl => "ERR_INVALID_URL_SCHEME",
            ResolveError::UnknownFormat { .. } => "ERR_UNKNOWN_MODULE_FORMAT",
            ResolveError::UnsupportedRequest { .. } => "ERR_UNSUPPORTED_RESOLVE_REQUEST",
            ResolveError::MalformedUri { .. }
            | ResolveError::UnparsablePackage { .. }
            | ResolveError::NullPackage => "",
            ResolveError::Hinted { error, .. } => error.code(),
            ResolveError::UnsupportedScheme { .. } => "ERR_UNSUPPORTED_ESM_URL_SCHEME",
            ResolveError::UnknownBuiltin { .. } => "ERR_UNKNOWN_BUILTIN_MODULE",
            ResolveError::InvalidPackageConfig { .. } => "ERR_INVALID_PACKAGE_CONFIG",
            ResolveError::InvalidTarget { .. } => "ERR_INVALID_PACKAGE_TARGET",
            ResolveError::ImportNotDefined { .. } => "ERR_PACKAGE_IMPORT_NOT_DEFINED",
            ResolveError::PathNotExported { .. } => "ERR_PACKAGE_PATH_NOT_EXPORTED",
            ResolveError::Unreadable { reason, .. } => reason.code(),
        }
    }

    /// The class of the error that Node throws.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            ResolveError::UnknownExtension { .. }
            | ResolveError::DeclarationsOnly { .. }
            | ResolveError::InvalidSpecifier { .. }
            | ResolveError::SpecifierTooLong { .. }
            | ResolveError::EmptyRequest
            | ResolveError::FileUrlHost { .. }
            | ResolveError::InvalidUrl { .. }
            | ResolveError::NotAFileUrl
            | ResolveError::NullPackage
            | ResolveError::UnsupportedRequest { .. }
            | ResolveError::ImportNotDefined { .. } => ErrorClass::TypeError,
            ResolveError::UnknownFormat { .. } => ErrorClass::RangeError,
            ResolveError::UnparsablePackage { .. } => ErrorClass::SyntaxError,
            ResolveError::MalformedUri { .. } => ErrorClass::UriError,
            ResolveError::Hinted { error, .. } => error.class(),
            _ => ErrorClass::Error,
        }
    }

    /// Node's `error.url`: where the module would be. `import.meta.resolve` answers with
    /// it instead of throwing.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            ResolveError::ModuleNotFound { url, .. }
            | ResolveError::DirectoryImport { url, .. } => Some(url),
            ResolveError::Hinted { error, .. } => error.url(),
            _ => None,
        }
    }

    /// The properties that Node gives the error beside its code, [`url`](Self::url)
    /// included.
    #[must_use]
    pub fn properties(&self) -> Vec<(&'static str, &str)> {
        match self {
            ResolveError::ModuleNotFound { url, .. }
            | ResolveError::DirectoryImport { url, .. } => vec![("url", url)],
            ResolveError::RequiredNotFound {
                config: Some(config),
                ..
            } => vec![("path", config)],
            ResolveError::MainNotFound {
                config, request, ..
            } => vec![("path", config), ("requestPath", request)],
            ResolveError::UnparsablePackage { path, .. } => vec![("path", path)],
            ResolveError::InvalidUrl { input } => vec![("input", input)],
            ResolveError::FileUrlHost { url, importer }
            | ResolveError::MalformedUri {
                url: Some((url, importer)),
            } => vec![("input", url), ("module", importer)],
            ResolveError::Hinted { error, .. } => error.properties(),
            _ => Vec::new(),
        }
    }

    /// Whether `import` says of a module that it is not there.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(
            self,
            ResolveError::ModuleNotFound { .. } | ResolveError::PackageNotFound { .. }
        )
    }
}
