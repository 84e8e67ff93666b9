//! From the text of a file to V8's compiled code.

use std::sync::Arc;

use v8::script_compiler::{CompileOptions, Source};

use super::text::{CodeForm, SharedText};
use crate::Scope;
use crate::session::State;
use crate::strings::{ErrorClass, string, throw};

/// Source text as V8 takes it; ill-formed UTF-8 is replaced, as in Node.
pub(crate) fn source_string<'s>(
    scope: &Scope<'s, '_>,
    bytes: &[u8],
) -> Option<v8::Local<'s, v8::String>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = if bytes.is_ascii() {
        v8::String::new_from_one_byte(scope, bytes, v8::NewStringType::Normal)
    } else {
        v8::String::new_from_utf8(scope, bytes, v8::NewStringType::Normal)
    };
    if text.is_none() {
        throw(
            scope,
            ErrorClass::RangeError,
            "ERR_STRING_TOO_LONG",
            "The source is too long",
        );
    }
    text
}

/// The origin of code that belongs to `url`.
pub(crate) fn origin<'s>(scope: &Scope<'s, '_>, url: &str, kind: CodeKind) -> v8::ScriptOrigin<'s> {
    let name = string(scope, url);
    let is_module = kind == CodeKind::Module;
    v8::ScriptOrigin::new(
        scope,
        name.into(),
        0,
        0,
        false,
        -1,
        None,
        false,
        false,
        is_module,
        None,
    )
}

/// Which grammar code is parsed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeKind {
    Script,
    Module,
}

/// Parameters of the CommonJS wrapper. Node's docs, "The module wrapper".
pub(super) const WRAPPER_PARAMETERS: [&str; 5] =
    ["exports", "require", "module", "__filename", "__dirname"];

/// An ES module from the text of a file. `None` means that an exception is pending.
pub(crate) fn compile_module<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    text: &Arc<SharedText>,
    url: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    with_cached_code(state, text, CodeForm::Module, |code| {
        let string = text.to_string(scope)?;
        let origin = origin(scope, url, CodeKind::Module);
        let (mut source, options) = source_with(string, &origin, code);
        let no_cache = v8::script_compiler::NoCacheReason::NoReason;
        let module = v8::script_compiler::compile_module2(scope, &mut source, options, no_cache)?;
        Some((module, is_rejected(&source)))
    })
}

/// The CommonJS wrapper around the text of a file. `None` means that an exception is
/// pending.
pub(crate) fn compile_wrapper<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    text: &Arc<SharedText>,
    url: &str,
) -> Option<v8::Local<'s, v8::Function>> {
    with_cached_code(state, text, CodeForm::Wrapper, |code| {
        wrapper(scope, text, url, code)
    })
}

/// As [`compile_module`], outside of a session and of the cache.
pub(crate) fn compile_module_text<'s>(
    scope: &mut Scope<'s, '_>,
    text: &SharedText,
    url: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    module_of(scope, text.to_string(scope)?, url)
}

/// As [`compile_wrapper`], outside of a session and of the cache.
pub(crate) fn compile_wrapper_text<'s>(
    scope: &mut Scope<'s, '_>,
    text: &SharedText,
    url: &str,
) -> Option<v8::Local<'s, v8::Function>> {
    wrapper(scope, text, url, None).map(|(function, _)| function)
}

/// An ES module from text that is no file's. `None` means that an exception is pending.
pub(crate) fn compile_module_bytes<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
    url: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    let text = source_string(scope, bytes)?;
    module_of(scope, text, url)
}

fn module_of<'s>(
    scope: &mut Scope<'s, '_>,
    text: v8::Local<'s, v8::String>,
    url: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    let origin = origin(scope, url, CodeKind::Module);
    let mut source = Source::new(text, Some(&origin));
    v8::script_compiler::compile_module(scope, &mut source)
}

fn wrapper<'s>(
    scope: &mut Scope<'s, '_>,
    text: &SharedText,
    url: &str,
    code: Option<&[u8]>,
) -> Option<(v8::Local<'s, v8::Function>, bool)> {
    let string_of_text = text.to_string(scope)?;
    let origin = origin(scope, url, CodeKind::Script);
    let (mut source, options) = source_with(string_of_text, &origin, code);
    let parameters = WRAPPER_PARAMETERS.map(|name| string(scope, name));
    let function = v8::script_compiler::compile_function(
        scope,
        &mut source,
        &parameters,
        &[],
        options,
        v8::script_compiler::NoCacheReason::NoReason,
    )?;
    Some((function, is_rejected(&source)))
}

/// Runs `compile` with the cached code of `text`, if there is some; it says what it made and
/// whether V8 refused the code. A text that had none is remembered, so that there is some
/// for the next session.
fn with_cached_code<T>(
    state: &State,
    text: &Arc<SharedText>,
    form: CodeForm,
    compile: impl FnOnce(Option<&[u8]>) -> Option<(T, bool)>,
) -> Option<T> {
    let maker = state.modules.code_maker.as_deref();
    let maker = maker.filter(|_| text.is_cacheable());
    let flavour = state.modules.image_code.flavour;
    let code = maker.and_then(|maker| text.code((form, flavour), maker.store()));
    let (made, rejected) = compile(code.as_deref())?;
    if rejected {
        tracing::warn!(?form, "V8 refused the compiled code of a file");
        text.reject_code((form, flavour));
    } else if code.is_none() && maker.is_some() {
        state.modules.remember_uncached(text, form);
    }
    Some(made)
}

fn source_with(
    text: v8::Local<'_, v8::String>,
    origin: &v8::ScriptOrigin<'_>,
    code: Option<&[u8]>,
) -> (Source, CompileOptions) {
    match code {
        Some(code) => (
            Source::new_with_cached_data(text, Some(origin), v8::CachedData::new(code)),
            CompileOptions::ConsumeCodeCache,
        ),
        None => (
            Source::new(text, Some(origin)),
            CompileOptions::NoCompileOptions,
        ),
    }
}

/// Whether V8 refused the cached code that a source came with. It has compiled the text
/// then, as if there had been none.
fn is_rejected(source: &Source) -> bool {
    source
        .get_cached_data()
        .is_some_and(v8::CachedData::rejected)
}

/// A function with this body and these parameters. `None` means that an exception is
/// pending.
pub(crate) fn compile_function<'s>(
    scope: &mut Scope<'s, '_>,
    body: v8::Local<'s, v8::String>,
    url: &str,
    parameters: &[v8::Local<'s, v8::String>],
) -> Option<v8::Local<'s, v8::Function>> {
    let origin = origin(scope, url, CodeKind::Script);
    let mut source = Source::new(body, Some(&origin));
    v8::script_compiler::compile_function(
        scope,
        &mut source,
        parameters,
        &[],
        CompileOptions::NoCompileOptions,
        v8::script_compiler::NoCacheReason::NoReason,
    )
}
