//! What an SDK gets while a snapshot is made of it: the files of the directories that its
//! modules come from, only to be read, and a constructor that V8 keeps from the realm.

use host_bridge::reader::FileKind;

use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::strings::string;
use crate::value::bytes_to_view;

pub(crate) fn natives() -> Vec<Native> {
    table! {
        "lentFile" => lent_file,
        "sharedBuffer" => shared_buffer,
    }
}

/// `lentFile(path, wantsBytes)` → `[kind, realPath, size, bytes]`, or undefined where the
/// directories have no such file.
fn lent_file<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let path = state
        .modules
        .path_of(&args.get(0).to_rust_string_lossy(scope));
    let Ok(entry) = state.modules.directories.lookup(&path) else {
        return;
    };
    let undefined = v8::undefined(scope).into();
    let mut parts: [v8::Local<'_, v8::Value>; 4] = [undefined; 4];
    parts[1] = string(scope, &entry.real_path).into();
    parts[2] = v8::Integer::new(scope, 0).into();
    parts[0] = match entry.kind {
        FileKind::Directory => string(scope, "directory").into(),
        FileKind::File => {
            let Ok(contents) = state.modules.directories.read(&path) else {
                return;
            };
            let size = u32::try_from(contents.bytes().len()).map_or(f64::MAX, f64::from);
            parts[2] = v8::Number::new(scope, size).into();
            if args.get(1).is_true() {
                let Some(view) = bytes_to_view(scope, contents.bytes()) else {
                    return;
                };
                parts[3] = view.into();
            }
            string(scope, "file").into()
        }
    };
    result.set(v8::Array::new_with_elements(scope, &parts).into());
}

/// `sharedBuffer()` → an empty `SharedArrayBuffer`, which knows its constructor.
fn shared_buffer<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    if let Some(buffer) = v8::SharedArrayBuffer::new(scope, 0) {
        result.set(buffer.into());
    }
}
