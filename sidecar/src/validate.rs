//! Fields of a well-formed frame that must make sense before anything is started.

use std::collections::HashSet;

use protocol::bounds::{MAX_GROUP, MAX_NAME, MAX_PATH};
use protocol::{EnvVar, HostFunction, Isolation, Jsx, ModuleOptions, Root, is_group_name};

/// A field has a value that the request does not allow. The text names the field, the
/// value and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidArgument {
    #[error("roots: the host directory {0:?} is not an absolute path")]
    HostPath(String),
    #[error(
        "{field}: the guest path {path:?} is not absolute and normalised (such as /app: no \
         empty part, no `.` or `..`, no trailing slash)"
    )]
    GuestPath { field: &'static str, path: String },
    #[error("roots: the guest path {0:?} is given twice")]
    RepeatedRoot(String),
    #[error("functions: a name is empty")]
    UnnamedFunction,
    #[error("functions: the name {0:?} is given twice")]
    RepeatedFunction(String),
    #[error("env: the name {0:?} is empty or has `=` or a NUL in it")]
    EnvName(String),
    #[error("env: the value of {0:?} has a NUL in it")]
    EnvValue(String),
    #[error("{0}: a text has a NUL in it")]
    Nul(&'static str),
    #[error("conditions: a condition is empty")]
    EmptyCondition,
    #[error(
        "modules: the import source of JSX {0:?} is empty, relative or absolute: it is a package"
    )]
    JsxImportSource(String),
    #[error("modules: the {field} of JSX {name:?} is not a name such as React.createElement")]
    JsxName { field: &'static str, name: String },
    #[error(
        "isolation: the group {0:?} is not named by 1 to {MAX_GROUP} characters of A-Z, a-z, 0-9, \
         `.`, `_` and `-`"
    )]
    Group(String),
    #[error("entries and script: nothing is to be evaluated")]
    NothingToEvaluate,
}

/// Directories: absolute on the host; absolute, normalised and different for the guest.
pub(crate) fn roots(roots: &[Root]) -> Result<(), InvalidArgument> {
    let mut seen = HashSet::new();
    for root in roots {
        if !root.host.starts_with('/') || root.host.contains('\0') {
            return Err(InvalidArgument::HostPath(root.host.clone()));
        }
        guest_path("roots", &root.guest)?;
        if !seen.insert(root.guest.as_str()) {
            return Err(InvalidArgument::RepeatedRoot(root.guest.clone()));
        }
    }
    Ok(())
}

/// A path as the guest sees it.
pub(crate) fn guest_path(field: &'static str, path: &str) -> Result<(), InvalidArgument> {
    let is_normalised = path == "/"
        || path.strip_prefix('/').is_some_and(|rest| {
            rest.split('/')
                .all(|part| !part.is_empty() && part != "." && part != "..")
        });
    if is_normalised && !path.contains('\0') {
        Ok(())
    } else {
        Err(InvalidArgument::GuestPath {
            field,
            path: path.to_owned(),
        })
    }
}

/// Host functions: named, each once.
pub(crate) fn functions(functions: &[HostFunction]) -> Result<(), InvalidArgument> {
    let mut seen = HashSet::new();
    for function in functions {
        if function.name.is_empty() {
            return Err(InvalidArgument::UnnamedFunction);
        }
        if !seen.insert(function.name.as_str()) {
            return Err(InvalidArgument::RepeatedFunction(function.name.clone()));
        }
    }
    Ok(())
}

/// Environment variables that any process could have. A name given twice takes its last
/// value, as with `env`.
pub(crate) fn env(env: &[EnvVar]) -> Result<(), InvalidArgument> {
    for var in env {
        if var.name.is_empty() || var.name.contains(['=', '\0']) {
            return Err(InvalidArgument::EnvName(var.name.clone()));
        }
        if var.value.contains('\0') {
            return Err(InvalidArgument::EnvValue(var.name.clone()));
        }
    }
    Ok(())
}

/// Arguments that any process could have.
pub(crate) fn argv(argv: &[String]) -> Result<(), InvalidArgument> {
    if argv.iter().any(|arg| arg.contains('\0')) {
        return Err(InvalidArgument::Nul("argv"));
    }
    Ok(())
}

/// Names of conditions in `exports` and `imports`.
pub(crate) fn conditions(conditions: &[String]) -> Result<(), InvalidArgument> {
    if conditions.iter().any(String::is_empty) {
        return Err(InvalidArgument::EmptyCondition);
    }
    Ok(())
}

