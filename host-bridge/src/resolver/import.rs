//! `import`: `ESM_RESOLVE` and `PACKAGE_RESOLVE` of Node's docs.

use super::file_url::{FileUrl, scheme};
use super::targets::{Asking, Destination};
use super::{ImportKind, Location, Referrer, ResolveError, Resolver, paths};
use crate::reader::FileKind;

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
const INDEX_FILES: [&str; 3] = ["index.js", "index.json", "index.node"];

impl Resolver {
    pub(super) fn locate_import(
        &self,
        specifier: &str,
        referrer: &Referrer,
    ) -> Result<Location, ResolveError> {
        match self.import_destination(specifier, referrer)? {
            Destination::Builtin(name) => Ok(Location::Builtin { name }),
            Destination::File(url) => self.imported_file(&url, referrer.path()),
        }
    }

    fn import_destination(
        &self,
        specifier: &str,
        referrer: &Referrer,
    ) -> Result<Destination, ResolveError> {
        let conditions = self.conditions(ImportKind::Import);
        if specifier.starts_with('/') || is_relative(specifier) {
            let url = FileUrl::from_path(referrer.path()).join(specifier);
            return to_file(url.ok());
        }
        if specifier.starts_with('#') {
            let scope = self.package_scope(referrer.directory(), Some(referrer.path()))?;
            return self.package_imports(specifier, scope.as_ref(), referrer.path(), conditions);
        }
        if let Some(url) = FileUrl::parse(specifier) {
            return to_file(url.ok());
        }
        if let Some(scheme) = scheme(specifier) {
            if scheme.eq_ignore_ascii_case("node") {
                let name = specifier.split_at(scheme.len()).1.trim_start_matches(':');
                return self.builtin_with_scheme(name).map(Destination::Builtin);
            }
            return Err(ResolveError::UnsupportedScheme {
                scheme: scheme.to_ascii_lowercase(),
            });
        }
        self.package_destination(specifier, referrer.path(), conditions)
    }

    /// The built-in module of `node:name`.
    pub(super) fn builtin_with_scheme(&self, name: &str) -> Result<String, ResolveError> {
        if self.builtins.contains(name) {
            Ok(name.to_owned())
        } else {
            Err(ResolveError::UnknownBuiltin {
                name: format!("node:{name}"),
            })
        }
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
        if let Some(scope) = self.package_scope(directory, Some(importer))?
            && scope.config.exports.is_some()
            && scope.config.name.as_deref() == Some(name)
        {
            return self.package_exports(&scope, &subpath, asking);
        }
        for ancestor in paths::ancestors(directory) {
            let directory = paths::resolve(ancestor, &format!("node_modules/{name}"));
            if !self.is_directory(&directory)? {
                continue;
            }
            let blamed = format!("\"{specifier}\" from {importer}");
            let package = self.package_in(&directory, Some(&blamed))?;
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
            return to_file(base.join(&subpath).ok());
        }
        Err(ResolveError::PackageNotFound {
            name: name.to_owned(),
            importer: importer.to_owned(),
        })
    }

    /// The main entry of a package without `exports`.
    fn main_destination(
        &self,
        directory: &str,
        main: Option<&str>,
        importer: &str,
    ) -> Result<Destination, ResolveError> {
        let from_main = main.into_iter().flat_map(|main| {
            MAIN_SUFFIXES
                .iter()
                .map(move |suffix| format!("./{main}{suffix}"))
        });
        for candidate in from_main.chain(INDEX_FILES.map(str::to_owned)) {
            let path = paths::resolve(directory, &candidate);
            if self.real_file(&path)?.is_some() {
                return Ok(Destination::File(FileUrl::from_path(&path)));
            }
        }
        let expected = format!("./{}", main.unwrap_or("index.js"));
        Err(ResolveError::PackageNotFound {
            name: paths::resolve(directory, &expected),
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
        let path = url
            .to_path()
            .map_err(|_| invalid("has a malformed percent-encoding"))?;
        let entry = if path.ends_with('/') {
            Some((FileKind::Directory, String::new()))
        } else {
            self.entry(&path)?
        };
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

fn to_file(url: Option<FileUrl>) -> Result<Destination, ResolveError> {
    url.map(Destination::File).ok_or(ResolveError::FileUrlHost)
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
