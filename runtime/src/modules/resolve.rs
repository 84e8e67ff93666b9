//! From a specifier to a target: the snapshot's pinned entries first, then Node's rules.

use std::rc::Rc;

use host_bridge::ModuleOrigin;
use host_bridge::resolver::{
    ImportKind, Language, Location, ModuleFormat, Referrer, ResolveError, Resolved,
};

use super::attributes::Attributes;
use super::thrown::throw_unresolved;
use super::{ModuleKey, Modules};
use crate::Scope;
use crate::session::State;

/// A module that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// `file:` or `data:` URL, or `node:` name.
    pub(crate) url: String,
    pub(crate) kind: TargetKind,
}

/// What a target is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// Built in, by its name without `node:`.
    Builtin(String),
    /// A file.
    File {
        /// Guest path.
        path: String,
        format: ModuleFormat,
        language: Language,
    },
    /// The body of a `data:` URL.
    Data {
        format: ModuleFormat,
        source: Rc<[u8]>,
    },
    /// Already in the module map: an entry of the snapshot.
    Pinned,
    /// Nothing can be loaded from there.
    Refused(Rc<ResolveError>),
}

impl Target {
    pub(crate) fn key(&self, attributes: &Attributes) -> ModuleKey {
        ModuleKey {
            url: self.url.clone(),
            attribute: attributes.kind.clone(),
        }
    }
}

impl From<Resolved> for Target {
    fn from(resolved: Resolved) -> Target {
        match resolved {
            Resolved::Builtin { name } => Target {
                url: format!("node:{name}"),
                kind: TargetKind::Builtin(name),
            },
            Resolved::File {
                path,
                url,
                format,
                language,
            } => Target {
                url,
                kind: TargetKind::File {
                    path,
                    format,
                    language,
                },
            },
            Resolved::Data {
                url,
                format,
                source,
            } => Target {
                url,
                kind: TargetKind::Data {
                    format,
                    source: Rc::from(source),
                },
            },
        }
    }
}

impl Modules {
    /// Resolves what the module at `referrer` (URL or guest path) asks for.
    ///
    /// An entry specifier of the snapshot means the snapshot's instance wherever the
    /// session's own code asks for it, without a look at the disk. Packages, whose files
    /// stand below a `node_modules`, keep what they resolve to.
    pub(crate) fn resolve(
        &self,
        specifier: &str,
        referrer: &str,
        kind: ImportKind,
    ) -> Result<Target, ResolveError> {
        if kind == ImportKind::Import
            && let Some(url) = self.pinned.get(specifier)
            && !referrer.contains("/node_modules/")
        {
            return Ok(Target {
                url: url.clone(),
                kind: TargetKind::Pinned,
            });
        }
        let base = self.base(referrer)?;
        self.resolver
            .resolve(specifier, &base, kind)
            .map(Target::from)
    }

    /// URL of what the module at `referrer` means by `specifier`, whether it is there or not.
    pub(crate) fn locate(&self, specifier: &str, referrer: &str) -> Result<String, ResolveError> {
        let base = self.base(referrer)?;
        match self.resolver.locate(specifier, &base, ImportKind::Import) {
            Ok(Location::Builtin { name }) => Ok(format!("node:{name}")),
            Ok(Location::File { url, .. } | Location::Url { url }) => Ok(url),
            Err(error) => error.url().map(str::to_owned).ok_or(error),
        }
    }

    /// The place that `specifier` means, for a module that cannot be loaded from there.
    fn refused(&self, specifier: &str, referrer: &str, error: &ResolveError) -> Option<Target> {
        let base = self.base(referrer).ok()?;
        let location = self.resolver.locate(specifier, &base, ImportKind::Import);
        let url = match location.ok()? {
            Location::File { url, .. } | Location::Url { url } => url,
            Location::Builtin { .. } => return None,
        };
        Some(Target {
            url,
            kind: TargetKind::Refused(Rc::new(error.clone())),
        })
    }

    /// Where `require.resolve` finds a module: also where `require` refuses it.
    pub(crate) fn find_required(
        &self,
        specifier: &str,
        referrer: &str,
    ) -> Result<Target, ResolveError> {
        match self.resolve(specifier, referrer, ImportKind::Require) {
            Err(
                ResolveError::EmptyRequest
                | ResolveError::UnknownBuiltin { .. }
                | ResolveError::AddonsDisabled { .. },
            ) => {}
            answer => return answer,
        }
        let base = self.base(referrer)?;
        match self
            .resolver
            .locate(specifier, &base, ImportKind::Require)?
        {
            Location::Builtin { name } => Ok(Target::from(Resolved::Builtin { name })),
            Location::File { path, url } => Ok(Target::from(Resolved::File {
                path,
                url,
                format: ModuleFormat::Undeclared,
                language: Language::default(),
            })),
            Location::Url { url } => Err(ResolveError::InvalidUrl { input: url }),
        }
    }

    /// The module at `referrer`, or one in the working directory.
    fn base(&self, referrer: &str) -> Result<Referrer, ResolveError> {
        Referrer::new(referrer)
            .or_else(|_| Referrer::in_directory(&self.cwd))
            .or_else(|_| Referrer::in_directory("/"))
            .map_err(|_| ResolveError::SpecifierTooLong { limit: 0, size: 0 })
    }

    /// Guest path of code that the host has named: as from the working directory.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", self.cwd.trim_end_matches('/'))
        }
    }

    /// Counts a module, named by its URL or path, the first time it is used.
    pub(crate) fn count(&self, state: &State, origin: ModuleOrigin, name: &str) {
        if self.counted.borrow_mut().insert(name.to_owned()) {
            state.links.counters.module(origin);
        }
    }
}

/// Resolves for an `import`; throws what Node throws where nothing is found. What is found
/// and refused has a target, which there may be a module of already: what has been required
/// can be imported whatever its extension.
pub(crate) fn resolve_or_throw(
    scope: &mut Scope<'_, '_>,
    state: &State,
    specifier: &str,
    referrer: &str,
) -> Option<Target> {
    let kind = ImportKind::Import;
    let modules = &state.modules;
    let error = match modules.resolve(specifier, referrer, kind) {
        Ok(target) => return Some(target),
        Err(error) => error,
    };
    let refused = modules.refused(specifier, referrer, &error);
    if refused.is_none() {
        throw_unresolved(scope, &error);
    }
    refused
}

/// What a message calls the module with this URL: by its path, if it has one.
pub(crate) fn file_name(url: &str) -> String {
    Referrer::new(url).map_or_else(|_| url.to_owned(), |file| file.path().to_owned())
}

/// `file:` URL of a guest path, for names that are not resolved.
pub(crate) fn path_url(path: &str) -> String {
    format!("file://{path}")
}

/// URL of a module that would stand in `directory`, for code that comes without a file.
pub(crate) fn directory_url(directory: &str) -> String {
    format!("file://{}/[eval]", directory.trim_end_matches('/'))
}
