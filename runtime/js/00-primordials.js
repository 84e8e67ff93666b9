// Captures the built-in functions that the other files use, before any guest code has run.
//
// A guest may replace `Array.prototype.push`, `Promise.prototype.then` or `JSON.stringify`; the files of the realm
// never look such a function up at run time, they take it from `internal.primordials`. A method of a prototype is
// there in uncurried form: `ArrayPrototypePush(list, item)` stands for `list.push(item)`, and a getter as
// `MapPrototypeGetSize(map)`.
//
// Three habits keep the rest safe. Arrays are walked by index, because `for..of`, spread and array patterns call
// `Array.prototype[Symbol.iterator]`. Option objects and property descriptors have a null prototype. Regular
// expressions run through `RegExpPrototypeExec`, which calls nothing that a guest can reach.
(function (native, internal) {
  'use strict';

  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const capital = (name) => name[0].toUpperCase() + name.slice(1);
  const words = (text) => text.trim().split(/\s+/);

  const primordials = { __proto__: null, uncurryThis };

  // `symbol:iterator` in a list of names is `Symbol.iterator`, and gives `...SymbolIterator`.
  function keyOf(name) {
    return name.startsWith('symbol:') ? Symbol[name.slice(7)] : name;
  }
  function labelOf(name) {
    return name.startsWith('symbol:') ? `Symbol${capital(name.slice(7))}` : capital(name);
  }
  function statics(prefix, target, names) {
    for (const name of words(names)) {
      primordials[prefix + labelOf(name)] = target[keyOf(name)];
    }
  }
  function bound(prefix, target, names) {
    for (const name of words(names)) {
      primordials[prefix + labelOf(name)] = target[keyOf(name)].bind(target);
    }
  }
  function methods(prefix, proto, names) {
    for (const name of words(names)) {
      primordials[`${prefix}Prototype${labelOf(name)}`] = uncurryThis(proto[keyOf(name)]);
    }
  }
  function getters(prefix, proto, names) {
    for (const name of words(names)) {
      const { get } = getOwnPropertyDescriptor(proto, keyOf(name));
      primordials[`${prefix}PrototypeGet${labelOf(name)}`] = uncurryThis(get);
    }
  }

  for (const name of words(`
    AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
    Float32Array Float64Array Function Int8Array Int16Array Int32Array Map Number Object Promise Proxy RangeError
    ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError Uint8Array
    Uint8ClampedArray Uint16Array Uint32Array`)) {
    primordials[name] = globalThis[name];
  }
  for (const name of words('decodeURIComponent encodeURIComponent')) {
    primordials[name] = globalThis[name];
  }

  statics('Reflect', Reflect, `apply construct defineProperty deleteProperty get getOwnPropertyDescriptor
    getPrototypeOf has ownKeys set`);
  statics('Object', Object, `assign create defineProperties defineProperty entries freeze fromEntries
    getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf is
    isExtensible keys preventExtensions setPrototypeOf values`);
  statics('Math', Math, 'abs ceil floor max min round sqrt trunc');
  statics('JSON', JSON, 'parse stringify');
  statics('Number', Number, 'isFinite isInteger isNaN isSafeInteger parseFloat parseInt');
  statics('Array', Array, 'isArray');
  statics('ArrayBuffer', ArrayBuffer, 'isView');
  statics('String', String, 'fromCharCode fromCodePoint');
  statics('Symbol', Symbol, `asyncIterator for hasInstance iterator keyFor species toPrimitive toStringTag`);
  statics('BigInt', BigInt, 'asIntN asUintN');
  statics('Error', Error, 'captureStackTrace');
  bound('Date', Date, 'now');
  bound('Promise', Promise, 'all reject resolve');

  methods('Object', Object.prototype, 'hasOwnProperty isPrototypeOf propertyIsEnumerable toString');
  methods('Function', Function.prototype, 'bind call toString symbol:hasInstance');
  methods('Array', Array.prototype, 'includes indexOf join pop push shift sort unshift');
  methods('String', String.prototype, `charCodeAt codePointAt endsWith includes indexOf lastIndexOf localeCompare
    normalize padEnd padStart repeat slice split startsWith substring toLowerCase toUpperCase trim trimEnd toString
    valueOf`);
  methods('RegExp', RegExp.prototype, 'exec toString');
  getters('RegExp', RegExp.prototype, 'dotAll global hasIndices ignoreCase multiline source sticky unicode unicodeSets');
  methods('Number', Number.prototype, 'toString toFixed valueOf');
  methods('BigInt', BigInt.prototype, 'toString valueOf');
  methods('Boolean', Boolean.prototype, 'valueOf');
  methods('Symbol', Symbol.prototype, 'toString valueOf');
  getters('Symbol', Symbol.prototype, 'description');
  methods('Date', Date.prototype, 'getTime toISOString toString');
  methods('Error', Error.prototype, 'toString');
  methods('Map', Map.prototype, 'clear delete entries forEach get has keys set values');
  getters('Map', Map.prototype, 'size');
  methods('Set', Set.prototype, 'add clear delete forEach has values');
  getters('Set', Set.prototype, 'size');
  methods('Promise', Promise.prototype, 'catch finally then');
  methods('ArrayBuffer', ArrayBuffer.prototype, 'slice');
  getters('ArrayBuffer', ArrayBuffer.prototype, 'byteLength');
  methods('DataView', DataView.prototype, `getBigInt64 getBigUint64 getFloat32 getFloat64 getInt8 getInt16 getInt32
    getUint8 getUint16 getUint32 setBigInt64 setBigUint64 setFloat32 setFloat64 setInt8 setInt16 setInt32 setUint8
    setUint16 setUint32`);
  getters('DataView', DataView.prototype, 'buffer byteLength byteOffset');
  // V8 adds SharedArrayBuffer to a realm only after its snapshot was restored.
  primordials.SharedArrayBufferPrototypeGetByteLength =
    (buffer) => primordials.DataViewPrototypeGetByteLength(new primordials.DataView(buffer));

  const TypedArray = getPrototypeOf(Uint8Array);
  primordials.TypedArray = TypedArray;
  methods('TypedArray', TypedArray.prototype, `copyWithin fill indexOf join lastIndexOf reverse set slice subarray
    symbol:iterator`);
  getters('TypedArray', TypedArray.prototype, 'buffer byteLength byteOffset length symbol:toStringTag');
  // Present in newer engines only; the callers have a slower way of their own.
  for (const name of ['toBase64', 'toHex']) {
    const method = Uint8Array.prototype[name];
    primordials[`Uint8ArrayPrototype${capital(name)}`] = method === undefined ? undefined : uncurryThis(method);
  }

  const AsyncFunction = getPrototypeOf(async () => {});
  primordials.AsyncFunctionPrototype = AsyncFunction;
  primordials.GeneratorFunctionPrototype = getPrototypeOf(function* () {});
  primordials.AsyncGeneratorFunctionPrototype = getPrototypeOf(async function* () {});
  primordials.AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(primordials.AsyncGeneratorFunctionPrototype.prototype));
  primordials.IteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  primordials.ArrayIteratorPrototypeNext = uncurryThis(getPrototypeOf([][Symbol.iterator]()).next);
  primordials.MapIteratorPrototypeNext = uncurryThis(new Map().entries().next);
  primordials.SetIteratorPrototypeNext = uncurryThis(new Set().values().next);
  primordials.ObjectPrototype = Object.prototype;

  // Where an error keeps its stack behind an accessor of the engine, the accessor is as good as data.
  const stack = getOwnPropertyDescriptor(new Error('stack'), 'stack') ?? getOwnPropertyDescriptor(Error.prototype, 'stack');
  primordials.errorStackGetter = stack === undefined ? undefined : stack.get;

  // Replaces each match of a global expression. Matching and replacing both stay out of reach of the guest.
  primordials.regExpReplace = function regExpReplace(expression, text, replace) {
    const exec = primordials.RegExpPrototypeExec;
    const slice = primordials.StringPrototypeSlice;
    let result = '';
    let last = 0;
    expression.lastIndex = 0;
    for (let match = exec(expression, text); match !== null; match = exec(expression, text)) {
      result += slice(text, last, match.index) + replace(match);
      last = match.index + match[0].length;
      if (match[0] === '') expression.lastIndex++;
    }
    return last === 0 && result === '' ? text : result + slice(text, last);
  };

  // `slice`, `splice` and `filter` ask the constructor of a list what to make; these three do not.
  primordials.copyList = function copyList(list, start = 0, end = list.length) {
    const copy = [];
    for (let i = start; i < end; i++) primordials.ArrayPrototypePush(copy, list[i]);
    return copy;
  };
  primordials.removeAt = function removeAt(list, index) {
    for (let i = index + 1; i < list.length; i++) list[i - 1] = list[i];
    list.length--;
  };
  primordials.filterList = function filterList(list, keep) {
    const kept = [];
    for (let i = 0; i < list.length; i++) if (keep(list[i], i)) primordials.ArrayPrototypePush(kept, list[i]);
    return kept;
  };

  internal.primordials = primordials;
  // Filled by the files that follow; see `99-hooks.js` for what the runtime calls.
  internal.hooks = { __proto__: null };
})
