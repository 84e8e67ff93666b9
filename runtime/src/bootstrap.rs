//! The JavaScript that makes a realm, and the hooks by which Rust calls into it.
//!
//! The scripts in `js/` run once, when a snapshot is made. In a restored realm only
//! `restore` runs, which re-makes the session's world in place.

use host_bridge::OpenSpec;
use protocol::CallMode;

use v8::script_compiler::{CompileOptions, NoCacheReason, Source, compile_unbound_script};

use crate::Scope;
use crate::externals;
use crate::modules::{CodeKind, origin};
use crate::scripts::{SCRIPTS, Script};
use crate::session::State;
use crate::strings::{set, string, string_array};
use crate::value::bytes_to_view;

/// Node's version whose behaviour is the model.
const NODE_VERSION: &str = "20.20.2";

/// Functions of the realm that Rust calls.
pub(crate) struct Hooks {
    object: v8::Global<v8::Object>,
    run_timer: v8::Global<v8::Function>,
}

/// What `import.meta` of a module says.
pub(crate) struct MetaOf {
    pub(crate) url: String,
    /// Whether it is the main module of the run.
    pub(crate) is_main: bool,
}

/// Runs the scripts and returns the hooks. `None` means that one of them threw, which is a
/// fault of ours.
pub(crate) fn run_scripts<'s>(scope: &mut Scope<'s, '_>) -> Option<v8::Local<'s, v8::Object>> {
    let native = externals::native_object(scope);
    let internal = v8::Object::new(scope);
    let this = v8::undefined(scope).into();
    for script in SCRIPTS.iter().filter(|script| script.is_eager()) {
        let function = compile(scope, script)?;
        function.call(scope, this, &[native.into(), internal.into()])?;
    }
    let name = string(scope, "hooks");
    v8::Local::<v8::Object>::try_from(internal.get(scope, name.into())?).ok()
}

/// A script, compiled or taken over from what was compiled before. `None` means that an
/// exception is pending.
pub(crate) fn compile_unbound<'s>(
    scope: &Scope<'s, '_>,
    script: &'static Script,
    code: Option<&[u8]>,
) -> Option<v8::Local<'s, v8::UnboundScript>> {
    let name = format!("node:internal/{}", script.file);
    let origin = origin(scope, &name, CodeKind::Script);
    let text = v8::String::new_from_onebyte_const(scope, &script.text)?;
    let (mut source, options) = match code {
        Some(code) => (
            Source::new_with_cached_data(text, Some(&origin), v8::CachedData::new(code)),
            CompileOptions::ConsumeCodeCache,
        ),
        None => (
            Source::new(text, Some(&origin)),
            CompileOptions::NoCompileOptions,
        ),
    };
    compile_unbound_script(scope, &mut source, options, NoCacheReason::NoReason)
}

/// The function that a script consists of. `None` means that an exception is pending.
pub(crate) fn compile<'s>(
    scope: &mut Scope<'s, '_>,
    script: &'static Script,
) -> Option<v8::Local<'s, v8::Function>> {
    let state = State::of(scope);
    let code = state
        .as_ref()
        .and_then(|state| state.modules.image_code.of_script(script.file));
    let unbound = compile_unbound(scope, script, code)?;
    let value = unbound.bind_to_current_context(scope).run(scope)?;
    v8::Local::<v8::Function>::try_from(value).ok()
}

impl Hooks {
    /// Keeps the hooks of a realm. `None` when the object is not what the scripts make.
    pub(crate) fn new(scope: &Scope<'_, '_>, object: v8::Local<'_, v8::Object>) -> Option<Hooks> {
        let name = string(scope, "runTimer");
        let run_timer = object.get(scope, name.into())?;
        let run_timer = v8::Local::<v8::Function>::try_from(run_timer).ok()?;
        Some(Hooks {
            object: v8::Global::new(scope, object),
            run_timer: v8::Global::new(scope, run_timer),
        })
    }

    /// The hooks as the scripts made them, for a snapshot.
    pub(crate) fn object<'s>(&self, scope: &Scope<'s, '_>) -> v8::Local<'s, v8::Object> {
        v8::Local::new(scope, &self.object)
    }

