//! Import attributes: Node's docs, "Import attributes".

use host_bridge::resolver::ModuleFormat;

use super::thrown::{ErrorClass, throw};
use crate::Scope;
use crate::strings::text;

/// Stands for a `type` that is empty; no guest can write it.
const EMPTY: &str = "\0";

/// What stands behind `with`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attributes {
    /// The value of `type`; empty for none, [`EMPTY`] for an empty one.
    pub(crate) kind: String,
    /// The first that is not `type`, and its value.
    unknown: Option<(String, String)>,
}

impl Attributes {
    /// Those of an `import` statement: V8 lists key, value and position.
    pub(crate) fn of_statement(
        scope: &Scope<'_, '_>,
        list: v8::Local<'_, v8::FixedArray>,
    ) -> Attributes {
        let text_at = |at: usize| {
            let value = v8::Local::<v8::Value>::try_from(list.get(scope, at)?).ok()?;
            text(scope, value)
        };
        let mut attributes = Attributes::default();
        for index in (0..list.length()).step_by(3) {
            let value = text_at(index.saturating_add(1)).unwrap_or_default();
            attributes.add(text_at(index).unwrap_or_default(), value);
        }
        attributes
    }

    /// Those of `import()`: V8 lists key and value.
    pub(crate) fn of_expression(words: &[String]) -> Attributes {
        let mut attributes = Attributes::default();
        for pair in words.chunks(2) {
            if let [key, value] = pair {
                attributes.add(key.clone(), value.clone());
            }
        }
        attributes
    }

    fn add(&mut self, key: String, value: String) {
        if key == "type" {
            self.kind = if value.is_empty() {
                EMPTY.to_owned()
            } else {
                value
            };
        } else if self.unknown.is_none() {
            self.unknown = Some((key, value));
        }
    }

    /// JSON needs `type: 'json'`, and nothing else may have it. `None` means that an
    /// exception is pending.
    pub(crate) fn check(
        &self,
        scope: &mut Scope<'_, '_>,
        url: &str,
        format: Option<ModuleFormat>,
    ) -> Option<()> {
        let Some((code, message)) = self.complaint(url, format) else {
            return Some(());
        };
        throw(scope, ErrorClass::TypeError, code, &message);
        None
    }

    /// Whether there is none that nobody knows. `None` means that an exception is pending.
    pub(crate) fn check_keys(&self, scope: &mut Scope<'_, '_>, url: &str) -> Option<()> {
        match self.unknown {
            Some(_) => self.check(scope, url, None),
            None => Some(()),
        }
    }

    fn complaint(&self, url: &str, format: Option<ModuleFormat>) -> Option<(&'static str, String)> {
        if let Some((key, value)) = &self.unknown {
            return Some((
                "ERR_IMPORT_ATTRIBUTE_UNSUPPORTED",
                format!("Import attribute \"{key}\" with value \"{value}\" is not supported"),
            ));
        }
        let is_json = format == Some(ModuleFormat::Json);
        match (is_json, self.kind.as_str()) {
            (true, "json") | (false, "") => None,
            (true, "") => Some((
                "ERR_IMPORT_ASSERTION_TYPE_MISSING",
                format!("Module \"{url}\" needs an import attribute of type \"json\""),
            )),
            (false, "json") => Some((
                "ERR_IMPORT_ASSERTION_TYPE_FAILED",
                format!("Module \"{url}\" is not of type \"json\""),
            )),
            (_, kind) => Some((
                "ERR_IMPORT_ASSERTION_TYPE_UNSUPPORTED",
                format!(
                    "Import attribute type \"{}\" is unsupported",
                    if kind == EMPTY { "" } else { kind }
                ),
            )),
        }
    }
}
