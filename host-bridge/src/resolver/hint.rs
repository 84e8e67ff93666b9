//! "Did you mean": what `require` would have found for a specifier that `import` did not.

use super::file_url::FileUrl;
use super::require::is_relative;
use super::{Referrer, ResolveError, Resolver, paths};

impl Resolver {
    /// `error`, with what the importer may have meant if Node would say so.
    pub(super) fn with_hint(
        &self,
        error: ResolveError,
        specifier: &str,
        referrer: &Referrer,
    ) -> ResolveError {
        let is_hinted =
            error.is_not_found() || matches!(error, ResolveError::DirectoryImport { .. });
        if !is_hinted || referrer.is_data() {
            return error;
        }
        let path = match specifier.starts_with("file://") {
            true => FileUrl::parse(specifier).and_then(|url| url.ok()?.to_path().ok()),
            false => None,
        };
        let specifier = path.as_deref().unwrap_or(specifier);
        match self.required_instead(specifier, referrer) {
            Some(found) if found != specifier => ResolveError::Hinted {
                error: Box::new(error),
                found,
            },
            _ => error,
        }
    }

    /// Like Node this looks for relative specifiers in the working directory, and not in
    /// the directory of the importer.
    fn required_instead(&self, specifier: &str, referrer: &Referrer) -> Option<String> {
        let found = if specifier.starts_with('/') {
            self.load_as_file_or_directory(&paths::resolve("/", specifier), specifier)
        } else if is_relative(specifier) {
            self.required_in(self.cwd.as_deref()?, specifier)
        } else {
            self.required_from_node_modules(specifier, referrer)
                .map(super::require::Found::into_path)
        };
        let found = found.ok()??;
        if matches!(specifier.split('/').next(), Some("." | "..")) {
            return Some(relative_url(referrer.directory(), &found));
        }
        if specifier.is_empty() || specifier.starts_with(['/', '.']) {
            return Some(found);
        }
        let first = specifier.split('/').next().unwrap_or(specifier);
        let needle = format!("/node_modules/{first}/");
        match found.rsplit_once(needle.as_str()) {
            Some((_, rest)) => {
                let names: Vec<String> = rest.split('/').map(encode_component).collect();
                Some(format!("{first}/{}", names.join("/")))
            }
            None => Some(FileUrl::from_path(&found).to_string()),
        }
    }
}

/// The path of a URL, relative to a directory.
fn relative_url(directory: &str, path: &str) -> String {
    let from = FileUrl::from_path(directory).pathname;
    let to = FileUrl::from_path(path).pathname;
    let mut from = from.split('/').filter(|name| !name.is_empty()).peekable();
    let mut to = to.split('/').filter(|name| !name.is_empty()).peekable();
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let names: Vec<&str> = from.map(|_| "..").chain(to).collect();
    let relative = names.join("/");
    if relative.starts_with("../") {
        relative
    } else {
        format!("./{relative}")
    }
}

/// JavaScript's `encodeURIComponent`.
fn encode_component(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
