//! Node's advice where an ES module uses what only CommonJS has.

use crate::Scope;
use crate::session::State;
use crate::strings::{key, string, text};
use host_bridge::reader::HostDirectories;

/// Names that only the wrapper of CommonJS defines.
const NAMES: [&str; 5] = ["require", "module", "exports", "__filename", "__dirname"];
/// Directories that are searched for a `package.json`.
const MAX_DIRECTORIES: usize = 4096;

/// Adds the advice to an error that an ES module threw; `url` is the module's that was asked
/// for.
pub(crate) fn advise(scope: &mut Scope<'_, '_>, thrown: v8::Local<'_, v8::Value>, url: &str) {
    let _ = advised(scope, thrown, url);
}

fn advised(scope: &mut Scope<'_, '_>, thrown: v8::Local<'_, v8::Value>, url: &str) -> Option<()> {
    let error = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    if !error.is_native_error() {
        return None;
    }
    // An own data property, or nothing: no code of the guest runs for this.
    let name = key(scope, "message");
    let descriptor = error.get_own_property_descriptor(scope, name)?;
    let descriptor = v8::Local::<v8::Object>::try_from(descriptor).ok()?;
    let value = key(scope, "value");
    if !descriptor.has_own_property(scope, value)? {
        return None;
    }
    let message = descriptor.get(scope, value.into())?;
    let message = text(scope, message)?;
    let missing = message.strip_suffix(" is not defined")?;
    if !NAMES.contains(&missing) {
        return None;
    }
    let mut advice = format!("{message} in ES module scope");
    if missing == "require" {
        advice.push_str(", you can use import instead");
    }
    let state = State::of(scope)?;
    if let Some(config) = declared_by(&state.modules.directories, url) {
        advice.push_str(&format!(
            "\nThis file is being treated as an ES module because it has a '.js' file extension \
             and '{config}' contains \"type\": \"module\". To treat it as a CommonJS script, \
             rename it to use the '.cjs' file extension."
        ));
    }
    let advice = string(scope, &advice);
    error.define_own_property(scope, name, advice.into(), v8::PropertyAttribute::DONT_ENUM)?;
    Some(())
}

/// The `package.json` that makes a `.js` file an ES module.
fn declared_by(directories: &HostDirectories, url: &str) -> Option<String> {
    let url = url.split('#').next()?.split('?').next()?;
    if !url.starts_with("file:") || !url.ends_with(".js") {
        return None;
    }
    let path = super::resolve::file_name(url);
    for (at, _) in path.rmatch_indices('/').take(MAX_DIRECTORIES) {
        let config = format!("{}/package.json", path.get(..at)?);
        if let Ok(contents) = directories.read(&config) {
            let config_value: serde_json::Value = serde_json::from_slice(contents.bytes()).ok()?;
            return (config_value.get("type")? == "module").then_some(config);
        }
    }
    None
}
