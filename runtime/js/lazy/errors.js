// Errors with Node's codes, `DOMException`, and the argument checks that throw them.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeJoin, Error, ErrorCaptureStackTrace, NumberIsInteger, ObjectDefineProperty,
    ObjectKeys, ObjectSetPrototypeOf, RangeError, ReflectDeleteProperty, String, StringPrototypeEndsWith, StringPrototypeIncludes, StringPrototypeSlice,
    StringPrototypeStartsWith,
    SymbolToStringTag, SyntaxError, TypeError, URIError, copyList,
  } = internal.primordials;

  function define(target, key, value, enumerable) {
    ObjectDefineProperty(target, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
  }

  // Gives `target` each own property of `source`; unlike an assignment, whatever setters the guest has defined.
  function defineAll(target, source) {
    const names = ObjectKeys(source);
    for (let i = 0; i < names.length; i++) define(target, names[i], source[names[i]], true);
    return target;
  }

  // Makes the first line of the stack read `label: message` and leaves no trace of `label` elsewhere. The line is
  // made when the stack is read for the first time, so it is read here. A guest's `Error.prepareStackTrace` may throw.
  function labelStack(error, label, hidden) {
    define(error, 'name', label, false);
    ErrorCaptureStackTrace(error, hidden);
    try {
      void error.stack;
    } catch {
      // The guest formats its stacks itself; the error is good without.
    }
    ReflectDeleteProperty(error, 'name');
  }

  function nameOf(Base) {
    switch (Base) {
      case TypeError: return 'TypeError';
      case RangeError: return 'RangeError';
      case SyntaxError: return 'SyntaxError';
      case URIError: return 'URIError';
      default: return 'Error';
    }
  }

  // What errors with a code inherit from, as those of Node's classes do: its `toString` shows the code.
  const prototypes = { __proto__: null };
  function prototypeFor(Base, code) {
    const key = `${nameOf(Base)} ${code}`;
    if (prototypes[key] === undefined) {
      const methods = {
        get constructor() {
          return Base;
        },
        toString() {
          return `${this.name} [${code}]: ${this.message}`;
        },
      };
      ObjectSetPrototypeOf(methods, Base.prototype);
      ObjectDefineProperty(methods, 'constructor', { __proto__: null, enumerable: false });
      ObjectDefineProperty(methods, 'toString', { __proto__: null, enumerable: false });
      prototypes[key] = methods;
    }
    return prototypes[key];
  }

  // An error with a code of Node: `name` is that of `Base`, the stack starts with `name [code]: message`.
  function nodeError(Base, code, message, hidden = nodeError) {
    const error = new Base(message);
    labelStack(error, `${nameOf(Base)} [${code}]`, hidden);
    ObjectSetPrototypeOf(error, prototypeFor(Base, code));
    define(error, 'code', code, true);
    return error;
  }

  // For the runtime. Without a code, with that of a failed `require`, and where the main file of a package is not there,
  // an error is as the engine makes it.
  const bases = { __proto__: null, Error, RangeError, SyntaxError, TypeError, URIError };
  function runtimeError(name, code, message) {
    const isPlain = code === '' || code === 'MODULE_NOT_FOUND' || StringPrototypeStartsWith(message, "Cannot find package '/");
    if (!isPlain) return nodeError(bases[name], code, message, runtimeError);
    const error = new bases[name](message);
    ErrorCaptureStackTrace(error, runtimeError);
    if (code !== '') define(error, 'code', code, true);
    return error;
  }

  // What Node says of a value that has the wrong type: `Received type number (5)`.
  function describe(value) {
    if (value === undefined || value === null) return ` Received ${value}`;
    if (typeof value === 'function') return ` Received function ${internal.safeName(value)}`;
    if (typeof value === 'object') {
      const name = internal.safeConstructorName(value);
      return name ? ` Received an instance of ${name}` : ` Received ${internal.inspect(value, { __proto__: null, depth: -1 })}`;
    }
    let shown = internal.inspect(value, { __proto__: null, colors: false });
    if (shown.length > 28) shown = `${StringPrototypeSlice(shown, 0, 25)}...`;
    return ` Received type ${typeof value} (${shown})`;
  }

  function listed(items) {
    if (items.length < 2) return `${items[0]}`;
    if (items.length === 2) return `${items[0]} or ${items[1]}`;
    return `${ArrayPrototypeJoin(copyList(items, 0, items.length - 1), ', ')}, or ${items[items.length - 1]}`;
  }

  const primitiveTypes = 'string number boolean bigint symbol object function';

  function subjectOf(name) {
    if (StringPrototypeEndsWith(name, ' argument')) return `The ${name}`;
    return `The "${name}" ${StringPrototypeIncludes(name, '.') ? 'property' : 'argument'}`;
  }

  function argumentType(name, expected, value) {
    const all = ArrayIsArray(expected) ? expected : [expected];
    const types = [];
    const classes = [];
    for (let i = 0; i < all.length; i++) {
      const isType = StringPrototypeIncludes(` ${primitiveTypes} `, ` ${all[i]} `);
      const list = isType ? types : classes;
      list[list.length] = all[i];
    }
    let text = '';
    if (types.length !== 0) text = `${types.length > 1 ? 'one of type' : 'of type'} ${listed(types)}`;
    if (classes.length !== 0) text += `${text === '' ? '' : ' or '}an instance of ${listed(classes)}`;
    return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `${subjectOf(name)} must be ${text}.${describe(value)}`, argumentType);
  }

  function argumentValue(name, value, reason = 'is invalid') {
    const shown = internal.inspect(value);
    const text = shown.length > 128 ? `${StringPrototypeSlice(shown, 0, 128)}...` : shown;
    const kind = StringPrototypeIncludes(name, '.') ? 'property' : 'argument';
    return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${kind} '${name}' ${reason}. Received ${text}`, argumentValue);
  }

  function outOfRange(name, range, value) {
    const shown = typeof value === 'bigint' ? `${value}n` : internal.inspect(value);
    return nodeError(RangeError, 'ERR_OUT_OF_RANGE',
      `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`, outOfRange);
  }

  function validateString(value, name) {
    if (typeof value !== 'string') throw argumentType(name, 'string', value);
  }
  function validateFunction(value, name) {
    if (typeof value !== 'function') throw argumentType(name, 'function', value);
  }
  function validateObject(value, name) {
    if (value === null || typeof value !== 'object') throw argumentType(name, 'object', value);
  }
  function validateNumber(value, name, min = -Infinity, max = Infinity) {
    if (typeof value !== 'number') throw argumentType(name, 'number', value);
    if (!(value >= min && value <= max)) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
  }
  function validateInteger(value, name, min = -9007199254740991, max = 9007199254740991) {
    if (typeof value !== 'number') throw argumentType(name, 'number', value);
    if (!NumberIsInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
  }

  // Names of the web's errors that have a number, and their constants. No error is made any more of those without a name.
  const legacy = [
    'IndexSizeError', 'INDEX_SIZE_ERR', 1, '', 'DOMSTRING_SIZE_ERR', 2, 'HierarchyRequestError', 'HIERARCHY_REQUEST_ERR', 3,
    'WrongDocumentError', 'WRONG_DOCUMENT_ERR', 4, 'InvalidCharacterError', 'INVALID_CHARACTER_ERR', 5,
    '', 'NO_DATA_ALLOWED_ERR', 6, 'NoModificationAllowedError', 'NO_MODIFICATION_ALLOWED_ERR', 7, 'NotFoundError', 'NOT_FOUND_ERR', 8,
    'NotSupportedError', 'NOT_SUPPORTED_ERR', 9, 'InUseAttributeError', 'INUSE_ATTRIBUTE_ERR', 10,
    'InvalidStateError', 'INVALID_STATE_ERR', 11, 'SyntaxError', 'SYNTAX_ERR', 12,
    '', 'VALIDATION_ERR', 16, 'InvalidModificationError', 'INVALID_MODIFICATION_ERR', 13, 'NamespaceError', 'NAMESPACE_ERR', 14,
    'InvalidAccessError', 'INVALID_ACCESS_ERR', 15, 'TypeMismatchError', 'TYPE_MISMATCH_ERR', 17,
    'SecurityError', 'SECURITY_ERR', 18, 'NetworkError', 'NETWORK_ERR', 19, 'AbortError', 'ABORT_ERR', 20,
    'URLMismatchError', 'URL_MISMATCH_ERR', 21, 'QuotaExceededError', 'QUOTA_EXCEEDED_ERR', 22,
    'TimeoutError', 'TIMEOUT_ERR', 23, 'InvalidNodeTypeError', 'INVALID_NODE_TYPE_ERR', 24,
    'DataCloneError', 'DATA_CLONE_ERR', 25,
  ];
  const legacyCodes = { __proto__: null };

  // The error class of the web. Its instances are real errors, so that stacks and structured clones work.
  class DOMException extends Error {
    constructor(message = '', options = 'Error') {
      super(message === undefined ? '' : `${message}`);
      let name = options;
      if (typeof options === 'object' && options !== null) {
        name = options.name === undefined ? 'Error' : options.name;
        if ('cause' in options) define(this, 'cause', options.cause, false);
      }
      name = String(name);
      labelStack(this, `DOMException [${name}]`, DOMException);
      define(this, 'name', name, false);
      define(this, 'code', legacyCodes[name] ?? 0, false);
    }
  }
  ObjectDefineProperty(DOMException.prototype, SymbolToStringTag, { __proto__: null, value: 'DOMException', configurable: true });
  for (let i = 0; i < legacy.length; i += 3) {
    if (legacy[i] !== '') legacyCodes[legacy[i]] = legacy[i + 2];
    const descriptor = { __proto__: null, value: legacy[i + 2], enumerable: true };
    ObjectDefineProperty(DOMException, legacy[i + 1], descriptor);
    ObjectDefineProperty(DOMException.prototype, legacy[i + 1], descriptor);
  }

  // Node's own flavour of an abort: a plain `Error` named AbortError, for its callback and promise functions.
  class AbortError extends Error {
    constructor(message = 'The operation was aborted', options = undefined) {
      super(message, options);
      define(this, 'name', 'AbortError', false);
      define(this, 'code', 'ABORT_ERR', true);
    }
  }
  define(AbortError, 'name', 'AbortError', false);

  internal.globals.DOMException = DOMException;
  internal.hooks.nodeError = runtimeError;
  internal.hooks.domException = (message, name) => new DOMException(message, name);
  internal.define = define;
  internal.defineAll = defineAll;
  internal.errors = {
    __proto__: null, AbortError, DOMException, argumentType, argumentValue, nodeError, outOfRange, validateFunction,
    validateInteger, validateNumber, validateObject, validateString,
  };
})
