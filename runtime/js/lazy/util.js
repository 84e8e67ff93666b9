// The `util` module.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypePop, ArrayPrototypePush, Error, Number, ObjectAssign, ObjectDefineProperties,
    ObjectDefineProperty, ObjectGetOwnPropertyDescriptors, ObjectGetPrototypeOf, ObjectSetPrototypeOf, Promise,
    PromisePrototypeThen, ReflectApply, ReflectConstruct, RegExpPrototypeExec, StringPrototypeSplit,
    StringPrototypeTrim, StringPrototypeToUpperCase, SymbolFor, Map, Set, SetPrototypeHas,
    SetPrototypeAdd, StringPrototypeSlice, StringPrototypeStartsWith, StringPrototypeIndexOf, regExpReplace,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError, validateFunction, validateObject, validateString } = internal.errors;
  const { inspect, format, formatWithOptions, types } = internal;
  const customPromisify = SymbolFor('nodejs.util.promisify.custom');

  // --- Callbacks and promises ---

  function promisify(original) {
    validateFunction(original, 'original');
    const custom = original[customPromisify];
    if (custom) {
      validateFunction(custom, 'util.promisify.custom');
      return ObjectDefineProperty(custom, customPromisify, { __proto__: null, value: custom, enumerable: false, writable: false, configurable: true });
    }
    function fn(...args) {
      return new Promise((resolve, reject) => {
        ArrayPrototypePush(args, (error, value) => {
          if (error) reject(error);
          else resolve(value);
        });
        ReflectApply(original, this, args);
      });
    }
    ObjectSetPrototypeOf(fn, ObjectGetPrototypeOf(original));
    internal.define(fn, customPromisify, fn, false);
    return ObjectDefineProperties(fn, ObjectGetOwnPropertyDescriptors(original));
  }
  internal.define(promisify, 'custom', customPromisify, true);

  function callbackify(original) {
    validateFunction(original, 'original');
    function callbackified(...args) {
      const callback = ArrayPrototypePop(args);
      validateFunction(callback, 'last argument');
      PromisePrototypeThen(
        ReflectApply(original, this, args),
        (value) => internal.nextTick(() => ReflectApply(callback, this, [null, value])),
        (error) => internal.nextTick(() => ReflectApply(callback, this, [error || falsyReason(error)])),
      );
    }
    const descriptors = ObjectGetOwnPropertyDescriptors(original);
    if (typeof descriptors.length?.value === 'number') descriptors.length.value++;
    if (typeof descriptors.name?.value === 'string') descriptors.name.value += 'Callbackified';
    return ObjectDefineProperties(callbackified, descriptors);
  }

  function falsyReason(reason) {
    const error = nodeError(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
    error.reason = reason;
    return error;
  }

  function aborted(signal, resource) {
    validateObject(resource, 'resource');
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { __proto__: null, once: true });
    });
  }

  // --- Classes, warnings, logs ---

  function inherits(constructor, superConstructor) {
    validateFunction(constructor, 'ctor');
    validateFunction(superConstructor, 'superCtor');
    if (superConstructor.prototype === undefined) throw argumentType('superCtor.prototype', 'Object', superConstructor.prototype);
    ObjectDefineProperty(constructor, 'super_', { __proto__: null, value: superConstructor, writable: true, configurable: true });
    ObjectSetPrototypeOf(constructor.prototype, superConstructor.prototype);
  }

  const shownCodes = new Set();

  function deprecate(fn, message, code) {
    validateFunction(fn, 'fn');
    if (code !== undefined) validateString(code, 'code');
    let warned = false;
    function deprecated(...args) {
      if (!warned && !internal.process.noDeprecation) {
        warned = true;
        if (code === undefined || !SetPrototypeHas(shownCodes, code)) {
          if (code !== undefined) SetPrototypeAdd(shownCodes, code);
          internal.emitWarning(message, 'DeprecationWarning', code, deprecated);
        }
      }
      return new.target ? ReflectConstruct(fn, args, new.target) : ReflectApply(fn, this, args);
    }
    ObjectSetPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
    return deprecated;
  }

  // `NODE_DEBUG` names sections, with `*` as a wildcard.
  function isDebugged(section) {
    const names = StringPrototypeSplit(internal.process.env.NODE_DEBUG ?? '', ',');
    for (let i = 0; i < names.length; i++) {
      const name = StringPrototypeToUpperCase(StringPrototypeTrim(names[i]));
      if (name === section || name === '*') return true;
      const star = StringPrototypeIndexOf(name, '*');
      if (star !== -1 && StringPrototypeStartsWith(section, StringPrototypeSlice(name, 0, star))) return true;
    }
    return false;
  }

  function debuglog(set) {
    const section = StringPrototypeToUpperCase(`${set}`);
    // Asked at each call: a session may have another environment than its snapshot.
    const log = (...args) => {
      if (isDebugged(section)) native.print(2, 5, `${section} ${internal.process.pid}: ${internal.formatSafely(args)}\n`);
    };
    return ObjectDefineProperty(log, 'enabled', { __proto__: null, get: () => isDebugged(section), enumerable: true, configurable: true });
  }

  function styleText(styles, text) {
    validateString(text, 'text');
    const names = ArrayIsArray(styles) ? styles : [styles];
    let before = '';
    let after = '';
    for (let i = 0; i < names.length; i++) {
      const codes = inspect.colors[names[i]];
      if (codes === undefined) throw argumentValue('format', names[i], 'must be a known style');
      before += `\u001b[${codes[0]}m`;
      after = `\u001b[${codes[1]}m${after}`;
    }
    return before + text + after;
  }

  // --- Command lines, environments, MIME types ---

  function parseEnv(content) {
    validateString(content, 'content');
    const result = {};
    const line = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|`([^`]*)`|([^#\r\n]*))/gm;
    for (let match = RegExpPrototypeExec(line, content); match !== null; match = RegExpPrototypeExec(line, content)) {
      let value = match[3] ?? match[4] ?? StringPrototypeTrim(match[5] ?? '');
      if (match[2] !== undefined) value = regExpReplace(/\\n/g, match[2], () => '\n');
      result[match[1]] = value;
    }
    return result;
  }

  const errnoNames = {
    __proto__: null, '-1': 'EPERM', '-2': 'ENOENT', '-4': 'EINTR', '-5': 'EIO', '-9': 'EBADF', '-11': 'EAGAIN', '-12': 'ENOMEM',
    '-13': 'EACCES', '-17': 'EEXIST', '-20': 'ENOTDIR', '-21': 'EISDIR', '-22': 'EINVAL', '-24': 'EMFILE', '-28': 'ENOSPC',
    '-30': 'EROFS', '-32': 'EPIPE', '-39': 'ENOTEMPTY', '-104': 'ECONNRESET', '-110': 'ETIMEDOUT', '-111': 'ECONNREFUSED',
  };

  function toUSVString(text) {
    return regExpReplace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, `${text}`, () => '\ufffd');
  }

  internal.builtins.util = () => {
    const is = {
      isArray: ArrayIsArray, isBoolean: (value) => typeof value === 'boolean', isBuffer: (value) => internal.Buffer.isBuffer(value),
      isNull: (value) => value === null, isNullOrUndefined: (value) => value === null || value === undefined,
      isNumber: (value) => typeof value === 'number', isString: (value) => typeof value === 'string',
      isSymbol: (value) => typeof value === 'symbol', isUndefined: (value) => value === undefined,
      isRegExp: types.isRegExp, isObject: (value) => value !== null && typeof value === 'object', isDate: types.isDate,
      isError: (value) => types.isNativeError(value) || value instanceof Error, isFunction: (value) => typeof value === 'function',
      isPrimitive: (value) => value === null || (typeof value !== 'object' && typeof value !== 'function'),
    };
    return {
      _extend: (target, source) => (source === null || typeof source !== 'object' ? target : ObjectAssign(target, source)),
      aborted, callbackify, debug: debuglog, debuglog, deprecate, format, formatWithOptions, getCallSites: () => [],
      getSystemErrorName: (code) => errnoNames[Number(code)] ?? `Unknown system error ${code}`,
      getSystemErrorMap: () => new Map(), inherits, inspect, ...is,
      isDeepStrictEqual: (a, b) => internal.isDeepEqual(a, b, true), log: (...args) => ReflectApply(internal.console.log, internal.console, args),
      parseEnv, promisify, stripVTControlCharacters: (text) => {
        validateString(text, 'str');
        return internal.inspectBase.stripControl(text);
      },
      styleText, TextDecoder: internal.TextDecoder, TextEncoder: internal.TextEncoder, toUSVString,
      transferableAbortController: () => new internal.AbortController(), transferableAbortSignal: (signal) => signal, types,
      parseArgs: (config) => internal.parseArgs(config),
    };
  };
})
