// `util.types`: what a value is by its internal slots, whatever its prototype says.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, AsyncFunctionPrototype, AsyncGeneratorFunctionPrototype, GeneratorFunctionPrototype,
    TypedArrayPrototypeGetSymbolToStringTag,
  } = internal.primordials;
  const { chainOf, includes, proxyDetails } = internal.inspectBase;

  function kindOf(value) {
    return (typeof value === 'object' && value !== null) || typeof value === 'function' ? native.isKind(value) : '';
  }
  function isA(...kinds) {
    return (value) => {
      const kind = kindOf(value);
      return kind !== '' && includes(kinds, kind);
    };
  }
  function typedName(value) {
    return typeof value === 'object' && value !== null ? TypedArrayPrototypeGetSymbolToStringTag(value) : undefined;
  }
  function isTyped(name) {
    return (value) => typedName(value) === name;
  }
  function isFunctionOf(...prototypes) {
    return (value) => {
      if (typeof value !== 'function' || proxyDetails(value) !== undefined) return false;
      const chain = chainOf(value);
      for (let i = 0; i < prototypes.length; i++) {
        if (includes(chain, prototypes[i])) return true;
      }
      return false;
    };
  }

  const types = {
    isExternal: isA('External'),
    isDate: isA('Date'),
    isArgumentsObject: isA('Arguments'),
    isBigIntObject: isA('BigInt'),
    isBooleanObject: isA('Boolean'),
    isNumberObject: isA('Number'),
    isStringObject: isA('String'),
    isSymbolObject: isA('Symbol'),
    isBoxedPrimitive: isA('BigInt', 'Boolean', 'Number', 'String', 'Symbol'),
    isNativeError: isA('Error'),
    isRegExp: isA('RegExp'),
    isAsyncFunction: isFunctionOf(AsyncFunctionPrototype, AsyncGeneratorFunctionPrototype),
    isGeneratorFunction: isFunctionOf(GeneratorFunctionPrototype, AsyncGeneratorFunctionPrototype),
    isGeneratorObject: isA('Generator'),
    isPromise: isA('Promise'),
    isMap: isA('Map'),
    isSet: isA('Set'),
    isMapIterator: isA('MapIterator'),
    isSetIterator: isA('SetIterator'),
    isWeakMap: isA('WeakMap'),
    isWeakSet: isA('WeakSet'),
    isArrayBuffer: isA('ArrayBuffer'),
    isDataView: isA('DataView'),
    isSharedArrayBuffer: isA('SharedArrayBuffer'),
    isProxy: (value) => ((typeof value === 'object' && value !== null) || typeof value === 'function') && proxyDetails(value) !== undefined,
    isModuleNamespaceObject: isA('Module'),
    isAnyArrayBuffer: isA('ArrayBuffer', 'SharedArrayBuffer'),
    isCryptoKey: () => false,
    isKeyObject: () => false,
    isEventTarget: (value) => internal.isEventTarget(value),
    isArrayBufferView: (value) => ArrayBufferIsView(value),
    isTypedArray: (value) => typedName(value) !== undefined,
  };
  const names = ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array',
    'Int32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'];
  for (let i = 0; i < names.length; i++) internal.define(types, `is${names[i]}`, isTyped(names[i]), true);

  internal.types = types;
  internal.builtins['util/types'] = () => types;
})