/// Groups of sessions: plainly named.
pub(crate) fn isolation(isolation: &Isolation) -> Result<(), InvalidArgument> {
    match isolation {
        Isolation::Group(name) if !is_group_name(name) => Err(InvalidArgument::Group(name.clone())),
        _ => Ok(()),
    }
}

/// Options of modules that no session is opened with.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BadModuleOptions(InvalidArgument);

/// What a session would be refused for, before a sidecar is started for it.
///
/// # Errors
///
/// [`BadModuleOptions`] names the option and the rule.
pub fn check_module_options(options: &ModuleOptions) -> Result<(), BadModuleOptions> {
    modules(options).map_err(BadModuleOptions)
}

/// What elements become must be something that code can name.
pub(crate) fn modules(modules: &ModuleOptions) -> Result<(), InvalidArgument> {
    match &modules.jsx {
        Jsx::Off => Ok(()),
        Jsx::Automatic { import_source } => {
            let is_package = !import_source.is_empty()
                && import_source.len() <= MAX_PATH
                && !import_source.starts_with(['.', '/'])
                && !import_source.contains(char::is_control);
            match is_package {
                true => Ok(()),
                false => Err(InvalidArgument::JsxImportSource(import_source.clone())),
            }
        }
        Jsx::Classic { factory, fragment } => {
            dotted_name("factory", factory)?;
            dotted_name("fragment", fragment)
        }
    }
}

/// Identifiers of ASCII with dots between.
fn dotted_name(field: &'static str, name: &str) -> Result<(), InvalidArgument> {
    let is_identifier = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    match name.len() <= MAX_NAME && name.split('.').all(is_identifier) {
        true => Ok(()),
        false => Err(InvalidArgument::JsxName {
            field,
            name: name.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use protocol::{CallMode, ValueFormat};

    use super::*;

    fn root(host: &str, guest: &str) -> Root {
        Root {
            host: host.to_owned(),
            guest: guest.to_owned(),
        }
    }

    #[test]
    fn guest_paths_are_absolute_and_normalised() {
        for good in ["/", "/app", "/app/src", "/.hidden", "/a..b"] {
            assert_eq!(guest_path("cwd", good), Ok(()), "{good}");
        }
        for bad in [
            "", "app", "/app/", "//app", "/a/./b", "/a/../b", "/..", "/a\0",
        ] {
            assert!(guest_path("cwd", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn roots_differ_and_are_absolute() {
        assert_eq!(roots(&[root("/a", "/app"), root("/a", "/lib")]), Ok(()));
        assert!(roots(&[root("a", "/app")]).is_err());
        assert!(roots(&[root("/a", "app")]).is_err());
        assert!(roots(&[root("/a", "/app"), root("/b", "/app")]).is_err());
    }

    #[test]
    fn functions_are_named_once() {
        let named = |name: &str| HostFunction {
            name: name.to_owned(),
            mode: CallMode::Sync,
            format: ValueFormat::Json,
        };
        assert_eq!(functions(&[named("a"), named("b")]), Ok(()));
        assert!(functions(&[named("a"), named("a")]).is_err());
        assert!(functions(&[named("")]).is_err());
    }

    #[test]
    fn env_is_what_a_process_could_have() {
        let var = |name: &str, value: &str| EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(env(&[var("A", "b=c"), var("A", "")]), Ok(()));
        for bad in [
            var("", "b"),
            var("A=", "b"),
            var("A\0", "b"),
            var("A", "\0"),
        ] {
            assert!(env(std::slice::from_ref(&bad)).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn elements_become_what_code_can_name() {
        let check = |jsx| {
            modules(&ModuleOptions {
                jsx,
                ..ModuleOptions::default()
            })
        };
        let automatic = |source: &str| Jsx::Automatic {
            import_source: source.to_owned(),
        };
        let classic = |factory: &str, fragment: &str| Jsx::Classic {
            factory: factory.to_owned(),
            fragment: fragment.to_owned(),
        };
        for good in [
            Jsx::Off,
            automatic("react"),
            automatic("@scope/ui"),
            classic("h", "Fragment"),
            classic("React.createElement", "React.Fragment"),
        ] {
            assert_eq!(check(good.clone()), Ok(()), "{good:?}");
        }
        for bad in [
            automatic(""),
            automatic("./ui"),
            automatic("/ui"),
            automatic("a\nb"),
            classic("", "F"),
            classic("h", "a."),
            classic("h()", "F"),
            classic("1", "F"),
        ] {
            assert!(check(bad.clone()).is_err(), "{bad:?}");
        }
    }
}
