//! `import`: `ESM_RESOLVE` and `PACKAGE_RESOLVE` of Node's docs.

use url::Url;

use super::file_url::{FileUrl, ForeignHost, scheme};
use super::package::Blame;
use super::targets::{Asking, Destination, check_imports_name};
use super::{ImportKind, Location, Referrer, ResolveError, Resolver, paths};
use crate::reader::{FileKind, MAX_DEPTH};

const CONFIG: &str = "package.json";
/// What `main` may leave out when a package is imported, in the order of Node's
/// `legacyMainResolve`.
const MAIN_SUFFIXES: [&str; 7] = [
    "",
    ".js",
    ".json",
    ".node",
    "/index.js",
    "/index.json",
    "/index.node",
];
const INDEX_FILES: [&str; 3] = ["./index.js", "./index.json", "./index.node"];

impl Resolver {
    pub(super) fn locate_import(
        &self,
        specifier: &str,
        referrer: &Referrer,
    ) -> Result<Location, ResolveError> {
        self.import_destination(specifier, referrer)
            .and_then(|destination| match destination {
                Destination::Builtin(name) => Ok(Location::Builtin { name }),
                Destination::File(url) => self.imported_file(&url, referrer.path()),
                Destination::Url(url) => Ok(Location::Url { url }),
            })
            .map_err(|error| self.with_hint(error, specifier, referrer))
    }

    fn import_destination(
        &self,
        specifier: &str,
        referrer: &Referrer,
    ) -> Result<Destination, ResolveError> {
        let importer = referrer.path();
        let unsupported = || {
            Err(ResolveError::UnsupportedRequest {
                specifier: specifier.to_owned(),
                importer: importer.to_owned(),
            })
        };
        let conditions = self.conditions(ImportKind::Import);
        if specifier.starts_with('/') || is_relative(specifier) {
            if referrer.is_data() {
                return unsupported();
            }
            let url = FileUrl::from_path(importer).join(specifier);
            return to_file(url, specifier, importer);
        }
        if specifier.starts_with('#') && !referrer.is_data() {
            check_imports_name(specifier, importer)?;
            let scope = self.package_scope(referrer.directory(), Blame::Import(importer))?;
            return self.package_imports(specifier, scope.as_ref(), referrer.path(), conditions);
        }
        if let Some(url) = FileUrl::parse(specifier) {
            return to_file(url, specifier, importer);
        }
        if let Some(name) = specifier.strip_prefix("node:")
            && self.builtins.contains(name)
        {
            return Ok(Destination::Builtin(name.to_owned()));
        }
        if let Some(url) = parse_url(specifier) {
            // A built-in module that is not there keeps the spelling of its scheme.
            let is_node = url.starts_with("node:");
            return Ok(Destination::Url(if is_node {
                specifier.to_owned()
            } else {
                url
            }));
        }
        if referrer.is_data() && !self.builtins.is_bare_name(specifier) {
            return unsupported();
        }
        self.package_destination(specifier, importer, conditions)
    }

    /// `PACKAGE_RESOLVE` of a bare specifier in the file `importer`.
    pub(super) fn package_destination(
        &self,
        specifier: &str,
        importer: &str,
        conditions: &[String],
    ) -> Result<Destination, ResolveError> {
        if self.builtins.is_bare_name(specifier) {
            return Ok(Destination::Builtin(specifier.to_owned()));
        }
        let (name, subpath) = split_package_name(specifier, importer)?;
        let subpath = format!(".{subpath}");
        let asking = Asking {
            importer: Some(importer),
            conditions,
        };
        let directory = paths::parent(importer).unwrap_or("/");
        if let Some(scope) = self.package_scope(directory, Blame::Import(importer))?
            && scope.config.exports.is_some()
            && scope.config.name.as_deref() == Some(name)
        {
            return self.package_exports(&scope, &subpath, asking);
        }
        for directory in package_directories(name, importer) {
            if !self.is_package_directory(&directory, name)? {
                continue;
            }
            let blamed = format!("\"{specifier}\" from {importer}");
            let package = self.package_in(&directory, Blame::Import(&blamed))?;
            let config = package.as_ref().map(|package| &package.config);
            if let Some(package) = &package
                && package.config.exports.is_some()
            {
                return self.package_exports(package, &subpath, asking);
            }
            if subpath == "." {
                let main = config.and_then(|config| config.main.as_deref());
                return self.main_destination(&directory, main, importer);
            }
            let base = FileUrl::from_path(&paths::join(&directory, "package.json"));
            return to_file(base.join(&subpath), specifier, importer);
        }
        Err(not_found(name, importer))
    }

    /// Whether the package `name` may be in `directory`.
    fn is_package_directory(&self, directory: &str, name: &str) -> Result<bool, ResolveError> {
        if self.has_package(directory) {
            return Ok(true);
        }
        let around = directory.strip_suffix(name);
        match around.and_then(|around| around.strip_suffix('/')) {
            Some(around) if !self.is_searched(around)? => Ok(false),
            _ => self.is_directory(directory),
        }
    }

