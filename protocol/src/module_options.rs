//! What a session makes of modules that are not JavaScript.

use crate::bounds::{MAX_NAME, MAX_PATH};
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError};

/// How the modules of a session are translated to JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ModuleOptions {
    /// What becomes of TypeScript.
    pub typescript: TypeScript,
    /// What becomes of elements in `.jsx` and `.tsx`.
    pub jsx: Jsx,
}

/// What becomes of TypeScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TypeScript {
    /// Types are blanked in place; what needs code in its place, such as `enum`, is refused.
    #[default]
    Strip,
    /// What needs code in its place is rewritten.
    Transform,
}

/// What becomes of elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Jsx {
    /// Files with elements are refused.
    #[default]
    Off,
    /// Calls of `jsx` and `jsxs`, imported from `<import_source>/jsx-runtime`.
    Automatic {
        /// A package, such as `react`.
        import_source: String,
    },
    /// Calls of a function that the module has in scope.
    Classic {
        /// The function, such as `React.createElement`.
        factory: String,
        /// What stands for `<>`, such as `React.Fragment`.
        fragment: String,
    },
}

impl Jsx {
    /// [`Jsx::Automatic`] with React's runtime.
    #[must_use]
    pub fn automatic() -> Jsx {
        Jsx::Automatic {
            import_source: "react".to_owned(),
        }
    }

    /// [`Jsx::Classic`] with React's functions.
    #[must_use]
    pub fn classic() -> Jsx {
        Jsx::Classic {
            factory: "React.createElement".to_owned(),
            fragment: "React.Fragment".to_owned(),
        }
    }
}

impl Wire for ModuleOptions {
    fn load(src: &mut Reader) -> Result<ModuleOptions, FrameError> {
        Ok(ModuleOptions {
            typescript: TypeScript::load(src)?,
            jsx: Jsx::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.typescript.encode(dst)?;
        self.jsx.encode(dst)
    }
}

impl Wire for TypeScript {
    fn load(src: &mut Reader) -> Result<TypeScript, FrameError> {
        match src.tag("module_options.typescript")? {
            0 => Ok(TypeScript::Strip),
            1 => Ok(TypeScript::Transform),
            other => Err(unknown_tag("module_options.typescript", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.tag(match self {
            TypeScript::Strip => 0,
            TypeScript::Transform => 1,
        });
        Ok(())
    }
}

impl Wire for Jsx {
    fn load(src: &mut Reader) -> Result<Jsx, FrameError> {
        match src.tag("module_options.jsx")? {
            0 => Ok(Jsx::Off),
            1 => Ok(Jsx::Automatic {
                import_source: src.text("jsx.import_source", MAX_PATH)?,
            }),
            2 => Ok(Jsx::Classic {
                factory: src.text("jsx.factory", MAX_NAME)?,
                fragment: src.text("jsx.fragment", MAX_NAME)?,
            }),
            other => Err(unknown_tag("module_options.jsx", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Jsx::Off => dst.tag(0),
            Jsx::Automatic { import_source } => {
                dst.tag(1);
                dst.text("jsx.import_source", MAX_PATH, import_source)?;
            }
            Jsx::Classic { factory, fragment } => {
                dst.tag(2);
                dst.text("jsx.factory", MAX_NAME, factory)?;
                dst.text("jsx.fragment", MAX_NAME, fragment)?;
            }
        }
        Ok(())
    }
}
