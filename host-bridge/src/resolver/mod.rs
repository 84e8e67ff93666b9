//! Node's module resolution over host directories.
//!
//! The rules are those of Node 20: its documentation, "Modules: ECMAScript modules" (the
//! resolver algorithm), "Modules: CommonJS modules" ("All together") and "Modules:
//! Packages" (`exports`, `imports`, conditions, self-reference). Errors carry Node's codes
//! and say what Node says, with guest paths. Where this resolver departs:
//!
//! - Native add-ons are refused, as by `node --no-addons`: `ERR_DLOPEN_DISABLED`, and the
//!   condition `node-addons` does not hold, so that a package gives what needs none.
//! - `.wasm` and `data:application/wasm` are formats for `import`, `.wasm` for `require` too.
//! - `.ts`, `.mts`, `.cts`, and also `.tsx` and `.jsx`, have formats like their counterparts in
//!   JavaScript, by the rules of Node 22 ("Modules: TypeScript"): no extension is searched for,
//!   and below `node_modules` types are refused. Files of declarations are refused.
//! - No global folders (`NODE_PATH`, `$HOME/.node_modules`): there is no host environment.
//! - A link that leaves the host directories is an error of its own (`ERR_ACCESS_DENIED`)
//!   where Node has no such notion, rather than a file that is missing. A FIFO, a socket or
//!   a device is missing, where Node would open it.
//!
//! Reading order: [`Resolver`], [`Resolved`], [`ResolveError`]; inside, `import`, `require`
//! and `targets`.

mod builtins;
mod data_url;
mod error;
mod file_url;
mod format;
mod hint;
mod import;
mod json_error;
mod memory;
mod package;
mod paths;
mod pattern;
mod referrer;
mod require;
mod targets;
#[cfg(test)]
mod tests;
mod wording;

pub use self::builtins::Builtins;
pub use self::data_url::MAX_DATA_URL_BYTES;
pub use self::error::{ErrorClass, PackageField, ResolveError};
pub use self::paths::node_modules_paths;
pub use self::referrer::{BadReferrer, Referrer};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use self::file_url::FileUrl;
use self::memory::{Memory, Question};
use self::package::PackageStore;
use crate::reader::{FileKind, HostDirectories, ReadError};

/// Bytes of the longest specifier that is looked at.
pub const MAX_SPECIFIER_BYTES: usize = 8192;

/// Resolves the specifiers of one session.
///
/// It remembers what it has found, as Node does: a package that changes on disk is seen by
/// the next session, not by this one. Failures are not remembered. That a directory is
/// missing is, until a resolution fails: that one is made once more without it.
#[derive(Debug)]
pub struct Resolver {
    directories: Arc<HostDirectories>,
    builtins: Builtins,
    import_conditions: Vec<String>,
    require_conditions: Vec<String>,
    cwd: Option<String>,
    packages: PackageStore,
    memory: Memory,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Resolver>();
};

/// What a [`Resolver`] is told by its session.
#[derive(Debug, Clone, Default)]
pub struct ResolverOptions {
    /// Conditions that hold beside Node's own (`node`, `module-sync`, `default`,
    /// and `import` or `require`), as `--conditions` gives them.
    pub conditions: Vec<String>,
    /// The built-in modules of the session.
    pub builtins: Builtins,
    /// Guest path of the working directory, which only hints in errors depend on.
    pub cwd: Option<String>,
}

/// Which algorithm a specifier is resolved with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// `import`, `export from`, `import()` and `import.meta.resolve`.
    Import,
    /// `require` and `require.resolve`.
    Require,
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
    /// Another URL: a `data:` URL, or one that names no module, which [`Resolver::resolve`]
    /// refuses. `import.meta.resolve` answers with it either way.
    Url {
        /// Normal form of the URL.
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
    /// The body of a `data:` URL.
    Data {
        /// Normal form of the URL, at most [`MAX_DATA_URL_BYTES`].
        url: String,
        /// How the body is to be taken.
        format: ModuleFormat,
        /// The body, decoded.
        source: Vec<u8>,
    },
}

/// How the contents of a file are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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

