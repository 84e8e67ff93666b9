//! `require`: Node's docs, CommonJS modules, "All together".

use super::package::Package;
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
        if request.is_empty() {
            return Err(ResolveError::EmptyRequest);
        }
        if let Some(name) = request.strip_prefix("node:") {
            let name = self.builtin_with_scheme(name)?;
            return Ok(Location::Builtin { name });
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
            }),
        }
    }

    /// `LOAD_PACKAGE_IMPORTS` and `LOAD_PACKAGE_SELF`.
    fn required_from_scope(
        &self,
        request: &str,
        referrer: &Referrer,
    ) -> Result<Option<Location>, ResolveError> {
        if is_relative(request) || request.starts_with('/') {
            return Ok(None);
        }
        let importer = referrer.path();
        let Some(scope) = self.package_scope(referrer.directory(), Some(importer))? else {
            return Ok(None);
        };
        let conditions = self.conditions(ImportKind::Require);
        if request.starts_with('#') && scope.config.imports.is_some() {
            let destination = self.package_imports(request, Some(&scope), importer, conditions);
            return self.required_destination(destination, request).map(Some);
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
        self.required_destination(destination, request).map(Some)
    }

    /// `LOAD_NODE_MODULES`
    fn required_from_node_modules(
        &self,
        request: &str,
        referrer: &Referrer,
    ) -> Result<Found, ResolveError> {
        for directory in node_modules_paths(referrer.directory()) {
            if !self.is_directory(&directory)? {
                continue;
            }
            if let Some((package, subpath)) = self.exporting_package(&directory, request)? {
                let asking = Asking {
                    importer: None,
                    conditions: self.conditions(ImportKind::Require),
                };
                let destination = self.package_exports(&package, &subpath, asking);
                let location = self.required_destination(destination, request)?;
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
        let package = self.package_in(&paths::join(directory, name), None)?;
        Ok(package
            .filter(|package| package.config.exports.is_some())
            .map(|package| (package, format!(".{subpath}"))))
    }

    fn required_in(&self, directory: &str, request: &str) -> Result<Option<String>, ResolveError> {
        if !self.is_directory(directory)? {
            return Ok(None);
        }
        self.load_as_file_or_directory(&paths::resolve(directory, request), request)
    }

    /// `LOAD_AS_FILE`, then `LOAD_AS_DIRECTORY`. `request` tells whether the path may be
    /// a file.
    fn load_as_file_or_directory(
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
            Some((FileKind::Directory, _)) => self.load_as_directory(path),
            _ => Ok(None),
        }
    }

    fn load_as_directory(&self, directory: &str) -> Result<Option<String>, ResolveError> {
        let index = paths::join(directory, "index");
        let package = self.package_in(directory, None)?;
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
        Err(ResolveError::MainNotFound { path })
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
        request: &str,
    ) -> Result<Location, ResolveError> {
        let not_found = |request: &str| ResolveError::RequiredNotFound {
            request: request.to_owned(),
            importer: None,
        };
        let url = match destination {
            Ok(Destination::Builtin(name)) => return Ok(Location::Builtin { name }),
            Ok(Destination::File(url)) => url,
            Err(error) if error.is_not_found() => return Err(not_found(request)),
            Err(error) => return Err(error),
        };
        let invalid = |reason: &str| ResolveError::InvalidSpecifier {
            specifier: url.to_string(),
            reason: reason.to_owned(),
            importer: None,
        };
        if url.has_encoded_separator() {
            let reason = "must not include encoded \"/\" or \"\\\" characters";
            return Err(invalid(reason));
        }
        let path = url
            .to_path()
            .map_err(|_| invalid("has a malformed percent-encoding"))?;
        match self.real_file(&path)? {
            Some(real_path) => Ok(Location::file(real_path)),
            None => Err(not_found(&path)),
        }
    }
}

/// What a search through `node_modules` comes to.
#[derive(Debug)]
enum Found {
    /// From `exports`.
    Location(Location),
    /// Real path, if there is one.
    Path(Option<String>),
}

/// Node's `_resolveLookupPaths`: `.` followed by nothing, `.` or `/`. So `..x` is
/// relative too.
fn is_relative(request: &str) -> bool {
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
fn split_package_name(request: &str) -> Option<(&str, &str)> {
    let is_scoped = request.starts_with('@');
    let mut slashes = request.match_indices('/').map(|(at, _)| at);
    if is_scoped {
        slashes.next()?;
    }
    let (name, subpath) = request.split_at(slashes.next().unwrap_or(request.len()));
    let own_name = paths::file_name(name);
    let is_package = !own_name.is_empty() && !own_name.starts_with('.');
    (is_package && !name.contains(['%', '\\'])).then_some((name, subpath))
}
