//! Node's module resolution over host directories.
//!
//! The rules are those of Node 20: its documentation, "Modules: ECMAScript modules" (the
//! resolver algorithm), "Modules: CommonJS modules" ("All together") and "Modules:
//! Packages" (`exports`, `imports`, conditions, self-reference). Errors carry Node's codes
//! and say what Node says, with guest paths. Where this resolver departs:
//!
//! - `data:` URLs are refused, and so are native add-ons (`ERR_DLOPEN_DISABLED`; the
//!   condition `node-addons` does not hold).
//! - `.wasm` is a format for `import` and for `require`.
//! - `.ts`, `.mts`, `.cts`, and also `.tsx` and `.jsx`, have formats like their counterparts in
//!   JavaScript, by the rules of Node 22 ("Modules: TypeScript"): no extension is searched for,
//!   and below `node_modules` types are refused. Files of declarations are refused.
//! - No global folders (`NODE_PATH`, `$HOME/.node_modules`): there is no host environment.
//! - A link that leaves the host directories is an error of its own (`ERR_ACCESS_DENIED`)
//!   where Node has no such notion, rather than a file that is missing.
//! - A broken `package.json` is `ERR_INVALID_PACKAGE_CONFIG` for `require` too, where Node
//!   throws a bare `SyntaxError`.
//! - `.js` without `type` is CommonJS; its source is not examined. The condition
//!   `module-sync`, which late releases of Node 20 set, holds only where
//!   [`ResolverOptions::conditions`] says so.
//!
//! Reading order: [`Resolver`], [`Resolved`], [`ResolveError`]; inside, `import`, `require`
//! and `targets`.

mod builtins;
mod error;
mod file_url;
mod format;
mod import;
mod package;
mod paths;
mod pattern;
mod require;
mod targets;
#[cfg(test)]
mod tests;

pub use self::builtins::Builtins;
pub use self::error::{BadReferrer, ErrorClass, PackageField, ResolveError};
pub use self::paths::node_modules_paths;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::file_url::FileUrl;
use self::package::PackageStore;
use crate::reader::{FileKind, HostDirectories, ReadError};

/// Bytes of the longest specifier that is looked at.
pub const MAX_SPECIFIER_BYTES: usize = 8192;
/// Resolutions that one resolver remembers; a guest can ask for any number.
const MAX_REMEMBERED: usize = 32_768;

/// Resolves the specifiers of one session.
///
/// It remembers what it has found, as Node does: a package that changes on disk is seen by
/// the next session, not by this one. Failures of a lookup are not remembered.
#[derive(Debug)]
pub struct Resolver {
    directories: Arc<HostDirectories>,
    builtins: Builtins,
    import_conditions: Vec<String>,
    require_conditions: Vec<String>,
    packages: PackageStore,
    remembered: Mutex<HashMap<Question, Location>>,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Resolver>();
};

/// What a [`Resolver`] is told by its session.
#[derive(Debug, Clone, Default)]
pub struct ResolverOptions {
    /// Conditions that hold beside Node's own (`node`, `default`, and `import` or
    /// `require`), as `--conditions` gives them.
    pub conditions: Vec<String>,
    /// The built-in modules of the session.
    pub builtins: Builtins,
}

/// Which algorithm a specifier is resolved with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// `import`, `export from`, `import()` and `import.meta.resolve`.
    Import,
    /// `require` and `require.resolve`.
    Require,
}

/// The module that a specifier stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referrer {
    /// Guest path of its file, normal and absolute.
    path: String,
}

/// Where a module is, before anything is said about its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Built in.
    Builtin {
        /// As in [`Builtins`], without `node:`.
        name: String,
    },
    /// A file.
    File {
        /// Guest path with every link expanded.
        path: String,
        /// `file:` URL of that path, with the query and fragment of the specifier: one
        /// instance of the module for each URL.
        url: String,
    },
}

/// A module that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Built in.
    Builtin {
        /// As in [`Builtins`], without `node:`.
        name: String,
    },
    /// A file.
    File {
        /// Guest path with every link expanded.
        path: String,
        /// As in [`Location::File`].
        url: String,
        /// How its contents are to be taken.
        format: ModuleFormat,
        /// The language of its text.
        language: Language,
    },
}

/// How the contents of a file are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModuleFormat {
    /// An ECMAScript module.
    EsModule,
    /// The body of a CommonJS wrapper.
    CommonJs,
    /// Neither its name nor its package says: an ECMAScript module if only that grammar
    /// takes its text, the body of a CommonJS wrapper otherwise.
    Undeclared,
    /// JSON. An `import` of it must say so by attribute, which the loader checks.
    Json,
    /// A WebAssembly module.
    Wasm,
}

/// The language that a file's text is written in, as its extension says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// JavaScript, and whatever is not text.
    #[default]
    JavaScript,
    /// JavaScript with elements: `.jsx`.
    Jsx,
    /// TypeScript: `.ts`, `.mts`, `.cts`.
    TypeScript,
    /// TypeScript with elements: `.tsx`.
    Tsx,
}