impl Resolver {
    /// A resolver over `directories`.
    #[must_use]
    pub fn new(directories: Arc<HostDirectories>, options: ResolverOptions) -> Resolver {
        let conditions = |own: &str| {
            let node = ["node", own, "module-sync", "default"].map(str::to_owned);
            node.into_iter().chain(options.conditions.clone()).collect()
        };
        Resolver {
            directories,
            import_conditions: conditions("import"),
            require_conditions: conditions("require"),
            builtins: options.builtins,
            cwd: options.cwd,
            packages: PackageStore::default(),
            memory: Memory::default(),
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
        if kind == ImportKind::Require {
            self.check_request(specifier)?;
        }
        match self.locate(specifier, referrer, kind)? {
            Location::Url { url } => self.resolve_url(url),
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
        let is_data = kind == ImportKind::Import && specifier.starts_with("data:");
        let limit = if is_data {
            MAX_DATA_URL_BYTES
        } else {
            MAX_SPECIFIER_BYTES
        };
        if limit < specifier.len() {
            return Err(ResolveError::SpecifierTooLong {
                limit,
                size: specifier.len(),
            });
        }
        // A `data:` URL is its own answer, and may be long: it is not remembered.
        if is_data || referrer.is_data() {
            return self.locate_import(specifier, referrer);
        }
        let question = Question {
            directory: referrer.directory().to_owned(),
            specifier: specifier.to_owned(),
            kind,
        };
        if let Some(location) = self.memory.answer(&question) {
            return Ok(location);
        }
        let locate = || match kind {
            ImportKind::Import => self.locate_import(specifier, referrer),
            ImportKind::Require => self.locate_require(specifier, referrer),
        };
        let relies_on_memory = self.memory.has_missing();
        let location = match locate() {
            Err(_) if relies_on_memory => {
                self.memory.forget_missing();
                locate()?
            }
            location => location?,
        };
        self.memory.remember_answer(question, &location);
        Ok(location)
    }

    /// The directories that modules come from.
    #[must_use]
    pub fn directories(&self) -> &Arc<HostDirectories> {
        &self.directories
    }

    /// What `require` refuses and `require.resolve` does not find.
    fn check_request(&self, request: &str) -> Result<(), ResolveError> {
        if request.is_empty() {
            return Err(ResolveError::EmptyRequest);
        }
        match request.strip_prefix("node:") {
            Some(name) if !self.builtins.contains(name) => Err(ResolveError::UnknownBuiltin {
                name: request.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn resolve_url(&self, url: String) -> Result<Resolved, ResolveError> {
        let scheme = file_url::scheme(&url).unwrap_or_default();
        match &*scheme.to_ascii_lowercase() {
            "data" => data_url::resolve(url),
            "node" => Err(ResolveError::UnknownBuiltin { name: url }),
            scheme => Err(ResolveError::UnsupportedScheme {
                scheme: scheme.to_owned(),
            }),
        }
    }

    fn conditions(&self, kind: ImportKind) -> &[String] {
        match kind {
            ImportKind::Import => &self.import_conditions,
            ImportKind::Require => &self.require_conditions,
        }
    }

    /// Kind and real path of what is at `path`, if there is a file or a directory.
    fn entry(&self, path: &str) -> Result<Option<(FileKind, String)>, ResolveError> {
        if let Some(real_path) = self.memory.file(path) {
            return Ok(Some((FileKind::File, real_path)));
        }
        match self.directories.lookup(path) {
            Ok(entry) => {
                if entry.kind == FileKind::File {
                    self.memory.remember_file(path, &entry.real_path);
                }
                Ok(Some((entry.kind, entry.real_path)))
            }
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

    /// Whether a directory is at `path`, or was when it was first looked for.
    fn is_searched(&self, path: &str) -> Result<bool, ResolveError> {
        if let Some(is_there) = self.memory.is_there(path) {
            return Ok(is_there);
        }
        let is_there = self.is_directory(path)?;
        if is_there {
            self.memory.remember_directory(path);
        } else {
            self.memory.remember_missing(path);
        }
        Ok(is_there)
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
