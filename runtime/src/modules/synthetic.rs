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
        Origin::CommonJs { path, module } => {
            let module = v8::Local::new(scope, module);
            hooks.import_common_js(scope, module, path, &names)?
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
