// Views on bytes, and text from code units.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayPrototypeJoin, ArrayPrototypePush, DataViewPrototypeGetBuffer,
    DataViewPrototypeGetByteLength, DataViewPrototypeGetByteOffset, MathMin, ReflectApply, StringFromCharCode,
    TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeGetByteOffset,
    TypedArrayPrototypeGetSymbolToStringTag, Uint8Array,
  } = internal.primordials;
  const { argumentType } = internal.errors;

  // The bytes of any view or buffer, without a copy.
  function bytesOf(input, name) {
    if (ArrayBufferIsView(input)) {
      if (TypedArrayPrototypeGetSymbolToStringTag(input) !== undefined) {
        return new Uint8Array(TypedArrayPrototypeGetBuffer(input), TypedArrayPrototypeGetByteOffset(input), TypedArrayPrototypeGetByteLength(input));
      }
      return new Uint8Array(DataViewPrototypeGetBuffer(input), DataViewPrototypeGetByteOffset(input), DataViewPrototypeGetByteLength(input));
    }
    const kind = typeof input === 'object' && input !== null ? native.isKind(input) : '';
    if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') return new Uint8Array(input);
    throw argumentType(name, ['ArrayBuffer', 'ArrayBufferView'], input);
  }

  // A view on a part of `bytes`. `subarray` would ask the guest's `constructor` what to make.
  function slice(bytes, start, end) {
    return new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), TypedArrayPrototypeGetByteOffset(bytes) + start, end - start);
  }

  // Text from code units in pieces that `apply` can take.
  function fromUnits(units, start, end) {
    if (end - start <= 4096) return ReflectApply(StringFromCharCode, undefined, slice(units, start, end));
    const parts = [];
    for (let i = start; i < end; i += 4096) {
      ArrayPrototypePush(parts, ReflectApply(StringFromCharCode, undefined, slice(units, i, MathMin(i + 4096, end))));
    }
    return ArrayPrototypeJoin(parts, '');
  }

  internal.bytesOf = bytesOf;
  internal.fromUnits = fromUnits;
  internal.sliceBytes = slice;
})
