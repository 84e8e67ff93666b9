//! What the CommonJS loader in JavaScript asks of Rust.

use host_bridge::resolver::ModuleFormat;

use super::compile::file_text;
use super::detect::{Grammar, Wrapped, wrapped_file, wrapped_text};
use super::link_error::placed;
use super::resolve::{Target, TargetKind};
use super::scope_error::advise;
use super::source::{CodeKind, origin};
use super::thrown::throw_unresolved;
use super::{dynamic, require, synthetic};
use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::strings::{string, text};

pub(crate) fn natives() -> Vec<Native> {
    table! {
        "findRequired" => find_required,
        "readText" => read_text,
        "locate" => locate,
        "compileFile" => compile_file,
        "compileText" => compile_text,
        "runScript" => run_script,
        "requireModule" => require_module,
        "moduleFacade" => module_facade,
        "syncBuiltins" => sync_builtins,
        "continueImport" => continue_import,
        "settleImport" => settle_import,
        "failImport" => fail_import,
    }
}

/// `findRequired(specifier, referrer)` → `[type, target, url, format]`.
fn find_required<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let specifier = args.get(0).to_rust_string_lossy(scope);
    let referrer = args.get(1).to_rust_string_lossy(scope);
    match state.modules.find_required(&specifier, &referrer) {
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
        TargetKind::Pinned | TargetKind::Refused(_) | TargetKind::Data { .. } => {
            ["file", &target.url, &target.url, "module"]
        }
        TargetKind::File { path, format, .. } => {
            let format = match format {
                ModuleFormat::EsModule => "module",
                ModuleFormat::CommonJs => "commonjs",
                ModuleFormat::Undeclared => "undeclared",
                ModuleFormat::Json => "json",
                ModuleFormat::Wasm => "wasm",
            };
            ["file", path, &target.url, format]
        }
    }
}

/// `readText(path)` → source text.
fn read_text<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let path = args.get(0).to_rust_string_lossy(scope);
    let text = file_text(scope, &state, &path, ModuleFormat::CommonJs)
        .and_then(|text| text.to_string(scope));
    if let Some(source) = text {
        result.set(source.into());
    }
}

/// `locate(specifier, url)` → URL, whether there is something or not: `import.meta.resolve`.
fn locate<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let specifier = args.get(0).to_rust_string_lossy(scope);
    let referrer = args.get(1).to_rust_string_lossy(scope);
    match state.modules.locate(&specifier, &referrer) {
        Ok(url) => result.set(string(scope, &url).into()),
        Err(error) => throw_unresolved(scope, &error),
    }
}

/// `compileFile(path, mayBeModule)` → the function of a CommonJS file, or undefined where
/// it is an ES module.
fn compile_file<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let path = args.get(0).to_rust_string_lossy(scope);
    let wrapped = wrapped_file(scope, &state, &path, grammar(args.get(1)));
    if let Some(Wrapped::Function(function)) = wrapped {
        result.set(function.into());
    }
}

fn grammar(may_be_module: v8::Local<'_, v8::Value>) -> Grammar {
    if may_be_module.is_true() {
        Grammar::Undeclared
    } else {
        Grammar::CommonJs
    }
}

/// `compileText(text, path, mayBeModule)` → as `compileFile`.
fn compile_text<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(body) = args.get(0).to_string(scope) else {
        return;
    };
    let path = args.get(1).to_rust_string_lossy(scope);
    let wrapped = wrapped_text(scope, body, &path, grammar(args.get(2)));
    if let Some(Wrapped::Function(function)) = wrapped {
        result.set(function.into());
    }
}

/// `runScript(text, path)` → its value: what a guest has put around a CommonJS file itself.
fn run_script<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(text) = args.get(0).to_string(scope) else {
        return;
    };
    let path = args.get(1).to_rust_string_lossy(scope);
    let origin = origin(scope, &path, CodeKind::Script);
    let script = placed(scope, |scope| {
        v8::Script::compile(scope, text, Some(&origin))
    });
    if let Some(value) = script.and_then(|script| script.run(scope)) {
        result.set(value);
    }
}

/// `requireModule(path, parentPath, source)` → namespace of an ES module that has been
/// evaluated.
fn require_module<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let path = args.get(0).to_rust_string_lossy(scope);
    let parent = text(scope, args.get(1));
    let source = text(scope, args.get(2));
    let namespace = require::namespace(scope, &path, parent.as_deref(), source.as_deref());
    if let Some(namespace) = namespace {
        result.set(namespace);
    }
}

/// `moduleFacade(path)` → namespace with `__esModule` of a module that has been required.
fn module_facade<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let path = args.get(0).to_rust_string_lossy(scope);
    if let Some(namespace) = require::facade(scope, &path) {
        result.set(namespace);
    }
}

/// `syncBuiltins()`: `syncBuiltinESMExports` of the `module` built-in.
fn sync_builtins<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    if let Some(state) = State::of(scope) {
        let _ = synthetic::sync_builtins(scope, &state);
    }
}

/// The job of an `import()`. It stands in this table because a snapshot may hold it.
pub(crate) fn continue_import<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    if unless_stopping(scope).is_none() {
        return;
    }
    if let Some(promise) = dynamic::carry_out(scope, args.data()) {
        result.set(promise.into());
    }
}

/// `None` when the guest is to stop. V8 looks for that where JavaScript is entered, and a
/// queue of jobs that are native functions enters none; so it is entered here, whereupon V8
/// drops the queue.
fn unless_stopping(scope: &mut Scope<'_, '_>) -> Option<()> {
    let state = State::of(scope)?;
    if state.links.terminator.verdict().is_some() {
        // The first request may have been used up by the script that filled the queue.
        scope.terminate_execution();
        state.hooks.get()?.is_running(scope, "")?;
    }
    Some(())
}

/// What an `import()` gives when its module has run: its namespace.
pub(crate) fn settle_import<'s>(
    _scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    result.set(args.data());
}

/// What an `import()` gives when its module threw: the same error, with Node's advice.
pub(crate) fn fail_import<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let url = text(scope, args.data()).unwrap_or_default();
    advise(scope, args.get(0), &url);
    scope.throw_exception(args.get(0));
}
