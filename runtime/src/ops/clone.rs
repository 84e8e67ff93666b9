//! Structured clone within a session. What the engine takes for a plain object and is an
//! instance of one of our classes, a `Blob` or a `MessagePort`, is copied by the realm.

use std::cell::RefCell;
use std::rc::Rc;

use v8::{ValueDeserializerHelper, ValueSerializerHelper};

use crate::Scope;
use crate::externals::{Native, table};
use crate::value::{not_cloneable, throw_not_cloneable};

pub(super) fn natives() -> Vec<Native> {
    table! {
        "structuredClone" => structured_clone,
    }
}

/// `structuredClone(value, buffers, isOurs, copy)`: the buffers are copied and then detached.
/// `isOurs(object)` says which objects `copy(object)` copies; without the two there are none.
fn structured_clone<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let function = |value| {
        let function = v8::Local::<v8::Function>::try_from(value).ok()?;
        Some(v8::Global::new(scope, function))
    };
    let ours = Ours {
        is_ours: function(args.get(2)),
        copy: function(args.get(3)),
        objects: Rc::default(),
    };
    let Some(cloned) = cloned(scope, args.get(0), &ours) else {
        return;
    };
    detach(scope, args.get(1));
    result.set(cloned);
}

fn cloned<'s>(
    scope: &mut Scope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    ours: &Ours,
) -> Option<v8::Local<'s, v8::Value>> {
    let context = scope.get_current_context();
    let serializer = v8::ValueSerializer::new(scope, Box::new(ours.clone()));
    serializer.write_header();
    serializer.write_value(context, value)?;
    let bytes = serializer.release();
    ours.copy_all(scope)?;
    let deserializer = v8::ValueDeserializer::new(scope, Box::new(ours.clone()), &bytes);
    deserializer.read_header(context)?;
    deserializer.read_value(context)
}

fn detach(scope: &mut Scope<'_, '_>, list: v8::Local<'_, v8::Value>) {
    let Ok(list) = v8::Local::<v8::Array>::try_from(list) else {
        return;
    };
    for index in 0..list.length() {
        let buffer = list
            .get_index(scope, index)
            .and_then(|item| v8::Local::<v8::ArrayBuffer>::try_from(item).ok());
        if let Some(buffer) = buffer
            && buffer.is_detachable()
        {
            buffer.detach(None);
        }
    }
}

/// Both ends of a clone: an object of ours is written as its place in `objects`. The copies are
/// made between writing and reading, since V8 lets no JavaScript run while it reads.
#[derive(Clone)]
struct Ours {
    is_ours: Option<v8::Global<v8::Function>>,
    copy: Option<v8::Global<v8::Function>>,
    objects: Rc<RefCell<Vec<v8::Global<v8::Object>>>>,
}

impl Ours {
    fn copy_all(&self, scope: &mut Scope<'_, '_>) -> Option<()> {
        for object in self.objects.borrow_mut().iter_mut() {
            let original = v8::Local::new(scope, &*object);
            let copy = call(scope, self.copy.as_ref(), original)?;
            let copy = v8::Local::<v8::Object>::try_from(copy).ok()?;
            *object = v8::Global::new(scope, copy);
        }
        Some(())
    }
}

fn call<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    function: Option<&v8::Global<v8::Function>>,
    object: v8::Local<'s, v8::Object>,
) -> Option<v8::Local<'s, v8::Value>> {
    let function = v8::Local::new(scope, function?);
    let this = v8::undefined(scope).into();
    function.call(scope, this, &[object.into()])
}

impl v8::ValueSerializerImpl for Ours {
    fn throw_data_clone_error<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        message: v8::Local<'s, v8::String>,
    ) {
        let message = message.to_rust_string_lossy(scope);
        throw_not_cloneable(scope, &message);
    }

    fn has_custom_host_object(&self, _isolate: &v8::Isolate) -> bool {
        self.is_ours.is_some()
    }

    fn is_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        object: v8::Local<'s, v8::Object>,
    ) -> Option<bool> {
        if self.is_ours.is_none() {
            return Some(false);
        }
        call(scope, self.is_ours.as_ref(), object).map(|answer| answer.is_true())
    }

    fn write_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        object: v8::Local<'s, v8::Object>,
        serializer: &dyn v8::ValueSerializerHelper,
    ) -> Option<bool> {
        let mut objects = self.objects.borrow_mut();
        let Ok(place) = u32::try_from(objects.len()) else {
            return not_cloneable(scope);
        };
        objects.push(v8::Global::new(scope, object));
        serializer.write_uint32(place);
        Some(true)
    }

    fn get_wasm_module_transfer_id(
        &self,
        scope: &mut v8::PinScope<'_, '_>,
        _module: v8::Local<'_, v8::WasmModuleObject>,
    ) -> Option<u32> {
        not_cloneable(scope)
    }
}

impl v8::ValueDeserializerImpl for Ours {
    fn read_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        deserializer: &dyn v8::ValueDeserializerHelper,
    ) -> Option<v8::Local<'s, v8::Object>> {
        let mut place = 0;
        let known = deserializer.read_uint32(&mut place);
        let place = usize::try_from(place).ok().filter(|_| known)?;
        let copy = self.objects.borrow().get(place).cloned()?;
        Some(v8::Local::new(scope, copy))
    }
}