impl Language {
    /// Language of the file at a path.
    #[must_use]
    pub fn of(path: &str) -> Language {
        format::language_of(path)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Question {
    directory: String,
    specifier: String,
    kind: ImportKind,
}

impl Referrer {
    /// The module with this `file:` URL or absolute guest path.
    ///
    /// # Errors
    ///
    /// [`BadReferrer`] for anything else.
    pub fn new(url_or_path: &str) -> Result<Referrer, BadReferrer> {
        if url_or_path.starts_with('/') {
            return Ok(Referrer {
                path: paths::resolve("/", url_or_path),
            });
        }
        let path = FileUrl::parse(url_or_path)
            .and_then(|url| url.ok()?.to_path().ok())
            .ok_or(BadReferrer)?;
        Ok(Referrer { path })
    }

    /// Code without a file that belongs to a directory: an entry point, or evaluated text.
    ///
    /// # Errors
    ///
    /// [`BadReferrer`] for a relative path.
    pub fn in_directory(path: &str) -> Result<Referrer, BadReferrer> {
        if !path.starts_with('/') {
            return Err(BadReferrer);
        }
        Ok(Referrer {
            path: paths::resolve(path, "[eval]"),
        })
    }

    /// Guest path of the file.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    fn directory(&self) -> &str {
        paths::parent(&self.path).unwrap_or("/")
    }
}

impl Resolver {
    /// A resolver over `directories`.
    #[must_use]
    pub fn new(directories: Arc<HostDirectories>, options: ResolverOptions) -> Resolver {
        let conditions = |own: &str| {
            let node = ["node", own, "default"].map(str::to_owned);
            node.into_iter().chain(options.conditions.clone()).collect()
        };
        Resolver {
            directories,
            import_conditions: conditions("import"),
            require_conditions: conditions("require"),
            builtins: options.builtins,
            packages: PackageStore::default(),
            remembered: Mutex::default(),
        }
    }

    /// The module that `specifier` means in `referrer`, and its format.
    ///
    /// # Errors
    ///
    /// [`ResolveError`], with Node's code.
    pub fn resolve(
        &self,
        specifier: &str,
        referrer: &Referrer,
        kind: ImportKind,
    ) -> Result<Resolved, ResolveError> {
        match self.locate(specifier, referrer, kind)? {
            Location::Builtin { name } => Ok(Resolved::Builtin { name }),
            Location::File { path, url } => {
                let format = self.format_of(&path, kind)?;
                let language = Language::of(&path);
                Ok(Resolved::File {
                    path,
                    url,
                    format,
                    language,
                })
            }
        }
    }

    /// Where the module is that `specifier` means in `referrer`: the answer of
    /// `import.meta.resolve` and `require.resolve`, for which the format does not matter.
    ///
    /// # Errors
    ///
    /// [`ResolveError`], with Node's code. `import.meta.resolve` answers with
    /// [`ResolveError::url`] where there is one.
    pub fn locate(
        &self,
        specifier: &str,
        referrer: &Referrer,
        kind: ImportKind,
    ) -> Result<Location, ResolveError> {
        if MAX_SPECIFIER_BYTES < specifier.len() {
            return Err(ResolveError::SpecifierTooLong {
                limit: MAX_SPECIFIER_BYTES,
                size: specifier.len(),
            });
        }
        let question = Question {
            directory: referrer.directory().to_owned(),
            specifier: specifier.to_owned(),
            kind,
        };
        if let Some(location) = lock(&self.remembered).get(&question) {
            return Ok(location.clone());
        }
        let location = match kind {
            ImportKind::Import => self.locate_import(specifier, referrer)?,
            ImportKind::Require => self.locate_require(specifier, referrer)?,
        };
        let mut remembered = lock(&self.remembered);
        if MAX_REMEMBERED <= remembered.len() {
            remembered.clear();
        }
        remembered.insert(question, location.clone());
        Ok(location)
    }

    /// The directories that modules come from.
    #[must_use]
    pub fn directories(&self) -> &Arc<HostDirectories> {
        &self.directories
    }

    fn conditions(&self, kind: ImportKind) -> &[String] {
        match kind {
            ImportKind::Import => &self.import_conditions,
            ImportKind::Require => &self.require_conditions,
        }
    }

    /// Kind and real path of what is at `path`, if there is a file or a directory.
    fn entry(&self, path: &str) -> Result<Option<(FileKind, String)>, ResolveError> {
        match self.directories.lookup(path) {
            Ok(entry) => Ok(Some((entry.kind, entry.real_path))),
            Err(reason) if is_missing(reason) => Ok(None),
            Err(reason) => Err(ResolveError::Unreadable {
                path: path.to_owned(),
                reason,
            }),
        }
    }

    fn is_directory(&self, path: &str) -> Result<bool, ResolveError> {
        Ok(matches!(self.entry(path)?, Some((FileKind::Directory, _))))
    }

    /// Real path of the file at `path`, if there is one.
    fn real_file(&self, path: &str) -> Result<Option<String>, ResolveError> {
        Ok(match self.entry(path)? {
            Some((FileKind::File, real_path)) => Some(real_path),
            _ => None,
        })
    }
}

impl Location {
    fn builtin(name: &str) -> Location {
        Location::Builtin {
            name: name.to_owned(),
        }
    }

    fn file(path: String) -> Location {
        let url = FileUrl::from_path(&path).to_string();
        Location::File { path, url }
    }
}

impl fmt::Display for ImportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImportKind::Import => "import",
            ImportKind::Require => "require",
        })
    }
}

/// Whether a path that cannot be read counts as one where nothing is, as in Node. What this
/// process lacks, and what the host does not share, does not.
fn is_missing(reason: ReadError) -> bool {
    match reason {
        ReadError::NotFound
        | ReadError::NotAFile
        | ReadError::PathTooLong
        | ReadError::TooManyLinks => true,
        ReadError::Io { .. } => reason.code() == "EACCES",
        _ => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
