//! What V8 asks of modules while they run: the exports of those that have no text of their
//! own, and `import.meta`.

use super::map::Origin;
use super::thrown::{ErrorClass, throw};
use crate::Scope;
use crate::bootstrap::MetaOf;
use crate::session::State;
use crate::strings::string;

/// V8 runs a synthetic module: its exports are taken from where they come from.
pub(crate) fn evaluate_synthetic<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    let state = State::of(scope)?;
    let (origin, names) = {
        let mut map = state.modules.map.borrow_mut();
        match map.find(scope, module) {
            Some(entry) => (entry.origin.clone(), entry.export_names.clone()),
            None => {
                drop(map);
                let message = "A module that has been replaced cannot be evaluated";
                throw(scope, ErrorClass::Error, "ERR_MODULE_NOT_FOUND", message);
                return None;
            }
        }
    };
    let hooks = state.hooks.get()?;
    let undefined = v8::undefined(scope).into();
    let values = match &origin {
        Origin::SourceText | Origin::Wasm(_) => return Some(undefined),
        Origin::CommonJs {
            path,
            module,
            names_default,
        } => {
            let module = v8::Local::new(scope, module);
            // That it is looked for matters where there are no exports to look in.
            let mut wanted = names.clone();
            wanted.extend(names_default.then(|| "default".to_owned()));
            hooks.import_common_js(scope, module, path, &wanted)?
        }
        Origin::Builtin { name } => {
            let exports = hooks.builtin(scope, name)?;
            builtin_values(scope, exports, &names)?
        }
        Origin::Value(value) => {
            let value = v8::Local::new(scope, value);
            v8::Array::new_with_elements(scope, &[value])
        }
    };
    for (index, name) in (0u32..).zip(&names) {
        let value = values.get_index(scope, index)?;
        let name = string(scope, name);
        module.set_synthetic_module_export(scope, name, value)?;
    }
    Some(undefined)
}

/// The exports of a built-in module, and what stands in them under all but the first of
/// `names`.
fn builtin_values<'s>(
    scope: &mut Scope<'s, '_>,
    exports: v8::Local<'s, v8::Value>,
    names: &[String],
) -> Option<v8::Local<'s, v8::Array>> {
    let mut values = vec![exports];
    let object = v8::Local::<v8::Object>::try_from(exports).ok();
    for name in names.iter().skip(1) {
        let name = string(scope, name);
        values.push(match object {
            Some(object) => object.get(scope, name.into())?,
            None => v8::undefined(scope).into(),
        });
    }
    Some(v8::Array::new_with_elements(scope, &values))
}

/// `syncBuiltinESMExports`: what a guest has changed in built-in modules is exported from now
/// on. `None` means that an exception is pending.
pub(crate) fn sync_builtins(scope: &mut Scope<'_, '_>, state: &State) -> Option<()> {
    let keys = state.modules.map.borrow().builtin_keys();
    for key in keys {
        let module = {
            let mut map = state.modules.map.borrow_mut();
            let entry = map.get(scope, &key)?;
            v8::Local::new(scope, &entry.module)
        };
        if module.get_status() == v8::ModuleStatus::Evaluated {
            let name = key.url.strip_prefix("node:").unwrap_or_default();
            sync_builtin(scope, state, module, name)?;
        }
    }
    Some(())
}

fn sync_builtin<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    module: v8::Local<'s, v8::Module>,
    name: &str,
) -> Option<()> {
    let exports = state.hooks.get()?.builtin(scope, name)?;
    let exports = v8::Local::<v8::Object>::try_from(exports).ok()?;
    let namespace = v8::Local::<v8::Object>::try_from(module.get_module_namespace()).ok()?;
    let names = namespace.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())?;
    for index in 0..names.length() {
        let key = v8::Local::<v8::String>::try_from(names.get_index(scope, index)?).ok()?;
        if key.to_rust_string_lossy(scope) == "default" {
            continue;
        }
        let value = if exports.has_own_property(scope, key.into())? {
            exports.get(scope, key.into())?
        } else {
            v8::undefined(scope).into()
        };
        module.set_synthetic_module_export(scope, key, value)?;
    }
    Some(())
}

/// `import.meta` of a module. Node's docs, "import.meta".
pub(crate) fn init_import_meta<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    meta: v8::Local<'s, v8::Object>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let (place, origin) = {
        let mut map = state.modules.map.borrow_mut();
        let main = map.main.clone();
        let Some(entry) = map.find(scope, module) else {
            return;
        };
        let place = MetaOf {
            is_main: main.as_ref() == Some(&entry.key.url),
            url: entry.key.url.clone(),
        };
        (place, entry.origin.clone())
    };
    let Some(hooks) = state.hooks.get() else {
        return;
    };
    match origin {
        Origin::Wasm(compiled) => {
            let compiled = v8::Local::new(scope, compiled);
            hooks.init_wasm_meta(scope, meta, compiled);
        }
        _ => hooks.init_import_meta(scope, meta, &place),
    }
}
