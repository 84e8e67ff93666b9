// Deep equality, loose and strict, for `util.isDeepStrictEqual` and `assert.deepEqual`.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayIsArray, ArrayPrototypePop, ArrayPrototypePush, BigIntPrototypeValueOf,
    BooleanPrototypeValueOf, DatePrototypeGetTime, MapIteratorPrototypeNext, MapPrototypeEntries, MapPrototypeGet,
    MapPrototypeGetSize, MapPrototypeHas, NumberIsNaN, NumberPrototypeValueOf, ObjectGetOwnPropertySymbols,
    ObjectGetPrototypeOf, ObjectIs, ObjectKeys, ObjectPrototypeHasOwnProperty, ObjectPrototypePropertyIsEnumerable,
    ObjectPrototypeToString, RegExpPrototypeToString, SetIteratorPrototypeNext, SetPrototypeGetSize, SetPrototypeHas,
    SetPrototypeValues, StringPrototypeValueOf, SymbolPrototypeValueOf, TypedArrayPrototypeGetSymbolToStringTag,
  } = internal.primordials;
  const isObject = (value) => value !== null && typeof value === 'object';

  function isDeepEqual(a, b, strict) {
    return equal(a, b, strict, []);
  }

  // `pairs` holds the pairs under comparison: one that comes round again is equal as far as it has been seen.
  function equal(a, b, strict, pairs) {
    if (a === b) return a !== 0 || !strict || ObjectIs(a, b);
    if (strict) {
      if (!isObject(a) || !isObject(b)) return typeof a === 'number' && NumberIsNaN(a) && NumberIsNaN(b);
      if (ObjectGetPrototypeOf(a) !== ObjectGetPrototypeOf(b)) return false;
    } else {
      if (!isObject(a)) {
        // eslint-disable-next-line eqeqeq -- loose equality is what the caller asked for
        return isObject(b) ? false : a == b || (a !== a && b !== b);
      }
      if (!isObject(b)) return false;
    }
    if (ObjectPrototypeToString(a) !== ObjectPrototypeToString(b)) return false;
    for (let i = 0; i < pairs.length; i += 2) {
      if (pairs[i] === a && pairs[i + 1] === b) return true;
    }
    ArrayPrototypePush(pairs, a);
    ArrayPrototypePush(pairs, b);
    const same = sameContents(a, b, strict, pairs);
    ArrayPrototypePop(pairs);
    ArrayPrototypePop(pairs);
    return same;
  }

  const unbox = {
    __proto__: null, Number: NumberPrototypeValueOf, String: StringPrototypeValueOf, Boolean: BooleanPrototypeValueOf,
    BigInt: BigIntPrototypeValueOf, Symbol: SymbolPrototypeValueOf,
  };

  function sameContents(a, b, strict, pairs) {
    const kind = native.isKind(a);
    if (kind !== native.isKind(b)) return false;
    if (ArrayIsArray(a) !== ArrayIsArray(b)) return false;
    if (ArrayIsArray(a)) {
      if (a.length !== b.length) return false;
    } else if (ArrayBufferIsView(a)) {
      if (!sameView(a, b, strict)) return false;
      if (TypedArrayPrototypeGetSymbolToStringTag(a) !== undefined) return true;
    } else if (unbox[kind] !== undefined) {
      if (!ObjectIs(unbox[kind](a), unbox[kind](b))) return false;
    }
    switch (kind) {
      case 'Date':
        if (!ObjectIs(DatePrototypeGetTime(a), DatePrototypeGetTime(b))) return false;
        break;
      case 'RegExp':
        if (RegExpPrototypeToString(a) !== RegExpPrototypeToString(b) || a.lastIndex !== b.lastIndex) return false;
        break;
      case 'Error':
        if (a.message !== b.message || a.name !== b.name) return false;
        if (!sameHidden(a, b, 'cause', strict, pairs) || !sameHidden(a, b, 'errors', strict, pairs)) return false;
        break;
      case 'ArrayBuffer': case 'SharedArrayBuffer':
        if (!sameBytes(internal.bytesOf(a), internal.bytesOf(b))) return false;
        break;
      case 'Map':
        if (!sameMap(a, b, strict, pairs)) return false;
        break;
      case 'Set':
        if (!sameSet(a, b, strict, pairs)) return false;
        break;
      case 'WeakMap': case 'WeakSet': case 'Promise':
        return false;
      default:
    }
    return sameKeys(a, b, strict, pairs);
  }

  function sameHidden(a, b, key, strict, pairs) {
    if (ObjectPrototypeHasOwnProperty(a, key) !== ObjectPrototypeHasOwnProperty(b, key)) return false;
    return !ObjectPrototypeHasOwnProperty(a, key) || equal(a[key], b[key], strict, pairs);
  }

  function sameView(a, b, strict) {
    const name = TypedArrayPrototypeGetSymbolToStringTag(a);
    if (name !== TypedArrayPrototypeGetSymbolToStringTag(b)) return false;
    if (name === 'Float32Array' || name === 'Float64Array') {
      if (a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) {
        if (strict ? !ObjectIs(a[i], b[i]) : a[i] !== b[i] && !(NumberIsNaN(a[i]) && NumberIsNaN(b[i]))) return false;
      }
      return true;
    }
    return sameBytes(internal.bytesOf(a), internal.bytesOf(b));
  }

  function sameBytes(a, b) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i]) return false;
    }
    return true;
  }

  function enumerableSymbols(value) {
    const symbols = ObjectGetOwnPropertySymbols(value);
    const kept = [];
    for (let i = 0; i < symbols.length; i++) {
      if (ObjectPrototypePropertyIsEnumerable(value, symbols[i])) ArrayPrototypePush(kept, symbols[i]);
    }
    return kept;
  }

  function sameKeys(a, b, strict, pairs) {
    const keys = ObjectKeys(a);
    if (keys.length !== ObjectKeys(b).length) return false;
    if (strict) {
      const symbols = enumerableSymbols(a);
      if (symbols.length !== enumerableSymbols(b).length) return false;
      for (let i = 0; i < symbols.length; i++) ArrayPrototypePush(keys, symbols[i]);
    }
    for (let i = 0; i < keys.length; i++) {
      if (!ObjectPrototypePropertyIsEnumerable(b, keys[i])) return false;
    }
    for (let i = 0; i < keys.length; i++) {
      if (!equal(a[keys[i]], b[keys[i]], strict, pairs)) return false;
    }
    return true;
  }

  // Finds an item of `rest` that equals `item`, and takes it out.
  function takeEqual(rest, item, matches) {
    for (let i = 0; i < rest.length; i++) {
      if (rest[i].taken || !matches(item, rest[i].value)) continue;
      rest[i].taken = true;
      return true;
    }
    return false;
  }

  function sameSet(a, b, strict, pairs) {
    if (SetPrototypeGetSize(a) !== SetPrototypeGetSize(b)) return false;
    const missing = [];
    const values = SetPrototypeValues(a);
    for (let next = SetIteratorPrototypeNext(values); !next.done; next = SetIteratorPrototypeNext(values)) {
      if (SetPrototypeHas(b, next.value)) continue;
      if (strict && !isObject(next.value)) return false;
      ArrayPrototypePush(missing, next.value);
    }
    if (missing.length === 0) return true;
    const rest = [];
    const others = SetPrototypeValues(b);
    for (let next = SetIteratorPrototypeNext(others); !next.done; next = SetIteratorPrototypeNext(others)) {
      if (!SetPrototypeHas(a, next.value)) ArrayPrototypePush(rest, { __proto__: null, value: next.value, taken: false });
    }
    for (let i = 0; i < missing.length; i++) {
      if (!takeEqual(rest, missing[i], (x, y) => equal(x, y, strict, pairs))) return false;
    }
    return true;
  }

  function sameMap(a, b, strict, pairs) {
    if (MapPrototypeGetSize(a) !== MapPrototypeGetSize(b)) return false;
    const missing = [];
    const entries = MapPrototypeEntries(a);
    for (let next = MapIteratorPrototypeNext(entries); !next.done; next = MapIteratorPrototypeNext(entries)) {
      const key = next.value[0];
      if (MapPrototypeHas(b, key)) {
        if (!equal(next.value[1], MapPrototypeGet(b, key), strict, pairs)) return false;
        continue;
      }
      if (strict && !isObject(key)) return false;
      ArrayPrototypePush(missing, next.value);
    }
    if (missing.length === 0) return true;
    const rest = [];
    const others = MapPrototypeEntries(b);
    for (let next = MapIteratorPrototypeNext(others); !next.done; next = MapIteratorPrototypeNext(others)) {
      if (!MapPrototypeHas(a, next.value[0])) ArrayPrototypePush(rest, { __proto__: null, value: next.value, taken: false });
    }
    for (let i = 0; i < missing.length; i++) {
      const matches = (x, y) => equal(x[0], y[0], strict, pairs) && equal(x[1], y[1], strict, pairs);
      if (!takeEqual(rest, missing[i], matches)) return false;
    }
    return true;
  }

  internal.isDeepEqual = isDeepEqual;
})
