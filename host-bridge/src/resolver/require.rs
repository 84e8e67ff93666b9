//! `require`: Node's docs, CommonJS modules, "All together".

use super::package::{Blame, Package};
use super::targets::{Asking, Destination};
use super::{ImportKind, Location, Referrer, ResolveError, Resolver, node_modules_paths, paths};
use crate::reader::FileKind;

/// What `require` may leave out of the name of a file.
const EXTENSIONS: [&str; 3] = [".js", ".json", ".node"];

impl Resolver {
    pub(super) fn locate_require(
        &self,
        request: &str,
        referrer: &Referrer,
    ) -> Result<Location, ResolveError> {
        if let Some(name) = request.strip_prefix("node:")
            && self.builtins.contains(name)
        {
            return Ok(Location::builtin(name));
        }
        if self.builtins.is_bare_name(request) {
            return Ok(Location::builtin(request));
        }
        if let Some(location) = self.required_from_scope(request, referrer)? {
            return Ok(location);
        }
        let path = if request.starts_with('/') {
            self.load_as_file_or_directory(&paths::resolve("/", request), request)?
        } else if is_relative(request) {
            self.required_in(referrer.directory(), request)?
        } else {
            match self.required_from_node_modules(request, referrer)? {
                Found::Location(location) => return Ok(location),
                Found::Path(path) => path,
            }
        };
        match path {
            Some(path) => Ok(Location::file(path)),
            None => Err(ResolveError::RequiredNotFound {
                request: request.to_owned(),
                importer: Some(referrer.path().to_owned()),
                config: None,
            }),
        }
    }

    /// `LOAD_PACKAGE_IMPORTS` and `LOAD_PACKAGE_SELF`.
    fn required_from_scope(
        &self,
        request: &str,
        referrer: &Referrer,
    ) -> Result<Option<Location>, ResolveError> {
        let importer = referrer.path();
        let Some(scope) = self.package_scope(referrer.directory(), Blame::Require)? else {
            return Ok(None);
        };
        let conditions = self.conditions(ImportKind::Require);
        if request.starts_with('#') && scope.config.imports.is_some() {
            // Node looks for the package once more, as `import` does.
            let again = self.package_scope(referrer.directory(), Blame::Import(importer))?;
            let destination = self.package_imports(request, again.as_ref(), importer, conditions);
            let asked = Asked {
                request,
                importer: Some(importer),
                package: &scope,
                names_config: false,
            };
            return self.required_destination(destination, asked).map(Some);
        }
        let name = scope.config.name.as_deref();
        let rest = name.and_then(|name| request.strip_prefix(name));
        match rest {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {}
            _ => return Ok(None),
        }
        if scope.config.exports.is_none() {
            return Ok(None);
        }
        let asking = Asking {
            importer: Some(importer),
            conditions,
        };
        let subpath = format!(".{}", rest.unwrap_or_default());
        let destination = self.package_exports(&scope, &subpath, asking);
        let asked = Asked {
            request,
            importer: Some(importer),
            package: &scope,
            names_config: true,
        };
        self.required_destination(destination, asked).map(Some)
    }

    /// `LOAD_NODE_MODULES`
    pub(super) fn required_from_node_modules(
        &self,
        request: &str,
        referrer: &Referrer,
    ) -> Result<Found, ResolveError> {
        for directory in node_modules_paths(referrer.directory()) {
            if !self.is_searched(&directory)? {
                continue;
            }
            if let Some((package, subpath)) = self.exporting_package(&directory, request)? {
                let asking = Asking {
                    importer: None,
                    conditions: self.conditions(ImportKind::Require),
                };
                let destination = self.package_exports(&package, &subpath, asking);
                let asked = Asked {
                    request,
                    importer: None,
                    package: &package,
                    names_config: true,
                };
                let location = self.required_destination(destination, asked)?;
                return Ok(Found::Location(location));
            }
            let path = paths::resolve(&directory, request);
            if let Some(path) = self.load_as_file_or_directory(&path, request)? {
                return Ok(Found::Path(Some(path)));
            }
        }
        Ok(Found::Path(None))
    }

    /// `LOAD_PACKAGE_EXPORTS`: the package in `directory` that `request` names, if it has
    /// `exports`.
    fn exporting_package(
        &self,
        directory: &str,
        request: &str,
    ) -> Result<Option<(Package, String)>, ResolveError> {
        let Some((name, subpath)) = split_package_name(request) else {
            return Ok(None);
        };
        let package = self.package_in(&paths::join(directory, name), Blame::Require)?;
        Ok(package
            .filter(|package| package.config.exports.is_some())
            .map(|package| (package, format!(".{subpath}"))))
    }

    pub(super) fn required_in(
        &self,
        directory: &str,
        request: &str,
    ) -> Result<Option<String>, ResolveError> {
        // Node looks whether the directory is there unless the request leaves it.
        if !leaves_directory(request) && !self.is_searched(directory)? {
            return Ok(None);
        }
        self.load_as_file_or_directory(&paths::resolve(directory, request), request)
    }

