//! From the text of a file to V8's compiled code.

use crate::Scope;
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

/// An ES module from its text. `None` means that an exception is pending.
pub(crate) fn compile_module<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
    url: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    let text = source_string(scope, bytes)?;
    let origin = origin(scope, url, CodeKind::Module);
    let mut source = v8::script_compiler::Source::new(text, Some(&origin));
    v8::script_compiler::compile_module(scope, &mut source)
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
    let mut source = v8::script_compiler::Source::new(body, Some(&origin));
    v8::script_compiler::compile_function(
        scope,
        &mut source,
        parameters,
        &[],
        v8::script_compiler::CompileOptions::NoCompileOptions,
        v8::script_compiler::NoCacheReason::NoReason,
    )
}
