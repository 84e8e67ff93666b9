// `crypto`: random numbers of the operating system, and the `crypto` module as far as a session has it.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, NumberIsSafeInteger, NumberPrototypeToString, ObjectDefineProperty, RangeError, ReflectApply, StringPrototypeSlice, TypeError, TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetSymbolToStringTag, Uint8Array,
  } = internal.primordials;
  const { DOMException, argumentType, nodeError, outOfRange, validateFunction, validateInteger } = internal.errors;
  const key = {};
  const integerArrays = {
    __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
    Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
  };
  const hex = [];
  for (let i = 0; i < 256; i++) hex[i] = StringPrototypeSlice(NumberPrototypeToString(i + 256, 16), 1);

  function randomUUID() {
    const bytes = new Uint8Array(16);
    native.randomFill(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex[bytes[i]];
    return text;
  }

  function getRandomValues(array) {
    const name = typeof array === 'object' && array !== null ? TypedArrayPrototypeGetSymbolToStringTag(array) : undefined;
    if (name === undefined || integerArrays[name] !== true) {
      throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    }
    const size = TypedArrayPrototypeGetByteLength(array);
    if (size > 65536) {
      throw new DOMException(`The requested length (${size}) exceeds the quota of 65536 bytes`, 'QuotaExceededError');
    }
    native.randomFill(array);
    if (internal.drawn !== undefined) internal.drawn(array);
    return array;
  }

  class Crypto {
    constructor() {
      if (arguments[0] !== key) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', Crypto);
    }
    getRandomValues(array) {
      return getRandomValues(array);
    }
    randomUUID() {
      return randomUUID();
    }
    get subtle() {
      return internal.subtle;
    }
  }
  internal.finishClass(Crypto, 'Crypto');
  const webcrypto = new Crypto(key);
  internal.globals.crypto = webcrypto;
  internal.randomUUID = randomUUID;

  // --- The module ---

  function later(callback, error, value) {
    internal.nextTick(() => callback(error, value));
  }

  function randomBytes(size, callback = undefined) {
    validateInteger(size, 'size', 0, 2147483647);
    if (callback !== undefined) validateFunction(callback, 'callback');
    const bytes = internal.Buffer.alloc(size);
    native.randomFill(bytes);
    if (callback === undefined) return bytes;
    later(callback, null, bytes);
    return undefined;
  }

  function randomFillSync(buffer, offset = 0, size = undefined) {
    const bytes = internal.bytesOf(buffer, 'buf');
    const each = ArrayBufferIsView(buffer) && TypedArrayPrototypeGetSymbolToStringTag(buffer) !== undefined ? buffer.BYTES_PER_ELEMENT : 1;
    const total = TypedArrayPrototypeGetByteLength(bytes);
    validateInteger(offset, 'offset', 0, total / each);
    const start = offset * each;
    const length = size === undefined ? total - start : size * each;
    if (!(length >= 0 && start + length <= total)) throw outOfRange('size + offset', `<= ${total / each}`, offset + size);
    const range = new Uint8Array(bytes.buffer, bytes.byteOffset + start, length);
    native.randomFill(range);
    if (internal.drawn !== undefined) internal.drawn(buffer);
    return buffer;
  }

  function randomFill(buffer, offset, size, callback) {
    if (typeof offset === 'function') return randomFill(buffer, 0, undefined, offset);
    if (typeof size === 'function') return randomFill(buffer, offset, undefined, size);
    validateFunction(callback, 'callback');
    randomFillSync(buffer, offset, size);
    later(callback, null, buffer);
    return undefined;
  }

  // Six random bytes; what is beyond the last whole multiple of the range is drawn again, so no number is favoured.
  function randomInt(min, max, callback) {
    if (max === undefined || typeof max === 'function') return randomInt(0, min, max);
    if (!NumberIsSafeInteger(min)) throw argumentType('min', 'a safe integer', min);
    if (!NumberIsSafeInteger(max)) throw argumentType('max', 'a safe integer', max);
    if (callback !== undefined) validateFunction(callback, 'callback');
    const range = max - min;
    if (!(range > 0)) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
    if (range > 2 ** 48 - 1) throw outOfRange(min === 0 ? 'max' : 'max - min', `<= ${2 ** 48 - 1}`, range);
    const limit = 2 ** 48 - (2 ** 48 % range);
    let drawn;
    do {
      const bytes = new Uint8Array(6);
      native.randomFill(bytes);
      drawn = 0;
      for (let i = 0; i < 6; i++) drawn = drawn * 256 + bytes[i];
    } while (drawn >= limit);
    const result = min + (drawn % range);
    if (callback === undefined) return result;
    later(callback, null, result);
    return undefined;
  }

  // Looks at every byte, wherever the first difference is.
  function timingSafeEqual(a, b) {
    const first = internal.bytesOf(a, 'buf1');
    const second = internal.bytesOf(b, 'buf2');
    const size = TypedArrayPrototypeGetByteLength(first);
    if (size !== TypedArrayPrototypeGetByteLength(second)) {
      throw nodeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length', timingSafeEqual);
    }
    let difference = 0;
    for (let i = 0; i < size; i++) difference |= first[i] ^ second[i];
    return difference === 0;
  }

  internal.builtins.crypto = () => {
    const exports = {
      webcrypto, getRandomValues: (array) => getRandomValues(array), randomBytes, pseudoRandomBytes: randomBytes, rng: randomBytes, prng: randomBytes,
      randomFill, randomFillSync, randomInt, randomUUID: () => randomUUID(), timingSafeEqual, constants: {
        __proto__: null, RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_X931_PADDING: 5, RSA_PKCS1_PSS_PADDING: 6, RSA_PSS_SALTLEN_DIGEST: -1,
        RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2, POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4, POINT_CONVERSION_HYBRID: 6,
      },
      getCiphers: () => [], getCurves: () => [], getFips: () => 0, secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 2 }), subtle: webcrypto.subtle,
    };
    // Digests come with the streams that they are.
    const digests = ['createHash', 'createHmac', 'hash', 'pbkdf2', 'pbkdf2Sync', 'hkdf', 'hkdfSync', 'getHashes'];
    for (let i = 0; i < digests.length; i++) {
      exports[digests[i]] = internal.denied.named((...args) => ReflectApply(internal.cryptoHash[digests[i]], undefined, args), digests[i]);
    }
    const classes = ['Hash', 'Hmac'];
    for (let i = 0; i < classes.length; i++) {
      ObjectDefineProperty(exports, classes[i], { __proto__: null, get: () => internal.cryptoHash[classes[i]], enumerable: true, configurable: true });
    }
    internal.defineAll(exports, internal.denied.members('crypto', undefined, {
      functions: 'checkPrime checkPrimeSync createCipheriv createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH createPrivateKey createPublicKey '
        + 'createSecretKey createSign createVerify diffieHellman generatePrime generatePrimeSync getCipherInfo getDiffieHellman scrypt scryptSync generateKeyPair '
        + 'generateKeyPairSync generateKey generateKeySync privateDecrypt privateEncrypt publicDecrypt publicEncrypt sign setEngine setFips verify',
      classes: 'Certificate Cipher Cipheriv Decipher Decipheriv DiffieHellman DiffieHellmanGroup ECDH KeyObject Sign Verify X509Certificate',
    }));
    return exports;
  };
})