    /// `LOAD_AS_FILE`, then `LOAD_AS_DIRECTORY`. `request` tells whether the path may be
    /// a file.
    pub(super) fn load_as_file_or_directory(
        &self,
        path: &str,
        request: &str,
    ) -> Result<Option<String>, ResolveError> {
        let entry = self.entry(path)?;
        if !names_a_directory(request) {
            if let Some((FileKind::File, real_path)) = entry {
                return Ok(Some(real_path));
            }
            if let Some(real_path) = self.with_extension(path)? {
                return Ok(Some(real_path));
            }
        }
        match entry {
            Some((FileKind::Directory, _)) => self.load_as_directory(path, request),
            _ => Ok(None),
        }
    }

    fn load_as_directory(
        &self,
        directory: &str,
        request: &str,
    ) -> Result<Option<String>, ResolveError> {
        let index = paths::join(directory, "index");
        let package = self.package_in(directory, Blame::Require)?;
        let main = package.and_then(|package| package.config.main.clone());
        let Some(main) = main.filter(|main| !main.is_empty()) else {
            return self.with_extension(&index);
        };
        let path = paths::resolve(directory, &main);
        if let Some(real_path) = self.real_file(&path)? {
            return Ok(Some(real_path));
        }
        for base in [&path, &paths::join(&path, "index"), &index] {
            if let Some(real_path) = self.with_extension(base)? {
                return Ok(Some(real_path));
            }
        }
        Err(ResolveError::MainNotFound {
            path,
            config: paths::join(directory, "package.json"),
            request: request.to_owned(),
        })
    }

    fn with_extension(&self, path: &str) -> Result<Option<String>, ResolveError> {
        for extension in EXTENSIONS {
            if let Some(real_path) = self.real_file(&format!("{path}{extension}"))? {
                return Ok(Some(real_path));
            }
        }
        Ok(None)
    }

    /// The end of `RESOLVE_ESM_MATCH`: what a package says must be there as it is.
    fn required_destination(
        &self,
        destination: Result<Destination, ResolveError>,
        asked: Asked<'_>,
    ) -> Result<Location, ResolveError> {
        let url = match destination {
            Ok(Destination::Builtin(_) | Destination::Url(_)) => {
                return Err(ResolveError::NotAFileUrl);
            }
            Ok(Destination::File(url)) => url,
            Err(error) if error.is_not_found() => {
                return Err(ResolveError::RequiredNotFound {
                    request: asked.request.to_owned(),
                    importer: None,
                    config: asked.names_config.then(|| asked.package.config_path()),
                });
            }
            Err(error) => return Err(error),
        };
        if url.has_encoded_separator() {
            return Err(ResolveError::InvalidSpecifier {
                specifier: url.to_string(),
                reason: "must not include encoded \"/\" or \"\\\" characters".to_owned(),
                importer: asked.importer.map(str::to_owned),
            });
        }
        let path = url
            .to_path()
            .map_err(|_| ResolveError::MalformedUri { url: None })?;
        let real_path = match path.ends_with('/') {
            true => None,
            false => self.real_file(&path)?,
        };
        match real_path {
            Some(real_path) => Ok(Location::file(real_path)),
            None => Err(ResolveError::RequiredNotFound {
                request: path,
                importer: None,
                config: Some(asked.package.config_path()),
            }),
        }
    }
}

/// A request that a package answers.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    request: &'a str,
    /// Named where Node names it.
    importer: Option<&'a str>,
    package: &'a Package,
    /// Whether an error names the `package.json`.
    names_config: bool,
}

/// What a search through `node_modules` comes to.
#[derive(Debug)]
pub(super) enum Found {
    /// From `exports`.
    Location(Location),
    /// Real path, if there is one.
    Path(Option<String>),
}

impl Found {
    /// Real path of the file.
    pub(super) fn into_path(self) -> Option<String> {
        match self {
            Found::Location(Location::File { path, .. }) => Some(path),
            Found::Location(_) => None,
            Found::Path(path) => path,
        }
    }
}

/// Whether a relative request, taken as text, leads out of the directory it is made in.
fn leaves_directory(request: &str) -> bool {
    let mut depth: usize = 0;
    for name in request.split('/') {
        match name {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            _ => depth = depth.saturating_add(1),
        }
    }
    false
}

/// Node's `_resolveLookupPaths`: `.` followed by nothing, `.` or `/`. So `..x` is
/// relative too.
pub(super) fn is_relative(request: &str) -> bool {
    match request.strip_prefix('.') {
        Some(rest) => rest.is_empty() || rest.starts_with(['.', '/']),
        None => false,
    }
}

/// Whether only a directory will do: `x/`, `x/.`, `x/..`, `.` and `..`.
fn names_a_directory(request: &str) -> bool {
    matches!(paths::file_name(request), "" | "." | "..")
}

/// `name`, or `@scope/name`, and the rest, if `request` may be a package with `exports`.
/// Where `@scope/name` is none, `@scope` is a name.
fn split_package_name(request: &str) -> Option<(&str, &str)> {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && is_plain(name);
    let (first, rest) = split_before_slash(request);
    if first.len() > 1 && first.starts_with('@') && is_plain(first) {
        let (second, _) = split_before_slash(rest.strip_prefix('/').unwrap_or(rest));
        if is_name(second) {
            let length = first.len().saturating_add(1).saturating_add(second.len());
            return request.split_at_checked(length);
        }
    }
    is_name(first).then_some((first, rest))
}

fn is_plain(name: &str) -> bool {
    !name.contains(['%', '\\'])
}

fn split_before_slash(path: &str) -> (&str, &str) {
    path.split_at(path.find('/').unwrap_or(path.len()))
}
