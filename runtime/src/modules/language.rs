//! What the text of a file is in JavaScript.

use std::sync::Arc;

use bytes::Bytes;
use host_bridge::Pause;
use host_bridge::cjs_lexer::{self, CjsExports};
use host_bridge::reader::FileContents;
use host_bridge::resolver::{Language, ModuleFormat};
use host_bridge::typescript::{
    Client, JavaScript, Request, TypeScriptError, TypeScriptErrorClass, translated,
};

use super::Modules;
use super::text::SharedText;
use crate::Scope;
use crate::session::State;
use crate::strings::{ErrorClass, throw};

impl Modules {
    /// The JavaScript of the file at `path`, shared by all sessions that ask for the same.
    fn javascript(
        &self,
        path: &str,
        format: ModuleFormat,
        contents: &FileContents,
    ) -> Result<Arc<SharedText>, TypeScriptError> {
        let request = self.request(path, format);
        if request.language == Language::JavaScript {
            return Ok(SharedText::of(contents));
        }
        let text = self.translated(contents, &request)?;
        Ok(SharedText::of_translation(contents, &text))
    }

    /// Names that the CommonJS file at `path` seems to export; none where it cannot be
    /// translated, which is an error when it is run.
    pub(crate) fn exports_of(&self, path: &str, contents: &FileContents) -> Arc<CjsExports> {
        let request = self.request(path, ModuleFormat::CommonJs);
        if request.language == Language::JavaScript {
            return cjs_lexer::exports_of(contents);
        }
        let text = self.translated(contents, &request).ok();
        let text = text
            .as_ref()
            .and_then(|text| std::str::from_utf8(text).ok());
        let found = text.and_then(|text| cjs_lexer::named_exports(text).ok());
        Arc::new(found.unwrap_or_default())
    }

    /// The JavaScript of text that the host sent as a module named `path`.
    fn javascript_of(&self, path: &str, text: &[u8]) -> Result<Bytes, TypeScriptError> {
        let request = self.request(path, ModuleFormat::EsModule);
        if request.language == Language::JavaScript {
            return Ok(Bytes::copy_from_slice(text));
        }
        let made = self.translate(&String::from_utf8_lossy(text), &request)?;
        Ok(Bytes::from(made.into_text()))
    }

    fn translated(
        &self,
        contents: &FileContents,
        request: &Request<'_>,
    ) -> Result<Bytes, TypeScriptError> {
        translated(contents, request, |text| self.translate(text, request))
    }

    fn translate(&self, text: &str, request: &Request<'_>) -> Result<JavaScript, TypeScriptError> {
        // A worker has it; this thread sleeps.
        let mut pause = Pause::new();
        pause.begin();
        let client = Client {
            terminator: &self.terminator,
            counters: &self.counters,
        };
        self.translator.translate(text, request, client)
    }

    fn request<'a>(&'a self, path: &'a str, format: ModuleFormat) -> Request<'a> {
        Request {
            language: Language::of(path),
            format,
            path,
            options: &self.options,
        }
    }
}

/// As [`Modules::javascript`]; throws what cannot be translated.
pub(crate) fn javascript(
    scope: &Scope<'_, '_>,
    modules: &Modules,
    path: &str,
    format: ModuleFormat,
    contents: &FileContents,
) -> Option<Arc<SharedText>> {
    or_throw(scope, path, modules.javascript(path, format, contents))
}

/// As [`Modules::javascript_of`]; throws what cannot be translated.
pub(crate) fn javascript_of(
    scope: &Scope<'_, '_>,
    modules: &Modules,
    path: &str,
    text: &[u8],
) -> Option<Bytes> {
    or_throw(scope, path, modules.javascript_of(path, text))
}

fn or_throw<T>(scope: &Scope<'_, '_>, path: &str, made: Result<T, TypeScriptError>) -> Option<T> {
    if let Some(state) = State::of(scope) {
        state.check_helpers();
    }
    made.inspect_err(|error| {
        let class = match error.class() {
            TypeScriptErrorClass::Error => ErrorClass::Error,
            TypeScriptErrorClass::TypeError => ErrorClass::TypeError,
            TypeScriptErrorClass::SyntaxError => ErrorClass::SyntaxError,
            TypeScriptErrorClass::RangeError => ErrorClass::RangeError,
        };
        throw(scope, class, error.code(), &format!("{path}: {error}"));
    })
    .ok()
}
