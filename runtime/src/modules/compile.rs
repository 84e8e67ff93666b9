//! From a target to a V8 module, not yet linked.

use std::collections::HashSet;

use super::language::javascript;
use super::map::{Entry, ModuleKey, Origin};
use super::resolve::{Target, TargetKind, throw_unreadable};
use super::source::{self, source_string};
use crate::Scope;
use crate::callbacks;
use crate::session::State;
use crate::strings::{ErrorClass, string, throw};
use host_bridge::ModuleOrigin;
use host_bridge::cjs_lexer;
use host_bridge::reader::FileContents;
use host_bridge::resolver::{ImportKind, ModuleFormat, Referrer, Resolved};

/// Reexports of CommonJS that are followed, in all.
const MAX_REEXPORTS: usize = 256;

/// A compiled module and where its exports come from.
pub(crate) struct Compiled<'s> {
    pub(crate) module: v8::Local<'s, v8::Module>,
    pub(crate) origin: Origin,
    pub(crate) export_names: Vec<String>,
}

impl Compiled<'_> {
    pub(crate) fn into_entry(self, scope: &Scope<'_, '_>, key: ModuleKey) -> Entry {
        Entry {
            key,
            module: v8::Global::new(scope, self.module),
            origin: self.origin,
            export_names: self.export_names,
            restored: false,
        }
    }
}

/// Compiles what `target` names. `None` means that an exception is pending.
pub(crate) fn compile<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    attribute: &str,
) -> Option<Compiled<'s>> {
    let (path, format) = match &target.kind {
        TargetKind::Builtin(name) => return builtin(scope, state, target, name),
        TargetKind::File { path, format, .. } => (path, *format),
        TargetKind::Pinned => {
            let message = format!("The snapshot holds no module '{}'", target.url);
            throw(scope, ErrorClass::Error, "ERR_MODULE_NOT_FOUND", &message);
            return None;
        }
    };
    check_attribute(scope, target, format, attribute)?;
    let contents = read(scope, state, path)?;
    match format {
        ModuleFormat::EsModule => {
            let source = javascript(scope, &state.modules, path, format, &contents)?;
            source_text(scope, &source, &target.url)
        }
        ModuleFormat::CommonJs | ModuleFormat::Undeclared => {
            common_js(scope, state, target, path, &contents)
        }
        ModuleFormat::Json => json(scope, target, path, &contents),
        ModuleFormat::Wasm => {
            let message = format!("Unknown file extension \".wasm\" for {path}");
            let code = "ERR_UNKNOWN_FILE_EXTENSION";
            throw(scope, ErrorClass::TypeError, code, &message);
            None
        }
    }
}

/// Node's docs, "Import attributes": JSON needs `type: 'json'`, and nothing else may have it.
fn check_attribute(
    scope: &Scope<'_, '_>,
    target: &Target,
    format: ModuleFormat,
    attribute: &str,
) -> Option<()> {
    let (code, message) = match (format, attribute) {
        (ModuleFormat::Json, "json") => return Some(()),
        (ModuleFormat::Json, "") => (
            "ERR_IMPORT_ATTRIBUTE_MISSING",
            format!(
                "Module \"{}\" needs an import attribute of \"type: json\"",
                target.url
            ),
        ),
        (_, "") => return Some(()),
        (_, "json") => (
            "ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE",
            format!("Module \"{}\" is not of type \"json\"", target.url),
        ),
        _ => (
            "ERR_IMPORT_ATTRIBUTE_UNSUPPORTED",
            format!("Import attribute \"type\" with value \"{attribute}\" is not supported"),
        ),
    };
    throw(scope, ErrorClass::TypeError, code, &message);
    None
}

/// Reads a module's file, and counts it.
pub(crate) fn read(scope: &Scope<'_, '_>, state: &State, path: &str) -> Option<FileContents> {
    match state.modules.directories.read(path) {
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

/// An ES module from its text.
pub(crate) fn source_text<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
    url: &str,
) -> Option<Compiled<'s>> {
    let module = source::compile_module(scope, bytes, url)?;
    Some(Compiled {
        module,
        origin: Origin::SourceText,
        export_names: Vec::new(),
    })
}

fn common_js<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    path: &str,
    contents: &FileContents,
) -> Option<Compiled<'s>> {
    // What cannot be translated is thrown here, before anything is run.
    javascript(
        scope,
        &state.modules,
        path,
        ModuleFormat::CommonJs,
        contents,
    )?;
    let names = named_exports(state, path, contents);
    let origin = Origin::CommonJs {
        path: path.to_owned(),
    };
    Some(synthetic(scope, &target.url, origin, names))
}

fn json<'s>(
    scope: &mut Scope<'s, '_>,
    target: &Target,
    path: &str,
    contents: &FileContents,
) -> Option<Compiled<'s>> {
    let text = source_string(scope, contents.bytes())?;
    let parsed = {
        let scope = std::pin::pin!(v8::TryCatch::new(scope));
        let scope = &mut scope.init();
        v8::json::parse(scope, text).map(|value| v8::Global::new(scope, value))
    };
    let Some(value) = parsed else {
        let message = format!("{path}: the file is not valid JSON");
        throw(scope, ErrorClass::SyntaxError, "", &message);
        return None;
    };
    Some(synthetic(
        scope,
        &target.url,
        Origin::Value(value),
        Vec::new(),
    ))
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
    names.retain(|name| name != "default");
    names.push("default".to_owned());
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

/// Export names of a CommonJS file, those of the files that it reexports included. Like in
/// Node they are found without running it; what cannot be found is simply no named export.
fn named_exports(state: &State, path: &str, contents: &FileContents) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = HashSet::from([path.to_owned()]);
    let mut queue = vec![(path.to_owned(), contents.clone())];
    while let Some((path, contents)) = queue.pop() {
        let format = ModuleFormat::CommonJs;
        let Ok(source) = state.modules.javascript(&path, format, &contents) else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(&source) else {
            continue;
        };
        let Ok(found) = cjs_lexer::named_exports(text) else {
            continue;
        };
        names.extend(found.exports);
        for specifier in found.reexports {
            if seen.len() > MAX_REEXPORTS {
                break;
            }
            if let Some((path, contents)) = reexported(state, &path, &specifier)
                && seen.insert(path.clone())
            {
                queue.push((path, contents));
            }
        }
    }
    let mut unique = HashSet::new();
    names.retain(|name| unique.insert(name.clone()));
    names
}

fn reexported(state: &State, path: &str, specifier: &str) -> Option<(String, FileContents)> {
    let referrer = Referrer::new(path).ok()?;
    let resolver = &state.modules.resolver;
    match resolver
        .resolve(specifier, &referrer, ImportKind::Require)
        .ok()?
    {
        Resolved::File {
            path,
            format: ModuleFormat::CommonJs | ModuleFormat::Undeclared,
            ..
        } => {
            let contents = state.modules.directories.read(&path).ok()?;
            Some((path, contents))
        }
        _ => None,
    }
}
