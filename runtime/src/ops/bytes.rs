//! The bytes that a native function is given, and whether it should go on working on them.

use std::cell::Cell;

use crate::Scope;
use crate::session::State;
use crate::value::view_bytes;

/// Bytes that are worked on between two looks at whether the guest is to stop.
const PIECE: usize = 1 << 18;

/// The bytes of a view.
pub(super) enum Bytes<'s> {
    /// Few, taken over.
    Copied(Vec<u8>),
    /// Many, where the guest has them.
    Shared {
        store: v8::SharedRef<v8::BackingStore>,
        offset: usize,
        length: usize,
        scope: std::marker::PhantomData<&'s ()>,
    },
}

/// The bytes of an argument that is a view; none for anything else.
pub(super) fn bytes_of<'s>(scope: &Scope<'s, '_>, value: v8::Local<'s, v8::Value>) -> Bytes<'s> {
    let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(value) else {
        return Bytes::Copied(Vec::new());
    };
    if view.byte_length() <= PIECE {
        return Bytes::Copied(view_bytes(view));
    }
    match view.buffer(scope) {
        Some(buffer) => Bytes::Shared {
            store: buffer.get_backing_store(),
            offset: view.byte_offset(),
            length: view.byte_length(),
            scope: std::marker::PhantomData,
        },
        None => Bytes::Copied(Vec::new()),
    }
}

/// A copy of all bytes of an argument that is a view; none for anything else.
pub(super) fn copied(value: v8::Local<'_, v8::Value>) -> Vec<u8> {
    v8::Local::<v8::ArrayBufferView>::try_from(value).map_or_else(|_| Vec::new(), view_bytes)
}

impl Bytes<'_> {
    /// A copy, in pieces.
    pub(super) fn pieces(&self) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        match self {
            Bytes::Copied(bytes) => Box::new(std::iter::once(bytes.clone())),
            Bytes::Shared {
                store,
                offset,
                length,
                ..
            } => {
                let end = offset.saturating_add(*length);
                let cells = store.get(*offset..end).unwrap_or_default();
                let copy = |piece: &[Cell<u8>]| piece.iter().map(Cell::get).collect();
                Box::new(cells.chunks(PIECE).map(copy))
            }
        }
    }
}

/// Tells whether the guest is to stop: a native function that works for long asks now and then.
pub(super) fn is_stopping(scope: &Scope<'_, '_>) -> impl Fn() -> bool + use<> {
    let terminator = State::of(scope).map(|state| state.links.terminator.clone());
    move || {
        terminator
            .as_ref()
            .is_some_and(|terminator| terminator.verdict().is_some())
    }
}
