// Keeps the built-in functions that the other files use, before any guest code has run.
//
// A guest may replace `Array.prototype.push`, `Promise.prototype.then` or `JSON.stringify`; the files of the realm
// never look such a function up at run time, they take it from `internal.primordials`. A method of a prototype is
// there in uncurried form: `ArrayPrototypePush(list, item)` stands for `list.push(item)`, and a getter as
// `MapPrototypeGetSize(map)`.
//
// Every session carries what is made here, so there is one flat list of the functions as they are. A primordial
// comes into being when a file asks for it by name.
//
// Three habits keep the rest safe, at the top of a file just as inside its functions, because most files run after
// the guest has. Arrays are walked by index, because `for..of`, spread and array patterns call
// `Array.prototype[Symbol.iterator]`. Option objects and property descriptors have a null prototype. Regular
// expressions run through `RegExpPrototypeExec`, which calls nothing that a guest can reach.
(function (native, internal) {
  'use strict';

  const { apply, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const { indexOf } = Array.prototype;
  const { indexOf: indexOfText, slice, startsWith, toLowerCase } = String.prototype;
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);

  // Prefix of the primordials, what they are, and the keys. `@@iterator` stands for `Symbol.iterator`, which makes
  // `...SymbolIterator`. Written as a function, since the code of a function that has not run costs a session nothing.
  function groups() {
    return [
      ['StringPrototype', 'method', ['charCodeAt', 'codePointAt', 'endsWith', 'includes', 'indexOf', 'lastIndexOf',
        'localeCompare', 'normalize', 'padEnd', 'padStart', 'repeat', 'slice', 'split', 'startsWith', 'substring',
        'toLowerCase', 'toUpperCase', 'trim', 'trimEnd', 'toString', 'toWellFormed', 'valueOf']],
      ['ArrayPrototype', 'method', ['includes', 'indexOf', 'join', 'pop', 'push', 'shift', 'sort', 'unshift']],
      ['Reflect', 'static', ['apply', 'construct', 'defineProperty', 'deleteProperty', 'get',
        'getOwnPropertyDescriptor', 'getPrototypeOf', 'has', 'ownKeys', 'set']],
      ['Object', 'static', ['assign', 'create', 'defineProperties', 'defineProperty', 'entries', 'freeze',
        'fromEntries', 'getOwnPropertyDescriptor', 'getOwnPropertyDescriptors', 'getOwnPropertyNames',
        'getOwnPropertySymbols', 'getPrototypeOf', 'is', 'isExtensible', 'keys', 'preventExtensions',
        'setPrototypeOf', 'values']],
      ['', 'global', ['AggregateError', 'Array', 'ArrayBuffer', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Boolean',
        'DataView', 'Date', 'Error', 'EvalError', 'Float32Array', 'Float64Array', 'Function', 'Int8Array', 'Int16Array',
        'Int32Array', 'Map', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError', 'ReferenceError', 'RegExp', 'Set',
        'String', 'Symbol', 'SyntaxError', 'TypeError', 'URIError', 'Uint8Array', 'Uint8ClampedArray', 'Uint16Array',
        'Uint32Array', 'WeakMap', 'WeakRef', 'decodeURIComponent', 'encodeURIComponent']],
      ['Symbol', 'static', ['asyncIterator', 'for', 'hasInstance', 'iterator', 'keyFor', 'species', 'toPrimitive',
        'toStringTag']],
      ['MapPrototype', 'method', ['clear', 'delete', 'entries', 'forEach', 'get', 'has', 'keys', 'set', 'values']],
      ['MapPrototypeGet', 'getter', ['size']],
      ['SetPrototype', 'method', ['add', 'clear', 'delete', 'forEach', 'has', 'values']],
      ['SetPrototypeGet', 'getter', ['size']],
      ['TypedArrayPrototype', 'method', ['copyWithin', 'fill', 'indexOf', 'join', 'lastIndexOf', 'reverse', 'set',
        'slice', 'subarray', '@@iterator']],
      ['TypedArrayPrototypeGet', 'getter', ['buffer', 'byteLength', 'byteOffset', 'length', '@@toStringTag']],
      ['ObjectPrototype', 'method', ['hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toString']],
      ['FunctionPrototype', 'method', ['bind', 'call', 'toString', '@@hasInstance']],
      ['RegExpPrototype', 'method', ['exec', 'toString']],
      ['RegExpPrototypeGet', 'getter', ['dotAll', 'global', 'hasIndices', 'ignoreCase', 'multiline', 'source', 'sticky',
        'unicode', 'unicodeSets']],
      ['Math', 'static', ['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sqrt', 'trunc']],
      ['Number', 'static', ['isFinite', 'isInteger', 'isNaN', 'isSafeInteger', 'parseFloat', 'parseInt']],
      ['NumberPrototype', 'method', ['toString', 'toFixed', 'valueOf']],
      ['Array', 'static', ['isArray']],
      ['ArrayBuffer', 'static', ['isView']],
      ['String', 'static', ['fromCharCode', 'fromCodePoint']],
      ['Error', 'static', ['captureStackTrace']],
      ['JSON', 'static', ['parse', 'stringify']],
      ['BigInt', 'static', ['asIntN', 'asUintN']],
      ['Date', 'bound', ['now']],
      ['Promise', 'bound', ['all', 'reject', 'resolve']],
      ['PromisePrototype', 'method', ['catch', 'finally', 'then']],
      ['ErrorPrototype', 'method', ['toString']],
      ['BigIntPrototype', 'method', ['toString', 'valueOf']],
      ['BooleanPrototype', 'method', ['valueOf']],
      ['SymbolPrototype', 'method', ['toString', 'valueOf']],
      ['SymbolPrototypeGet', 'getter', ['description']],
      ['DatePrototype', 'method', ['getTime', 'toISOString', 'toString']],
      ['ArrayBufferPrototype', 'method', ['slice', 'transfer']],
      ['ArrayBufferPrototypeGet', 'getter', ['byteLength', 'detached']],
      ['DataViewPrototype', 'method', ['getBigInt64', 'getBigUint64', 'getFloat32', 'getFloat64', 'getInt8', 'getInt16',
        'getInt32', 'getUint8', 'getUint16', 'getUint32', 'setBigInt64', 'setBigUint64', 'setFloat32', 'setFloat64',
        'setInt8', 'setInt16', 'setInt32', 'setUint8', 'setUint16', 'setUint32']],
      ['DataViewPrototypeGet', 'getter', ['buffer', 'byteLength', 'byteOffset']],
      // Present in newer engines only; the callers have a slower way of their own.
      ['Uint8ArrayPrototype', 'method', ['toBase64', 'toHex']],
      ['ArrayIteratorPrototype', 'method', ['next']],
      ['MapIteratorPrototype', 'method', ['next']],
      ['SetIteratorPrototype', 'method', ['next']],
      ['', 'extra', ['TypedArray', 'ObjectPrototype', 'AsyncFunctionPrototype', 'GeneratorFunctionPrototype',
        'AsyncGeneratorFunctionPrototype', 'AsyncIteratorPrototype', 'IteratorPrototype', 'errorStackGetter']],
    ];
  }

  // --- Keeping, which runs once ---

  function keep() {
    const prototypes = {
      __proto__: null, TypedArray: getPrototypeOf(Uint8Array).prototype,
      ArrayIterator: getPrototypeOf([][Symbol.iterator]()), MapIterator: getPrototypeOf(new Map().entries()),
      SetIterator: getPrototypeOf(new Set().values()),
    };
    const asyncGeneratorFunction = getPrototypeOf(async function* () {});
    // Where an error keeps its stack behind an accessor of the engine, the accessor is as good as data.
    const stack = getOwnPropertyDescriptor(new Error('stack'), 'stack') ?? getOwnPropertyDescriptor(Error.prototype, 'stack');
    const extras = {
      __proto__: null, TypedArray: getPrototypeOf(Uint8Array), ObjectPrototype: Object.prototype,
      AsyncFunctionPrototype: getPrototypeOf(async () => {}), GeneratorFunctionPrototype: getPrototypeOf(function* () {}),
      AsyncGeneratorFunctionPrototype: asyncGeneratorFunction,
      AsyncIteratorPrototype: getPrototypeOf(getPrototypeOf(asyncGeneratorFunction.prototype)),
      IteratorPrototype: getPrototypeOf(prototypes.ArrayIterator), errorStackGetter: stack?.get,
    };
    const kept = [];
    for (const [prefix, kind, names] of groups()) {
      for (const name of names) {
        const key = name.startsWith('@@') ? Symbol[name.slice(2)] : name;
        const owner = prefix.replace(/Prototype(Get)?$/, '');
        const prototype = prototypes[owner] ?? globalThis[owner]?.prototype;
        switch (kind) {
          case 'method': kept.push(prototype[key]); break;
          case 'getter': kept.push(getOwnPropertyDescriptor(prototype, key).get); break;
          case 'static': kept.push(globalThis[owner][key]); break;
          case 'bound': kept.push(globalThis[owner][key].bind(globalThis[owner])); break;
          case 'global': kept.push(globalThis[key]); break;
          default: kept.push(extras[key]);
        }
      }
    }
    return kept.slice();
  }
  const kept = keep();

  // --- Making, on request ---

  // Groups by prefix, each with the place in `kept` where it begins, and the prefixes that name an object.
  let arranged;

  function arrange() {
    const table = groups();
    const groupOf = { __proto__: null };
    const owners = [];
    for (let i = 0, start = 0; i < table.length; i++) {
      const prefix = table[i][0];
      const kind = table[i][1];
      const names = table[i][2];
      groupOf[prefix === '' ? kind : prefix] = { __proto__: null, kind, names, start };
      if (kind === 'static' || kind === 'bound') owners[owners.length] = prefix;
      start += names.length;
    }
    return { __proto__: null, groupOf, owners };
  }

  function keptIn(group, key) {
    const index = group === undefined ? -1 : apply(indexOf, group.names, [key]);
    return index === -1 ? undefined : kept[group.start + index];
  }

  function keyOf(suffix) {
    return apply(toLowerCase, suffix[0], []) + apply(slice, suffix, [1]);
  }

  function ofPrototype(prefix, suffix) {
    if (suffix === '') return undefined;
    const { groupOf } = arranged;
    const isSymbol = apply(startsWith, suffix, ['Symbol']);
    let value = keptIn(groupOf[prefix], isSymbol ? `@@${keyOf(apply(slice, suffix, [6]))}` : keyOf(suffix));
    if (value === undefined && suffix.length > 3 && apply(startsWith, suffix, ['Get'])) {
      const rest = apply(slice, suffix, [3]);
      const isTag = apply(startsWith, rest, ['Symbol']);
      value = keptIn(groupOf[`${prefix}Get`], isTag ? `@@${keyOf(apply(slice, rest, [6]))}` : keyOf(rest));
    }
    return value === undefined ? undefined : uncurryThis(value);
  }

  function make(label) {
    arranged ??= arrange();
    const { groupOf, owners } = arranged;
    const end = apply(indexOfText, label, ['Prototype']) + 9;
    const value = end > 9 ? ofPrototype(apply(slice, label, [0, end]), apply(slice, label, [end])) : keptIn(groupOf.global, label);
    if (value !== undefined) return value;
    for (let i = 0; i < owners.length; i++) {
      if (label.length === owners[i].length || !apply(startsWith, label, [owners[i]])) continue;
      const found = keptIn(groupOf[owners[i]], keyOf(apply(slice, label, [owners[i].length])));
      if (found !== undefined) return found;
    }
    return keptIn(groupOf.extra, label) ?? internal.helpers[label];
  }

  const primordials = { __proto__: null };
  setPrototypeOf(primordials, new Proxy({ __proto__: null }, {
    __proto__: null,
    get(_, label) {
      const value = make(label);
      primordials[label] = value;
      return value;
    },
  }));
  internal.primordials = primordials;
  // For a snapshot: forgets what only serves the making.
  internal.settlePrimordials = () => {
    arranged = undefined;
  };
})