    /// The main entry of a package without `exports`. `main` is a relative URL, to whose
    /// path suffixes are added.
    fn main_destination(
        &self,
        directory: &str,
        main: Option<&str>,
        importer: &str,
    ) -> Result<Destination, ResolveError> {
        let base = FileUrl::from_path(&format!("{directory}/package.json"));
        let path_of = |reference: &str| {
            let url = base.join(reference).ok();
            url.and_then(|url| url.to_path().ok())
                .ok_or(ResolveError::MalformedUri { url: None })
        };
        let main = main.map(|main| format!("./{main}"));
        let mut candidates = Vec::new();
        if let Some(main) = &main {
            let path = path_of(main)?;
            candidates.extend(
                MAIN_SUFFIXES.map(|suffix| (format!("{path}{suffix}"), format!("{main}{suffix}"))),
            );
        }
        for index in INDEX_FILES {
            candidates.push((path_of(index)?, index.to_owned()));
        }
        for (path, reference) in candidates {
            if !path.ends_with('/') && self.real_file(&path)?.is_some() {
                return to_file(base.join(&reference), &reference, importer);
            }
        }
        Err(ResolveError::PackageNotFound {
            name: path_of(main.as_deref().unwrap_or("./index.js"))?,
            importer: importer.to_owned(),
        })
    }

    /// The end of `ESM_RESOLVE`: the file must be there, under its exact name.
    fn imported_file(&self, url: &FileUrl, importer: &str) -> Result<Location, ResolveError> {
        let invalid = |reason: &str| ResolveError::InvalidSpecifier {
            specifier: url.pathname.clone(),
            reason: reason.to_owned(),
            importer: Some(importer.to_owned()),
        };
        if url.has_encoded_separator() {
            let reason = "must not include encoded \"/\" or \"\\\" characters";
            return Err(invalid(reason));
        }
        let path = url.to_path().map_err(|_| ResolveError::MalformedUri {
            url: Some((url.to_string(), url_of(importer))),
        })?;
        // Node looks for what stands before a NUL: a directory there is one, a file is none.
        let (looked_at, has_nul) = match path.split_once('\0') {
            Some((before, _)) => (before, true),
            None => (&*path, false),
        };
        let entry = if looked_at.ends_with('/') {
            Some((FileKind::Directory, String::new()))
        } else {
            self.entry(looked_at)?
        };
        let entry = entry.filter(|(kind, _)| !has_nul || *kind == FileKind::Directory);
        match entry {
            Some((FileKind::File, path)) => Ok(Location::File {
                url: url.with_path(&path).to_string(),
                path,
            }),
            Some((FileKind::Directory, _)) => Err(ResolveError::DirectoryImport {
                path,
                url: url.to_string(),
                importer: importer.to_owned(),
            }),
            None => Err(ResolveError::ModuleNotFound {
                path,
                url: url.to_string(),
                importer: importer.to_owned(),
            }),
        }
    }
}

/// Where a package may be, innermost first.
fn package_directories(name: &str, importer: &str) -> Vec<String> {
    let is_plain = |name: &str| !matches!(name, "." | "..");
    if !name.contains(['?', '#', '\t', '\n', '\r']) && name.split('/').all(is_plain) {
        let directory = paths::parent(importer).unwrap_or("/");
        return paths::ancestors(directory)
            .map(|directory| paths::join(directory, &format!("node_modules/{name}")))
            .collect();
    }
    // Node makes URLs of such a name, each from the one before.
    let step = if name.starts_with('@') {
        "../../../../node_modules/"
    } else {
        "../../../node_modules/"
    };
    let mut directories = Vec::new();
    let mut url = FileUrl::from_path(importer).join(&format!("./node_modules/{name}/{CONFIG}"));
    while let Ok(here) = url {
        let Some(directory) = here.to_path().ok().and_then(|path| {
            let directory = path.strip_suffix(CONFIG)?.strip_suffix('/')?;
            Some(directory.to_owned())
        }) else {
            break;
        };
        url = here.join(&format!("{step}{name}/{CONFIG}"));
        let is_last = url
            .as_ref()
            .is_ok_and(|next| next.pathname.len() == here.pathname.len());
        directories.push(directory);
        if is_last || MAX_DEPTH < directories.len() {
            break;
        }
    }
    directories
}

fn not_found(package: &str, importer: &str) -> ResolveError {
    ResolveError::PackageNotFound {
        name: package.to_owned(),
        importer: importer.to_owned(),
    }
}

fn to_file(
    url: Result<FileUrl, ForeignHost>,
    specifier: &str,
    importer: &str,
) -> Result<Destination, ResolveError> {
    url.map(Destination::File)
        .map_err(|ForeignHost| ResolveError::FileUrlHost {
            url: specifier.to_owned(),
            importer: url_of(importer),
        })
}

/// The URL of an importer, which is a path or a `data:` URL.
fn url_of(importer: &str) -> String {
    if importer.starts_with('/') {
        FileUrl::from_path(importer).to_string()
    } else {
        importer.to_owned()
    }
}

/// Normal form of an absolute URL.
fn parse_url(specifier: &str) -> Option<String> {
    scheme(specifier.trim_start())?;
    Url::parse(specifier).ok().map(String::from)
}

/// `.`, `..`, `./x` or `../x`.
fn is_relative(specifier: &str) -> bool {
    let first = specifier.split('/').next();
    matches!(first, Some("." | ".."))
}

/// `name`, or `@scope/name`, and the rest, which is empty or begins with `/`.
fn split_package_name<'a>(
    specifier: &'a str,
    importer: &str,
) -> Result<(&'a str, &'a str), ResolveError> {
    let is_scoped = specifier.starts_with('@');
    let mut slashes = specifier.match_indices('/').map(|(at, _)| at);
    let scope_end = if is_scoped { slashes.next() } else { None };
    let (name, subpath) = specifier.split_at(slashes.next().unwrap_or(specifier.len()));
    let is_valid =
        is_scoped == scope_end.is_some() && !name.starts_with('.') && !name.contains(['%', '\\']);
    if is_valid {
        Ok((name, subpath))
    } else {
        Err(ResolveError::InvalidSpecifier {
            specifier: specifier.to_owned(),
            reason: "is not a valid package name".to_owned(),
            importer: Some(importer.to_owned()),
        })
    }
}
