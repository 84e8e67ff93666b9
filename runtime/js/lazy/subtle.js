// `crypto.subtle`: digests, HMAC, PBKDF2 and HKDF. All other algorithms are refused as not supported.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayPrototypeIncludes, ArrayPrototypePush, MathCeil, Number, ObjectDefineProperty, PromiseReject,
    PromiseResolve, ReflectApply, ReflectConstruct, StringPrototypeToUpperCase, SymbolFor, TypeError,
    TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSet, Uint8Array, listOf,
  } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;
  const { blockSizes, digestOf, hmacOf } = internal.digests;
  const { bytesOf } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  const key = {};

  const digests = { __proto__: null, 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
  const webTokens = { __proto__: null, 'SHA-1': 'HS1', 'SHA-256': 'HS256', 'SHA-384': 'HS384', 'SHA-512': 'HS512' };
  const methods = {
    __proto__: null, decrypt: 3, deriveBits: 2, deriveKey: 5, digest: 2, encrypt: 3, exportKey: 2, generateKey: 3, importKey: 5, sign: 3,
    unwrapKey: 7, verify: 4, wrapKey: 4,
  };

  let secretOf;

  class CryptoKey {
    #secret;
    #extractable;
    #algorithm;
    #usages;

    static {
      secretOf = (value) => (typeof value === 'object' && value !== null && #secret in value ? value.#secret : undefined);
    }

    constructor() {
      if (arguments[0] !== key) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', CryptoKey);
      this.#secret = arguments[1];
      this.#algorithm = arguments[2];
      this.#extractable = arguments[3];
      this.#usages = arguments[4];
    }
    get type() {
      void this.#secret;
      return 'secret';
    }
    get extractable() {
      return this.#extractable;
    }
    get algorithm() {
      return this.#algorithm;
    }
    get usages() {
      return this.#usages;
    }
    [customInspect](depth, options) {
      if (depth < 0) return this;
      const { type, extractable, algorithm, usages } = this;
      return `CryptoKey ${internal.inspect({ type, extractable, algorithm, usages }, { __proto__: null, ...options, depth: 0 })}`;
    }
  }

  // --- What comes in ---

  function refuse(message, name) {
    return new DOMException(message, name);
  }

  function nameOf(algorithm) {
    if (typeof algorithm === 'string') return algorithm;
    if (typeof algorithm === 'object' && algorithm !== null && algorithm.name !== undefined) return `${algorithm.name}`;
    throw nodeError(TypeError, 'ERR_MISSING_OPTION',
      "Failed to normalize algorithm: passed algorithm can not be converted to 'Algorithm' because 'name' is required in 'Algorithm'.");
  }

  // The name as the standard writes it.
  function normal(algorithm) {
    const name = StringPrototypeToUpperCase(nameOf(algorithm));
    if (digests[name] !== undefined || name === 'HMAC' || name === 'PBKDF2' || name === 'HKDF') return name;
    throw refuse('Unrecognized algorithm name', 'NotSupportedError');
  }

  function hashName(algorithm) {
    const name = normal(algorithm?.hash);
    if (digests[name] === undefined) throw refuse('Unrecognized algorithm name', 'NotSupportedError');
    return name;
  }

  function bytes(value, method, place) {
    const isBytes = ArrayBufferIsView(value) || (typeof value === 'object' && value !== null && native.isKind(value) === 'ArrayBuffer');
    if (isBytes) return bytesOf(value);
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE',
      `Failed to execute '${method}' on 'SubtleCrypto': ${place} argument is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  }

  function listOfUsages(given, allowed, message) {
    const usages = [];
    const list = listOf(given);
    for (let i = 0; i < list.length; i++) {
      const usage = list[i];
      if (!ArrayPrototypeIncludes(allowed, usage)) throw refuse(message, 'SyntaxError');
      if (!ArrayPrototypeIncludes(usages, usage)) ArrayPrototypePush(usages, usage);
    }
    return usages;
  }

  function newKey(secret, algorithm, extractable, usages) {
    return ReflectConstruct(CryptoKey, [key, secret, algorithm, !!extractable, usages]);
  }

  function useKey(value, name, usage, verb) {
    const secret = secretOf(value);
    if (secret === undefined) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `Failed to execute '${verb}' on 'SubtleCrypto': argument is not of type CryptoKey.`);
    if (value.algorithm.name !== name) throw refuse(`Unable to use this key to ${verb}`, 'InvalidAccessError');
    if (usage !== undefined && !ArrayPrototypeIncludes(value.usages, usage)) throw refuse(`Unable to use this key to ${verb}`, 'InvalidAccessError');
    return secret;
  }

  // A copy that nobody else holds.
  function copied(source) {
    const copy = new Uint8Array(TypedArrayPrototypeGetByteLength(source));
    TypedArrayPrototypeSet(copy, source);
    return copy;
  }

  function equal(a, b) {
    const size = TypedArrayPrototypeGetByteLength(a);
    if (size !== TypedArrayPrototypeGetByteLength(b)) return false;
    let difference = 0;
    for (let i = 0; i < size; i++) difference |= a[i] ^ b[i];
    return difference === 0;
  }

  // --- The operations ---

  function hmacKey(secret, algorithm, extractable, usages) {
    const hash = { name: hashName(algorithm) };
    const length = TypedArrayPrototypeGetByteLength(secret) * 8;
    if (length === 0) throw refuse('Zero-length key is not supported', 'DataError');
    return newKey(secret, { name: 'HMAC', hash, length }, extractable, usages);
  }

  function hmacUsages(usages) {
    return listOfUsages(usages, ['sign', 'verify'], 'Unsupported key usage for an HMAC key');
  }

  function fromWebToken(data) {
    if (typeof data !== 'object' || data === null || data.kty !== 'oct' || typeof data.k !== 'string') throw refuse('Invalid keyData', 'DataError');
    const decoded = internal.Buffer.from(data.k, 'base64url');
    return copied(bytesOf(decoded));
  }

  function expand(kind, { salt, info }, secret, length) {
    const extracted = hmacOf(kind, bytes(salt, 'deriveBits', 'salt'), secret);
    const context = bytes(info, 'deriveBits', 'info');
    const size = TypedArrayPrototypeGetByteLength(context);
    const all = new Uint8Array(length);
    let last = new Uint8Array(0);
    for (let at = 0, counter = 1; at < length; counter++) {
      if (counter > 255) throw refuse('The operation failed for an operation-specific reason', 'OperationError');
      const before = TypedArrayPrototypeGetByteLength(last);
      const input = new Uint8Array(before + size + 1);
      TypedArrayPrototypeSet(input, last);
      TypedArrayPrototypeSet(input, context, before);
      input[before + size] = counter;
      last = hmacOf(kind, extracted, input);
      for (let i = 0; i < TypedArrayPrototypeGetByteLength(last) && at < length; i++, at++) all[at] = last[i];
    }
    return all;
  }

  function derive(algorithm, base, bits, usage) {
    const name = normal(algorithm);
    if (name !== 'PBKDF2' && name !== 'HKDF') throw refuse('Unrecognized algorithm name', 'NotSupportedError');
    const secret = useKey(base, name, usage, usage);
    if (bits === null || bits === undefined) throw refuse('length cannot be null', 'OperationError');
    if (!(bits >= 0 && bits < 2 ** 34 && bits % 8 === 0)) throw refuse('length must be a multiple of 8', 'OperationError');
    const kind = digests[hashName(algorithm)];
    if (name === 'HKDF') return expand(kind, algorithm, secret, bits / 8);
    const iterations = Number(algorithm.iterations);
    if (!(iterations >= 1 && iterations <= 0xffffffff)) throw refuse('iterations cannot be zero', 'OperationError');
    return native.pbkdf2(kind, secret, bytes(algorithm.salt, usage, 'salt'), iterations, bits / 8);
  }

  const operations = {
    __proto__: null,
    digest(algorithm, data) {
      const name = normal(algorithm);
      if (digests[name] === undefined) throw refuse('Unrecognized algorithm name', 'NotSupportedError');
      return TypedArrayPrototypeGetBuffer(digestOf(digests[name], bytes(data, 'digest', '2nd')));
    },
    generateKey(algorithm, extractable, usages) {
      if (normal(algorithm) !== 'HMAC') throw refuse('Unrecognized algorithm name', 'NotSupportedError');
      const name = hashName(algorithm);
      const used = hmacUsages(usages);
      if (used.length === 0) throw refuse('Usages cannot be empty when creating a key.', 'SyntaxError');
      const bits = algorithm.length === undefined ? blockSizes[digests[name]] * 8 : Number(algorithm.length);
      const secret = new Uint8Array(MathCeil(bits / 8));
      native.randomFill(secret);
      return newKey(secret, { name: 'HMAC', length: bits, hash: { name } }, extractable, used);
    },
    importKey(format, data, algorithm, extractable, usages) {
      const name = normal(algorithm);
      if (name === 'PBKDF2' || name === 'HKDF') {
        if (format !== 'raw') throw refuse(`Unable to import ${name} key with format ${format}`, 'NotSupportedError');
        const used = listOfUsages(usages, ['deriveKey', 'deriveBits'], `Unsupported key usage for a ${name} key`);
        if (extractable) throw refuse(`${name} keys are not extractable`, 'SyntaxError');
        return newKey(copied(bytes(data, 'importKey', '2nd')), { name }, false, used);
      }
      if (name !== 'HMAC' || (format !== 'raw' && format !== 'jwk')) throw refuse('Unable to import the key', 'NotSupportedError');
      const used = hmacUsages(usages);
      if (used.length === 0) throw refuse('Usages cannot be empty when importing a secret key.', 'SyntaxError');
      return hmacKey(format === 'jwk' ? fromWebToken(data) : copied(bytes(data, 'importKey', '2nd')), algorithm, extractable, used);
    },
    exportKey(format, of) {
      const secret = secretOf(of);
      if (secret === undefined) throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', "Failed to execute 'exportKey' on 'SubtleCrypto': 2nd argument is not of type CryptoKey.");
      if (!of.extractable) throw refuse('key is not extractable', 'InvalidAccessException');
      if (format === 'raw') return TypedArrayPrototypeGetBuffer(copied(secret));
      if (format !== 'jwk') throw refuse('Unable to export a raw key', 'NotSupportedError');
      const k = internal.Buffer.from(secret).toString('base64url');
      return { key_ops: of.usages, ext: true, kty: 'oct', k, alg: webTokens[of.algorithm.hash.name] };
    },
    sign(algorithm, with_, data) {
      normalOrKey(algorithm, 'sign', with_);
      const secret = useKey(with_, 'HMAC', 'sign', 'sign');
      return TypedArrayPrototypeGetBuffer(hmacOf(digests[with_.algorithm.hash.name], secret, bytes(data, 'sign', '3rd')));
    },
    verify(algorithm, with_, signature, data) {
      normalOrKey(algorithm, 'verify', with_);
      const secret = useKey(with_, 'HMAC', 'verify', 'verify');
      return equal(hmacOf(digests[with_.algorithm.hash.name], secret, bytes(data, 'verify', '4th')), bytes(signature, 'verify', '3rd'));
    },
    deriveBits(algorithm, base, length = null) {
      return TypedArrayPrototypeGetBuffer(derive(algorithm, base, length, 'deriveBits'));
    },
    deriveKey(algorithm, base, wanted, extractable, usages) {
      if (normal(wanted) !== 'HMAC') throw refuse('Unrecognized algorithm name', 'NotSupportedError');
      const bits = wanted.length === undefined ? blockSizes[digests[hashName(wanted)]] * 8 : Number(wanted.length);
      return hmacKey(derive(algorithm, base, bits, 'deriveKey'), wanted, extractable, hmacUsages(usages));
    },
  };

  // With a key at hand, the name of an algorithm that only others know is the wrong key's.
  function normalOrKey(algorithm, verb, with_) {
    if (StringPrototypeToUpperCase(nameOf(algorithm)) === 'HMAC') return;
    if (secretOf(with_) !== undefined) throw refuse(`Unable to use this key to ${verb}`, 'InvalidAccessError');
    normal(algorithm);
  }

  class SubtleCrypto {
    constructor() {
      if (arguments[0] !== key) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', SubtleCrypto);
    }
  }

  // Each method answers with a promise, whatever goes wrong.
  function addMethod(name, count) {
    const wrapped = {
      [name](...args) {
        try {
          if (args.length < count) {
            throw nodeError(TypeError, 'ERR_MISSING_ARGS',
              `Failed to execute '${name}' on 'SubtleCrypto': ${count} arguments required, but only ${args.length} present.`);
          }
          if (operations[name] === undefined) throw refuse('Unrecognized algorithm name', 'NotSupportedError');
          return PromiseResolve(ReflectApply(operations[name], undefined, args));
        } catch (error) {
          return PromiseReject(error);
        }
      },
    }[name];
    ObjectDefineProperty(wrapped, 'length', { __proto__: null, value: count });
    internal.define(SubtleCrypto.prototype, name, wrapped, true);
  }
  for (const name in methods) addMethod(name, methods[name]);

  internal.finishClass(CryptoKey, 'CryptoKey');
  internal.finishClass(SubtleCrypto, 'SubtleCrypto');
  internal.subtle = ReflectConstruct(SubtleCrypto, [key]);
})
