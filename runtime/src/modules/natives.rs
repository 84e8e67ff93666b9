//! What the CommonJS loader in JavaScript asks of Rust.

use host_bridge::resolver::{ImportKind, Language, ModuleFormat};

use super::compile::read;
use super::language::javascript;
use super::load::{graph, run};
use super::resolve::{Target, TargetKind, throw_unresolved};
use super::source::{self, source_string};
use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::strings::{ErrorClass, string, text, throw};
use crate::value::bytes_to_view;

pub(crate) fn natives() -> Vec<Native> {
    table! {
        "resolve" => resolve,
        "readText" => read_text,
        "readBytes" => read_bytes,
        "compileFunction" => compile_function,
        "requireModule" => require_module,
    }
}

/// `resolve(specifier, referrer, kind)` → `[type, target, url, format]`.
fn resolve<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let specifier = args.get(0).to_rust_string_lossy(scope);
    let referrer = args.get(1).to_rust_string_lossy(scope);
    let kind = if args.get(2).is_true() || args.get(2).integer_value(scope) == Some(1) {
        ImportKind::Require
    } else {
        ImportKind::Import
    };
    match state.modules.resolve(&specifier, &referrer, kind) {
        Ok(target) => {
            let parts = describe(&target).map(|part| string(scope, part).into());
            result.set(v8::Array::new_with_elements(scope, &parts).into());
        }
        Err(error) => throw_unresolved(scope, &error),
    }
}

fn describe(target: &Target) -> [&str; 4] {
    match &target.kind {
        TargetKind::Builtin(name) => ["builtin", name, &target.url, "builtin"],
        TargetKind::Pinned => ["file", &target.url, &target.url, "module"],
        TargetKind::File { path, format, .. } => {
            let format = match format {
                ModuleFormat::EsModule => "module",
                ModuleFormat::CommonJs | ModuleFormat::Undeclared => "commonjs",
                ModuleFormat::Json => "json",
                ModuleFormat::Wasm => "wasm",
            };
            ["file", path, &target.url, format]
        }
    }
}

/// `readText(path)` → source text, in JavaScript.
fn read_text<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let path = args.get(0).to_rust_string_lossy(scope);
    let source = read(scope, &state, &path)
        .and_then(|contents| {
            let format = ModuleFormat::CommonJs;
            javascript(scope, &state.modules, &path, format, &contents)
        })
        .and_then(|source| source_string(scope, &source));
    if let Some(source) = source {
        result.set(source.into());
    }
}

/// `readBytes(path)` → `Uint8Array`.
fn read_bytes<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let path = args.get(0).to_rust_string_lossy(scope);
    let bytes =
        read(scope, &state, &path).and_then(|contents| bytes_to_view(scope, contents.bytes()));
    if let Some(bytes) = bytes {
        result.set(bytes.into());
    }
}

/// `compileFunction(source, path, parameterNames)` → function.
fn compile_function<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Ok(source) = v8::Local::<v8::String>::try_from(args.get(0)) else {
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_INVALID_ARG_TYPE",
            "The source must be a string",
        );
        return;
    };
    let path = args.get(1).to_rust_string_lossy(scope);
    let mut names = Vec::new();
    if let Ok(list) = v8::Local::<v8::Array>::try_from(args.get(2)) {
        for index in 0..list.length() {
            let name = list
                .get_index(scope, index)
                .and_then(|name| text(scope, name));
            names.push(string(scope, &name.unwrap_or_default()));
        }
    }
    let url = if path.starts_with('/') {
        super::path_url(&path)
    } else {
        path
    };
    let function = source::compile_function(scope, source, &url, &names);
    if let Some(function) = function {
        result.set(function.into());
    }
}

/// `requireModule(path)` → namespace of an ES module that has been evaluated. Node's docs,
/// "Loading ECMAScript modules using require()".
fn require_module<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let path = args.get(0).to_rust_string_lossy(scope);
    if let Some(namespace) = require_namespace(scope, &path) {
        result.set(namespace);
    }
}

fn require_namespace<'s>(
    scope: &mut Scope<'s, '_>,
    path: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let state = State::of(scope)?;
    let url = if path.starts_with('/') {
        super::path_url(path)
    } else {
        path.to_owned()
    };
    let target = Target {
        url,
        kind: TargetKind::File {
            path: path.to_owned(),
            format: ModuleFormat::EsModule,
            language: Language::of(path),
        },
    };
    let module = graph(scope, &state, &target, "")?;
    if module.get_status() == v8::ModuleStatus::Evaluating {
        let message = format!("Cannot require() ES Module {path} in a cycle");
        throw(
            scope,
            ErrorClass::Error,
            "ERR_REQUIRE_CYCLE_MODULE",
            &message,
        );
        return None;
    }
    if module.is_graph_async() {
        let message = format!(
            "require() cannot be used on an ESM graph with top-level await. Use import() instead: {path}"
        );
        throw(
            scope,
            ErrorClass::Error,
            "ERR_REQUIRE_ASYNC_MODULE",
            &message,
        );
        return None;
    }
    let promise = run(scope, module)?;
    if promise.state() == v8::PromiseState::Rejected {
        promise.mark_as_handled();
        let reason = promise.result(scope);
        scope.throw_exception(reason);
        return None;
    }
    Some(module.get_module_namespace())
}