    /// Calls a hook by its name. `None` means that an exception is pending.
    pub(crate) fn call<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        name: &str,
        args: &[v8::Local<'s, v8::Value>],
    ) -> Option<v8::Local<'s, v8::Value>> {
        let object = v8::Local::new(scope, &self.object);
        let name = string(scope, name);
        let function = v8::Local::<v8::Function>::try_from(object.get(scope, name.into())?).ok()?;
        let this = v8::undefined(scope).into();
        function.call(scope, this, args)
    }

    /// Exports of the built-in module `name`.
    pub(crate) fn builtin<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        name: &str,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let name = string(scope, name).into();
        self.call(scope, "builtin", &[name])
    }

    /// An error as Node makes it; `class` names its constructor, an empty `code` is none.
    pub(crate) fn node_error<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        class: &str,
        code: &str,
        message: &str,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let args = [class, code, message].map(|text| string(scope, text).into());
        self.call(scope, "nodeError", &args)
    }

    /// Names of the built-in modules, those that a session is refused included: they
    /// resolve, so that the guest learns why it cannot have them.
    pub(crate) fn builtin_names(&self, scope: &mut Scope<'_, '_>) -> Vec<String> {
        let mut names = self.names(scope, "builtinNames");
        names.extend(self.names(scope, "refusedNames"));
        names
    }

    fn names(&self, scope: &mut Scope<'_, '_>, hook: &str) -> Vec<String> {
        let names = self
            .call(scope, hook, &[])
            .and_then(|names| v8::Local::<v8::Array>::try_from(names).ok());
        let Some(names) = names else {
            return Vec::new();
        };
        (0..names.length())
            .filter_map(|index| names.get_index(scope, index))
            .map(|name| name.to_rust_string_lossy(scope))
            .collect()
    }

    /// Runs a CommonJS file as the main module.
    pub(crate) fn require_main<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        path: &str,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let path = string(scope, path).into();
        self.call(scope, "requireMain", &[path])
    }

    /// Gives CommonJS files modules, unless they have them; it is that of the first.
    pub(crate) fn place_common_js<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        paths: &[String],
    ) -> Option<v8::Local<'s, v8::Value>> {
        let paths = string_array(scope, paths).into();
        self.call(scope, "placeCommonJs", &[paths])
    }

    /// Runs a CommonJS file that an ES module imports, unless it has run already: its exports
    /// and what stands in them under all but the first of `names`.
    pub(crate) fn import_common_js<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        module: v8::Local<'s, v8::Value>,
        path: &str,
        names: &[String],
    ) -> Option<v8::Local<'s, v8::Array>> {
        let path = string(scope, path).into();
        let names = string_array(scope, names).into();
        let values = self.call(scope, "importCommonJs", &[module, path, names])?;
        v8::Local::<v8::Array>::try_from(values).ok()
    }

    /// Whether a CommonJS file is being run.
    pub(crate) fn is_running(&self, scope: &mut Scope<'_, '_>, path: &str) -> Option<bool> {
        let path = string(scope, path).into();
        let answer = self.call(scope, "isRunning", &[path])?;
        Some(answer.is_true())
    }

    /// The value of `text`, which is JSON; `name` is what errors call it. A shared value is
    /// the one that `require` of the path `shared_as` gives.
    pub(crate) fn import_json<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        name: &str,
        text: v8::Local<'s, v8::String>,
        shared_as: Option<&str>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let name = string(scope, name).into();
        let shared_as = match shared_as {
            Some(path) => string(scope, path).into(),
            None => v8::undefined(scope).into(),
        };
        self.call(scope, "importJson", &[name, text.into(), shared_as])
    }

    /// WebAssembly, compiled, the modules that it imports and the names it exports.
    pub(crate) fn import_wasm<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        name: &str,
        bytes: &[u8],
    ) -> Option<v8::Local<'s, v8::Array>> {
        let name = string(scope, name).into();
        let bytes = bytes_to_view(scope, bytes)?;
        let parts = self.call(scope, "importWasm", &[name, bytes.into()])?;
        v8::Local::<v8::Array>::try_from(parts).ok()
    }

    /// Gives the module around a WebAssembly module the means to instantiate it.
    pub(crate) fn init_wasm_meta<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        meta: v8::Local<'s, v8::Object>,
        compiled: v8::Local<'s, v8::Value>,
    ) {
        self.call(scope, "initWasmMeta", &[meta.into(), compiled]);
    }

    /// Forgets what `process.nextTick` has put off, as V8 does with promise jobs when it is
    /// stopped.
    pub(crate) fn drop_ticks(&self, scope: &mut Scope<'_, '_>) -> Option<()> {
        self.call(scope, "dropTicks", &[]).map(|_| ())
    }

    /// Runs what `process.nextTick` has put off; says whether there was something.
    pub(crate) fn run_ticks(&self, scope: &mut Scope<'_, '_>) -> Option<bool> {
        self.call(scope, "runTicks", &[]).map(|ran| ran.is_true())
    }

    /// Fills in `import.meta`.
    pub(crate) fn init_import_meta<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        meta: v8::Local<'s, v8::Object>,
        of: &MetaOf,
    ) {
        let url = string(scope, &of.url).into();
        let is_main = v8::Boolean::new(scope, of.is_main).into();
        self.call(scope, "initImportMeta", &[meta.into(), url, is_main]);
    }

    /// Runs the callback of a timer that is due.
    pub(crate) fn run_timer<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        id: u32,
    ) -> Option<v8::Local<'s, v8::Value>> {
        let function = v8::Local::new(scope, &self.run_timer);
        let this = v8::undefined(scope).into();
        let id = v8::Integer::new_from_unsigned(scope, id).into();
        function.call(scope, this, &[id])
    }

    /// Gives scripts a `require`; from the first call on it stays.
    pub(crate) fn define_require(&self, scope: &mut Scope<'_, '_>) -> Option<()> {
        self.call(scope, "defineRequire", &[]).map(|_| ())
    }

    /// Makes `value` the global `input`; undefined takes it away.
    pub(crate) fn set_input<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        value: v8::Local<'s, v8::Value>,
    ) -> Option<()> {
        self.call(scope, "setInput", &[value]).map(|_| ())
    }

    /// Emits an event of `process`; says whether anybody listened.
    pub(crate) fn emit_process_event<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        event: &str,
        args: &[v8::Local<'s, v8::Value>],
    ) -> Option<bool> {
        let mut all = vec![string(scope, event).into()];
        all.extend_from_slice(args);
        self.call(scope, "emitProcessEvent", &all)
            .map(|listened| listened.is_true())
    }

    /// Re-makes the world of the session: environment, arguments, host functions, clocks.
    pub(crate) fn restore(&self, scope: &mut Scope<'_, '_>, spec: &OpenSpec) -> Option<()> {
        let config = v8::Object::new(scope);
        let env = v8::Object::new(scope);
        for variable in &spec.env {
            let value = string(scope, &variable.value);
            set(scope, env, &variable.name, value.into());
        }
        set(scope, config, "env", env.into());
        let argv = string_array(scope, &spec.argv);
        set(scope, config, "argv", argv.into());
        let cwd = string(scope, &spec.cwd);
        set(scope, config, "cwd", cwd.into());
        let pid = v8::Integer::new_from_unsigned(scope, spec.session.get());
        set(scope, config, "pid", pid.into());
        let versions = versions(scope);
        set(scope, config, "versions", versions.into());
        let functions = functions(scope, spec);
        set(scope, config, "functions", functions.into());
        self.call(scope, "restore", &[config.into()]).map(|_| ())
    }
}

