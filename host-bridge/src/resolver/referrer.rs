//! The module that a specifier stands in.

use super::file_url::FileUrl;
use super::paths;

/// What is given as a referrer is neither a `file:` or `data:` URL nor an absolute path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a referrer is a file: or data: URL or an absolute path")]
pub struct BadReferrer;

/// The module that a specifier stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referrer(Place);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Guest path of its file, normal and absolute.
    File(String),
    /// Its `data:` URL. It stands in no directory: it has built-in modules and absolute
    /// URLs only.
    Data(String),
}

impl Referrer {
    /// The module with this `file:` or `data:` URL or absolute guest path.
    ///
    /// # Errors
    ///
    /// [`BadReferrer`] for anything else.
    pub fn new(url_or_path: &str) -> Result<Referrer, BadReferrer> {
        if url_or_path.starts_with('/') {
            return Ok(Referrer(Place::File(paths::resolve("/", url_or_path))));
        }
        if url_or_path.starts_with("data:") {
            return Ok(Referrer(Place::Data(url_or_path.to_owned())));
        }
        let path = FileUrl::parse(url_or_path)
            .and_then(|url| url.ok()?.to_path().ok())
            .ok_or(BadReferrer)?;
        Ok(Referrer(Place::File(path)))
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
        Ok(Referrer(Place::File(paths::resolve(path, "[eval]"))))
    }

    /// Guest path of the file, or the `data:` URL: what errors call it.
    #[must_use]
    pub fn path(&self) -> &str {
        match &self.0 {
            Place::File(path) | Place::Data(path) => path,
        }
    }

    /// The directory of the file; `/` stands for the one that a `data:` URL lacks.
    pub(super) fn directory(&self) -> &str {
        match &self.0 {
            Place::File(path) => paths::parent(path).unwrap_or("/"),
            Place::Data(_) => "/",
        }
    }

    pub(super) fn is_data(&self) -> bool {
        matches!(self.0, Place::Data(_))
    }
}
