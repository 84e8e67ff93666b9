//! What a file was translated to, kept beside its contents for all sessions.

use bytes::Bytes;
use protocol::ModuleOptions;

use super::place::file_name;
use super::{JavaScript, Request, TypeScriptError};
use crate::reader::FileContents;
use crate::resolver::Language;

/// Translations of one file that are kept: a file is seldom taken in more than one way.
const MAX_KEPT: usize = 4;

/// Oldest first.
struct Translations(Vec<Known>);

#[derive(Clone)]
struct Known {
    language: Language,
    is_module: bool,
    name: String,
    options: ModuleOptions,
    text: Result<Bytes, TypeScriptError>,
}

/// The JavaScript of a file: its own bytes, or what `translate` makes of them, once for all
/// sessions that share them.
///
/// # Errors
///
/// Those of `translate`; an error of the text is remembered too.
pub fn translated(
    contents: &FileContents,
    request: &Request<'_>,
    translate: impl FnOnce(&str) -> Result<JavaScript, TypeScriptError>,
) -> Result<Bytes, TypeScriptError> {
    if request.language == Language::JavaScript {
        return Ok(contents.bytes().clone());
    }
    let known = contents.get_derived::<Translations>();
    let known = known.as_ref().map_or(&[][..], |known| &known.0);
    if let Some(found) = known.iter().find(|known| known.answers(request)) {
        return found.text.clone();
    }
    let text = String::from_utf8_lossy(contents.bytes());
    let text = translate(&text).map(|made| Bytes::from(made.into_text()));
    if text.as_ref().is_err_and(|error| !error.is_of_the_text()) {
        return text;
    }
    let n_kept = known.len().min(MAX_KEPT.saturating_sub(1));
    let kept = known.iter().rev().take(n_kept).rev().cloned();
    let new = Known {
        language: request.language,
        is_module: request.is_module(),
        name: file_name(request.path).to_owned(),
        options: request.options.clone(),
        text: text.clone(),
    };
    let all: Vec<Known> = kept.chain([new]).collect();
    let n_bytes = all
        .iter()
        .map(Known::n_bytes)
        .fold(0, usize::saturating_add);
    contents.set_derived(Translations(all), n_bytes);
    text
}

impl Known {
    fn answers(&self, request: &Request<'_>) -> bool {
        self.language == request.language
            && self.is_module == request.is_module()
            && self.name == file_name(request.path)
            && self.options == *request.options
    }

    fn n_bytes(&self) -> usize {
        let text = self.text.as_ref().map_or(0, Bytes::len);
        text.saturating_add(self.name.len())
            .saturating_add(size_of::<Known>())
    }
}
