//! The built-in modules that a session has.

use std::collections::HashMap;

/// Names of built-in modules.
#[derive(Debug, Clone, Default)]
pub struct Builtins {
    names: HashMap<String, Reach>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// `fs` and `node:fs`.
    WithOrWithoutScheme,
    /// `node:test` only.
    WithScheme,
}

impl Builtins {
    /// These modules. A name such as `fs` or `fs/promises` is reached with and without
    /// `node:`; one given as `node:test` only with it.
    pub fn new(names: impl IntoIterator<Item = impl AsRef<str>>) -> Builtins {
        let names = names
            .into_iter()
            .map(|name| match name.as_ref().strip_prefix("node:") {
                Some(name) => (name.to_owned(), Reach::WithScheme),
                None => (name.as_ref().to_owned(), Reach::WithOrWithoutScheme),
            })
            .collect();
        Builtins { names }
    }

    /// Whether `name`, given without `node:`, is one of them.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether a specifier without `node:` means a built-in module.
    #[must_use]
    pub fn is_bare_name(&self, specifier: &str) -> bool {
        self.names.get(specifier) == Some(&Reach::WithOrWithoutScheme)
    }
}
