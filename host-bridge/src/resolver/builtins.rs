//! The built-in modules that a session has.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::Resolver;

/// Names of built-in modules. [`Builtins::default`] has none until they are told.
#[derive(Debug, Clone, Default)]
pub struct Builtins {
    names: OnceLock<HashMap<String, Reach>>,
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
        let builtins = Builtins::default();
        builtins.tell(names);
        builtins
    }

    /// Gives names to what has none yet.
    fn tell(&self, names: impl IntoIterator<Item = impl AsRef<str>>) {
        let names = names.into_iter();
        let names: HashMap<String, Reach> = names
            .map(|name| match name.as_ref().strip_prefix("node:") {
                Some(name) => (name.to_owned(), Reach::WithScheme),
                None => (name.as_ref().to_owned(), Reach::WithOrWithoutScheme),
            })
            .collect();
        if !names.is_empty() {
            self.names.get_or_init(|| names);
        }
    }

    /// Whether `name`, given without `node:`, is one of them.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.reach(name).is_some()
    }

    /// Whether a specifier without `node:` means a built-in module.
    #[must_use]
    pub fn is_bare_name(&self, specifier: &str) -> bool {
        self.reach(specifier) == Some(Reach::WithOrWithoutScheme)
    }

    fn reach(&self, name: &str) -> Option<Reach> {
        self.names.get()?.get(name).copied()
    }
}

impl Resolver {
    /// Names the built-in modules of a resolver that was made before they were known.
    pub fn tell_builtins(&self, names: impl IntoIterator<Item = impl AsRef<str>>) {
        self.builtins.tell(names);
    }
}
