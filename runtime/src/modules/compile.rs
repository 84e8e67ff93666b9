//! From a target to a V8 module, not yet linked.

use std::rc::Rc;
use std::sync::Arc;

use super::Purpose;
use super::attributes::Attributes;
use super::cjs_names::look_through;
use super::detect::detect;
use super::language::javascript;
use super::map::{Entry, ModuleKey, Origin};
use super::resolve::{Target, TargetKind, file_name};
use super::source;
use super::text::SharedText;
use super::thrown::{ErrorClass, throw, throw_unreadable, throw_unresolved};
use crate::Scope;
use crate::callbacks;
use crate::session::State;
use crate::strings::string;
use host_bridge::ModuleOrigin;
use host_bridge::reader::FileContents;
use host_bridge::resolver::{ModuleFormat, ResolveError};

/// A compiled module and where its exports come from.
pub(crate) struct Compiled<'s> {
    pub(crate) module: v8::Local<'s, v8::Module>,
    pub(crate) origin: Origin,
    pub(crate) export_names: Vec<String>,
}

impl<'s> Compiled<'s> {
    /// A module that V8 evaluates.
    pub(crate) fn source_text(module: v8::Local<'s, v8::Module>) -> Compiled<'s> {
        Compiled {
            module,
            origin: Origin::SourceText,
            export_names: Vec::new(),
        }
    }

    pub(crate) fn into_entry(self, scope: &Scope<'_, '_>, key: Rc<ModuleKey>) -> Entry {
        Entry {
            key,
            module: v8::Global::new(scope, self.module),
            origin: self.origin,
            export_names: self.export_names,
            restored: false,
            is_known_async: false,
            imports: None,
        }
    }
}

/// Compiles what `target` names. `None` means that an exception is pending.
pub(crate) fn compile<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    attributes: &Attributes,
    purpose: Purpose<'_>,
) -> Option<Compiled<'s>> {
    let (path, format) = match &target.kind {
        TargetKind::Builtin(name) => {
            attributes.check(scope, &target.url, None)?;
            return builtin(scope, state, target, name);
        }
        TargetKind::File { path, format, .. } => (path, *format),
        TargetKind::Data { format, source } => {
            attributes.check(scope, &target.url, Some(*format))?;
            return data(scope, state, &target.url, *format, source);
        }
        TargetKind::Refused(error) => {
            // Of what has a format or is built in, the attributes are looked at first.
            if let ResolveError::UnknownFormat { .. } | ResolveError::UnknownBuiltin { .. } =
                **error
            {
                attributes.check_keys(scope, &target.url)?;
            }
            throw_unresolved(scope, error);
            return None;
        }
        TargetKind::Pinned => {
            let message = format!("The snapshot holds no module '{}'", target.url);
            throw(scope, ErrorClass::Error, "ERR_MODULE_NOT_FOUND", &message);
            return None;
        }
    };
    attributes.check(scope, &target.url, Some(format))?;
    let format = match format {
        ModuleFormat::Undeclared => detect(scope, state, path)?,
        declared => declared,
    };
    match format {
        ModuleFormat::EsModule => {
            let text = file_text(scope, state, path, format)?;
            let module = source::compile_module(scope, state, &text, &target.url)?;
            Some(Compiled::source_text(module))
        }
        ModuleFormat::CommonJs | ModuleFormat::Undeclared => {
            refuse_running(scope, state, path, purpose)?;
            let contents = read(scope, state, path)?;
            common_js(scope, state, target, path, &contents)
        }
        ModuleFormat::Json => {
            // Without query and fragment it is the value that `require` gives.
            let shared_as = Some(path.as_str()).filter(|_| !target.url.contains(['?', '#']));
            let text = file_text(scope, state, path, format)?.to_string(scope)?;
            let value = state
                .hooks
                .get()?
                .import_json(scope, path, text, shared_as)?;
            Some(json(scope, &target.url, value))
        }
        ModuleFormat::Wasm => {
            let contents = read(scope, state, path)?;
            wasm(scope, state, (path, &target.url), contents.bytes())
        }
    }
}

/// Reads a module's file, and counts it.
pub(crate) fn read(scope: &mut Scope<'_, '_>, state: &State, path: &str) -> Option<FileContents> {
    match state.modules.directories.read_found(path) {
        Ok(contents) => {
            state.modules.count(state, ModuleOrigin::Reader, path);
            Some(contents)
        }
        Err(error) => {
            throw_unreadable(scope, path, error);
            None
        }
    }
}

/// The text of a file, in JavaScript, for the grammar of `format`: the one place where it is
/// obtained.
pub(crate) fn file_text(
    scope: &mut Scope<'_, '_>,
    state: &State,
    path: &str,
    format: ModuleFormat,
) -> Option<Arc<SharedText>> {
    let contents = read(scope, state, path)?;
    javascript(scope, &state.modules, path, format, &contents)
}

/// An ES module from text that is no file's.
pub(crate) fn source_text<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
    url: &str,
) -> Option<Compiled<'s>> {
    let module = source::compile_module_bytes(scope, bytes, url)?;
    Some(Compiled::source_text(module))
}

