//! What Node makes of the errors of V8's compiler and linker: the place in the text at the
//! top of the stack, and advice where a CommonJS module lacks a named export.

use super::ModuleKey;
use super::attributes::Attributes;
use super::map::Origin;
use crate::Scope;
use crate::session::State;
use crate::strings::{key, string, text};
use host_bridge::resolver::ImportKind;

/// Longest line of source that an error shows, in UTF-16 units.
const MAX_LINE: usize = 4096;

/// Where an error points to.
struct Place {
    file: String,
    line: usize,
    source: String,
    start: usize,
    end: usize,
}

/// Runs `f`, which compiles CommonJS. A `SyntaxError` that it throws shows the place.
pub(crate) fn placed<'s, 'i, T>(
    scope: &mut Scope<'s, 'i>,
    f: impl for<'t> FnOnce(&mut Scope<'t, 'i>) -> Option<v8::Local<'t, T>>,
) -> Option<v8::Local<'s, T>> {
    let result = {
        let scope = std::pin::pin!(v8::TryCatch::new(scope));
        let scope = &mut scope.init();
        let result = f(scope).map(|value| v8::Global::new(scope, value));
        if result.is_none() && scope.has_caught() && !scope.has_terminated() {
            if let (Some(thrown), Some(message)) = (scope.exception(), scope.message()) {
                let place = Place::of(scope, message);
                show(scope, thrown, &place, "\n");
            }
            scope.rethrow();
            return None;
        }
        result
    };
    result.map(|value| v8::Local::new(scope, value))
}

/// Runs `f`, which links. Errors show the place, and say why a CommonJS module has no such
/// export.
pub(crate) fn explained<'i, T>(
    scope: &mut Scope<'_, 'i>,
    state: &State,
    f: impl for<'t> FnOnce(&mut Scope<'t, 'i>) -> Option<T>,
) -> Option<T> {
    let scope = std::pin::pin!(v8::TryCatch::new(scope));
    let scope = &mut scope.init();
    let result = f(scope);
    if result.is_none() && scope.has_caught() && !scope.has_terminated() {
        if let (Some(thrown), Some(message)) = (scope.exception(), scope.message()) {
            let place = Place::of(scope, message);
            explain(scope, state, thrown, &place);
        }
        scope.rethrow();
        return None;
    }
    result
}

impl Place {
    fn of(scope: &mut Scope<'_, '_>, message: v8::Local<'_, v8::Message>) -> Place {
        let file = message
            .get_script_resource_name(scope)
            .and_then(|name| text(scope, name));
        let source = message
            .get_source_line(scope)
            .filter(|line| line.length() <= MAX_LINE)
            .map(|line| line.to_rust_string_lossy(scope));
        Place {
            file: file.unwrap_or_default(),
            line: message.get_line_number(scope).unwrap_or_default(),
            source: source.unwrap_or_default(),
            start: message.get_start_column(),
            end: message.get_end_column(),
        }
    }

    /// The place as the first lines of a stack.
    fn lines(&self) -> String {
        let marks = self.end.saturating_sub(self.start).clamp(1, MAX_LINE);
        // Tabs stay, so that the marks stand below what they mark.
        let indent: String = self
            .source
            .chars()
            .take(self.start)
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        let (file, line, source) = (&self.file, self.line, &self.source);
        format!("{file}:{line}\n{source}\n{indent}{}\n", "^".repeat(marks))
    }
}

/// Puts the place in front of the stack of a `SyntaxError`.
fn show(
    scope: &mut Scope<'_, '_>,
    thrown: v8::Local<'_, v8::Value>,
    place: &Place,
    gap: &str,
) -> Option<()> {
    let error = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    if !error.is_native_error() || place.file.is_empty() {
        return None;
    }
    let message = error.get(scope, key(scope, "message").into())?;
    let message = text(scope, message)?;
    let stack = format!("{}{gap}SyntaxError: {message}", place.lines());
    define(scope, error, "stack", &stack)
}

/// Gives an error a property as its own constructor would.
fn define(
    scope: &mut Scope<'_, '_>,
    error: v8::Local<'_, v8::Object>,
    name: &str,
    value: &str,
) -> Option<()> {
    let (name, value) = (key(scope, name), string(scope, value));
    let attributes = v8::PropertyAttribute::DONT_ENUM;
    error.define_own_property(scope, name, value.into(), attributes)?;
    Some(())
}

/// An export that is missing in a CommonJS module: Node's advice.
fn explain(
    scope: &mut Scope<'_, '_>,
    state: &State,
    thrown: v8::Local<'_, v8::Value>,
    place: &Place,
) -> Option<()> {
    let error = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    let message = error.get(scope, key(scope, "message").into())?;
    let message = text(scope, message)?;
    if let Some((specifier, name)) = missing_export(&message)
        && is_common_js(scope, state, specifier, &place.file)
    {
        let mut advice = format!(
            "Named export '{name}' not found. The requested module '{specifier}' is a CommonJS \
             module, which may not support all module.exports as named exports.\nCommonJS \
             modules can always be imported via the default export, for example \
             using:\n\nimport pkg from '{specifier}';\n"
        );
        if let Some(names) = named_imports(&place.source) {
            advice.push_str(&format!("const {names} = pkg;\n"));
        }
        define(scope, error, "message", &advice)?;
    }
    show(scope, thrown, place, "")
}

/// Specifier and name out of V8's message.
fn missing_export(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("The requested module '")?;
    let (specifier, name) = rest.rsplit_once("' does not provide an export named '")?;
    Some((specifier, name.strip_suffix('\'')?))
}

/// The names between braces of an `import` as a pattern of a declaration.
fn named_imports(line: &str) -> Option<String> {
    let (start, end) = (line.find('{')?, line.rfind('}')?);
    let names = line.get(start..=end)?;
    let mut words = names.split_whitespace().peekable();
    let mut pattern = String::new();
    while let Some(word) = words.next() {
        if word == "as" && !pattern.is_empty() && words.peek().is_some() {
            pattern.push(':');
        } else {
            if !pattern.is_empty() {
                pattern.push(' ');
            }
            pattern.push_str(word);
        }
    }
    Some(pattern)
}

fn is_common_js(scope: &Scope<'_, '_>, state: &State, specifier: &str, referrer: &str) -> bool {
    let kind = ImportKind::Import;
    let Ok(target) = state.modules.resolve(specifier, referrer, kind) else {
        return false;
    };
    let key: ModuleKey = target.key(&Attributes::default());
    let mut map = state.modules.map.borrow_mut();
    let entry = map.get(scope, &key);
    entry.is_some_and(|entry| matches!(entry.origin, Origin::CommonJs { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_missing_export_is_taken_apart() {
        let message = "The requested module './it's.cjs' does not provide an export named 'a'";
        assert_eq!(missing_export(message), Some(("./it's.cjs", "a")));
        assert_eq!(missing_export("Unexpected token"), None);
    }

    #[test]
    fn names_become_a_pattern() {
        let line = "import x, { a as  b, c } from 'm';";
        assert_eq!(named_imports(line).as_deref(), Some("{ a: b, c }"));
        assert_eq!(named_imports("  a,"), None);
    }
}