fn versions<'s>(scope: &Scope<'s, '_>) -> v8::Local<'s, v8::Object> {
    let versions = v8::Object::new(scope);
    let all = [
        ("node", NODE_VERSION),
        ("v8", v8::V8::get_version()),
        ("isolate-sidecar", env!("CARGO_PKG_VERSION")),
    ];
    for (name, version) in all {
        let version = string(scope, version);
        set(scope, versions, name, version.into());
    }
    versions
}

fn functions<'s>(scope: &Scope<'s, '_>, spec: &OpenSpec) -> v8::Local<'s, v8::Array> {
    let functions: Vec<v8::Local<'_, v8::Value>> = spec
        .functions
        .iter()
        .map(|function| {
            let object = v8::Object::new(scope);
            let name = string(scope, &function.name);
            set(scope, object, "name", name.into());
            let mode = match function.mode {
                CallMode::Sync => "sync",
                _ => "async",
            };
            let mode = string(scope, mode);
            set(scope, object, "mode", mode.into());
            object.into()
        })
        .collect();
    v8::Array::new_with_elements(scope, &functions)
}

/// Takes the hooks of a realm into its state.
pub(crate) fn adopt(
    scope: &Scope<'_, '_>,
    state: &State,
    hooks: v8::Local<'_, v8::Object>,
) -> bool {
    Hooks::new(scope, hooks).is_some_and(|hooks| state.hooks.set(hooks).is_ok())
}