/// An ES module that is required must not import the CommonJS module that requires it.
fn refuse_running(
    scope: &mut Scope<'_, '_>,
    state: &State,
    path: &str,
    purpose: Purpose<'_>,
) -> Option<()> {
    let Purpose::Require {
        parent: Some((specifier, referrer)),
    } = purpose
    else {
        return Some(());
    };
    if state.hooks.get()?.is_running(scope, path)? {
        let importer = file_name(referrer);
        let message =
            format!("Cannot import CommonJS Module {specifier} in a cycle. (from {importer})");
        let code = "ERR_REQUIRE_CYCLE_MODULE";
        throw(scope, ErrorClass::Error, code, &message);
        return None;
    }
    Some(())
}

fn common_js<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    path: &str,
    contents: &FileContents,
) -> Option<Compiled<'s>> {
    let found = look_through(state, path, contents);
    let hooks = state.hooks.get()?;
    let module = hooks.place_common_js(scope, &found.files)?;
    let origin = Origin::CommonJs {
        path: path.to_owned(),
        module: v8::Global::new(scope, module),
        names_default: found.names.iter().any(|name| name == "default"),
    };
    Some(synthetic(scope, &target.url, origin, found.names))
}

/// The module in a `data:` URL.
fn data<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    url: &str,
    format: ModuleFormat,
    source: &[u8],
) -> Option<Compiled<'s>> {
    match format {
        ModuleFormat::EsModule | ModuleFormat::CommonJs | ModuleFormat::Undeclared => {
            source_text(scope, source, url)
        }
        ModuleFormat::Json => {
            let text = source::source_string(scope, source)?;
            let value = state.hooks.get()?.import_json(scope, url, text, None)?;
            Some(json(scope, url, value))
        }
        ModuleFormat::Wasm => wasm(scope, state, (url, url), source),
    }
}

fn json<'s>(scope: &mut Scope<'s, '_>, url: &str, value: v8::Local<'s, v8::Value>) -> Compiled<'s> {
    let origin = Origin::Value(v8::Global::new(scope, value));
    synthetic(scope, url, origin, Vec::new())
}

/// A WebAssembly module: its imports are modules, its exports those of the instance. `name`
/// is what errors call it.
fn wasm<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    (name, url): (&str, &str),
    bytes: &[u8],
) -> Option<Compiled<'s>> {
    let parts = state.hooks.get()?.import_wasm(scope, name, bytes)?;
    let compiled = parts.get_index(scope, 0)?;
    let mut lists = [Vec::new(), Vec::new()];
    for (index, list) in (1u32..).zip(&mut lists) {
        let names = parts.get_index(scope, index)?;
        *list = array_texts(scope, v8::Local::<v8::Array>::try_from(names).ok()?);
    }
    let [imports, exports] = lists;
    let text = wasm_text(&imports, &exports);
    let module = source_text(scope, text.as_bytes(), url)?.module;
    Some(Compiled {
        module,
        origin: Origin::Wasm(v8::Global::new(scope, compiled)),
        export_names: Vec::new(),
    })
}

/// A module that instantiates: `import.meta` of such a module has the means.
fn wasm_text(imports: &[String], exports: &[String]) -> String {
    let mut text = String::new();
    let mut given = String::new();
    for (index, name) in imports.iter().enumerate() {
        let name = quoted(name);
        text.push_str(&format!("import * as i{index} from {name};\n"));
        given.push_str(&format!("[{name}]: i{index}, "));
    }
    text.push_str(&format!(
        "const e = import.meta.instantiate({{ __proto__: null, {given}}});\n"
    ));
    for (index, name) in exports.iter().enumerate() {
        let name = quoted(name);
        text.push_str(&format!(
            "const x{index} = e[{name}];\nexport {{ x{index} as {name} }};\n"
        ));
    }
    text
}

/// A string literal of JavaScript. A key in brackets is never `__proto__: value`.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '/' | '-' | '_' | ':' => {
                literal.push(letter);
            }
            other => literal.push_str(&format!("\\u{{{:x}}}", u32::from(other))),
        }
    }
    literal.push('"');
    literal
}

fn builtin<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    name: &str,
) -> Option<Compiled<'s>> {
    let exports = state.hooks.get()?.builtin(scope, name)?;
    let names = v8::Local::<v8::Object>::try_from(exports)
        .ok()
        .and_then(|exports| {
            exports.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())
        })
        .map(|names| array_texts(scope, names))
        .unwrap_or_default();
    let origin = Origin::Builtin {
        name: name.to_owned(),
    };
    Some(synthetic(scope, &target.url, origin, names))
}

fn array_texts(scope: &mut Scope<'_, '_>, array: v8::Local<'_, v8::Array>) -> Vec<String> {
    (0..array.length())
        .filter_map(|index| array.get_index(scope, index))
        .filter_map(|name| crate::strings::text(scope, name))
        .collect()
}

fn synthetic<'s>(
    scope: &mut Scope<'s, '_>,
    url: &str,
    origin: Origin,
    mut names: Vec<String>,
) -> Compiled<'s> {
    // The whole comes first, as the hooks give the values.
    names.retain(|name| name != "default");
    names.insert(0, "default".to_owned());
    let exports: Vec<v8::Local<'_, v8::String>> =
        names.iter().map(|name| string(scope, name)).collect();
    let url = string(scope, url);
    let module =
        v8::Module::create_synthetic_module(scope, url, &exports, callbacks::evaluate_synthetic);
    Compiled {
        module,
        origin,
        export_names: names,
    }
}
