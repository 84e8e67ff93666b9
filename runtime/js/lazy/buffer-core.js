// `Buffer`: making buffers, and turning them into text and back.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayBufferPrototypeGetByteLength, ArrayIsArray, ArrayPrototypeJoin, ArrayPrototypePush,
    MathMin, MathTrunc, NumberPrototypeToString, ObjectDefineProperty, ObjectSetPrototypeOf, RangeError,
    StringFromCharCode, StringPrototypeCharCodeAt, StringPrototypePadStart, StringPrototypeToLowerCase, SymbolSpecies,
    SymbolToPrimitive, TypeError, TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeGetLength, TypedArrayPrototypeGetSymbolToStringTag,
    TypedArrayPrototypeSet, Uint8Array, Uint8ArrayPrototypeToBase64, Uint8ArrayPrototypeToHex,
  } = internal.primordials;
  const { argumentType, nodeError, validateNumber } = internal.errors;
  const K_MAX_LENGTH = 2 ** 32;
  const K_STRING_MAX_LENGTH = 536870888;
  const isKind = (value, kind) => typeof value === 'object' && value !== null && native.isKind(value) === kind;

  class FastBuffer extends Uint8Array {
    // The arguments are spelled out: spreading them would ask the guest's array iterator.
    constructor(source, offset, length) {
      super(source, offset, length);
    }
  }

  function Buffer(value, encodingOrOffset, length) {
    if (typeof value === 'number') {
      if (typeof encodingOrOffset === 'string') throw argumentType('string', 'string', value);
      return Buffer.alloc(value);
    }
    return Buffer.from(value, encodingOrOffset, length);
  }
  Buffer.prototype = FastBuffer.prototype;
  internal.define(FastBuffer.prototype, 'constructor', Buffer, false);
  ObjectSetPrototypeOf(Buffer, Uint8Array);
  ObjectDefineProperty(Buffer, SymbolSpecies, { __proto__: null, configurable: true, get: () => FastBuffer });

  function isBytes(value) {
    return ArrayBufferIsView(value) && TypedArrayPrototypeGetSymbolToStringTag(value) === 'Uint8Array';
  }
  const sizeOf = TypedArrayPrototypeGetByteLength;

  // A buffer over memory that another view has; nothing is copied.
  function wrap(view) {
    return new FastBuffer(TypedArrayPrototypeGetBuffer(view), TypedArrayPrototypeGetByteOffset(view), sizeOf(view));
  }
  function view(buffer, start, end) {
    return new FastBuffer(TypedArrayPrototypeGetBuffer(buffer), TypedArrayPrototypeGetByteOffset(buffer) + start, end > start ? end - start : 0);
  }

  // --- Encodings ---

  const alphabets = {
    __proto__: null, base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
    base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  };
  const digits = { __proto__: null };
  for (let i = 0; i < 64; i++) {
    digits[StringPrototypeCharCodeAt(alphabets.base64, i)] = i;
    digits[StringPrototypeCharCodeAt(alphabets.base64url, i)] = i;
  }

  function normalEncoding(encoding) {
    if (encoding === undefined || encoding === null || encoding === '' || encoding === 'utf8') return 'utf8';
    switch (StringPrototypeToLowerCase(`${encoding}`)) {
      case 'utf8': case 'utf-8': return 'utf8';
      case 'ucs2': case 'ucs-2': case 'utf16le': case 'utf-16le': return 'utf16le';
      case 'latin1': case 'binary': return 'latin1';
      case 'base64': return 'base64';
      case 'base64url': return 'base64url';
      case 'hex': return 'hex';
      case 'ascii': return 'ascii';
      default: return undefined;
    }
  }

  function knownEncoding(encoding) {
    const known = normalEncoding(encoding);
    if (known === undefined) throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`, knownEncoding);
    return known;
  }

  function encodeUnits(text, bytesPerUnit) {
    const bytes = new FastBuffer(text.length * bytesPerUnit);
    for (let i = 0; i < text.length; i++) {
      const unit = StringPrototypeCharCodeAt(text, i);
      bytes[i * bytesPerUnit] = unit;
      if (bytesPerUnit === 2) bytes[i * 2 + 1] = unit >> 8;
    }
    return bytes;
  }

  function hexDigit(code) {
    if (code >= 48 && code <= 57) return code - 48;
    const lower = code | 32;
    return lower >= 97 && lower <= 102 ? lower - 87 : -1;
  }

  // Stops at the first pair that is no hexadecimal number, as Node does.
  function encodeHex(text) {
    const bytes = new FastBuffer(text.length >> 1);
    let size = 0;
    for (; size < text.length >> 1; size++) {
      const high = hexDigit(StringPrototypeCharCodeAt(text, size * 2));
      const low = hexDigit(StringPrototypeCharCodeAt(text, size * 2 + 1));
      if (high < 0 || low < 0) break;
      bytes[size] = (high << 4) | low;
    }
    return view(bytes, 0, size);
  }

  // Takes both alphabets, skips what belongs to neither, and stops at the padding.
  function encodeBase64(text) {
    const bytes = new FastBuffer(MathTrunc((text.length * 3) / 4) + 1);
    let size = 0;
    let bits = 0;
    let count = 0;
    for (let i = 0; i < text.length; i++) {
      const code = StringPrototypeCharCodeAt(text, i);
      if (code === 61) break;
      const digit = digits[code];
      if (digit === undefined) continue;
      bits = ((bits << 6) | digit) & 0xffffff;
      count += 6;
      if (count >= 8) {
        count -= 8;
        bytes[size++] = bits >> count;
      }
    }
    return view(bytes, 0, size);
  }

  function encode(text, encoding) {
    switch (encoding) {
      case 'utf8': return wrap(native.utf8Encode(text));
      case 'utf16le': return encodeUnits(text, 2);
      case 'hex': return encodeHex(text);
      case 'base64': case 'base64url': return encodeBase64(text);
      default: return encodeUnits(text, 1);
    }
  }

  function inPieces(size, step, piece) {
    const parts = [];
    for (let i = 0; i < size; i += step) ArrayPrototypePush(parts, piece(i, MathMin(i + step, size)));
    return ArrayPrototypeJoin(parts, '');
  }

  function toHex(bytes, size) {
    if (Uint8ArrayPrototypeToHex !== undefined) return Uint8ArrayPrototypeToHex(bytes);
    return inPieces(size, 1, (i) => StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, '0'));
  }

  function toBase64(bytes, size, encoding) {
    if (Uint8ArrayPrototypeToBase64 !== undefined) {
      return Uint8ArrayPrototypeToBase64(bytes, { __proto__: null, alphabet: encoding, omitPadding: encoding === 'base64url' });
    }
    const alphabet = alphabets[encoding];
    const pad = encoding === 'base64' ? '=' : '';
    return inPieces(size, 3, (i, end) => {
      const b = end - i > 1 ? bytes[i + 1] : 0;
      const c = end - i > 2 ? bytes[i + 2] : 0;
      const third = end - i > 1 ? alphabet[((b & 15) << 2) | (c >> 6)] : pad;
      return alphabet[bytes[i] >> 2] + alphabet[((bytes[i] & 3) << 4) | (b >> 4)] + third + (end - i > 2 ? alphabet[c & 63] : pad);
    });
  }

  function decode(bytes, encoding) {
    const size = sizeOf(bytes);
    switch (encoding) {
      case 'utf8': return native.utf8Decode(bytes, false, true);
      case 'utf16le': return inPieces(size - (size % 2), 2, (i) => StringFromCharCode(bytes[i] | (bytes[i + 1] << 8)));
      case 'hex': return toHex(bytes, size);
      case 'base64': case 'base64url': return toBase64(bytes, size, encoding);
      case 'ascii': return inPieces(size, 1, (i) => StringFromCharCode(bytes[i] & 127));
      default: return internal.fromUnits(bytes, 0, size);
    }
  }

  function byteLength(value, encoding) {
    if (typeof value !== 'string') {
      if (ArrayBufferIsView(value)) return internal.bytesOf(value).byteLength;
      if (isKind(value, 'ArrayBuffer') || isKind(value, 'SharedArrayBuffer')) return value.byteLength;
      throw argumentType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
    }
    switch (normalEncoding(encoding)) {
      case 'utf16le': return value.length * 2;
      case 'hex': return value.length >> 1;
      case 'ascii': case 'latin1': return value.length;
      case 'base64': case 'base64url': return base64Length(value);
      default: return native.utf8Length(value);
    }
  }

  function base64Length(text) {
    let { length } = text;
    if (length > 0 && StringPrototypeCharCodeAt(text, length - 1) === 61) length--;
    if (length > 0 && StringPrototypeCharCodeAt(text, length - 1) === 61) length--;
    return MathTrunc((length * 3) / 4);
  }

  // --- Making ---

  function fromArrayLike(source) {
    const length = source.length > 0 ? MathTrunc(source.length) : 0;
    if (length > K_MAX_LENGTH) throw tooLarge();
    const buffer = new FastBuffer(length);
    if (ArrayBufferIsView(source) && TypedArrayPrototypeGetSymbolToStringTag(source) !== undefined) {
      TypedArrayPrototypeSet(buffer, source);
    } else {
      for (let i = 0; i < length; i++) buffer[i] = source[i];
    }
    return buffer;
  }

  function tooLarge() {
    return nodeError(RangeError, 'ERR_INVALID_ARG_VALUE', 'The buffer would be too large', tooLarge);
  }

  function fromArrayBuffer(source, offset, length) {
    const start = offset === undefined ? 0 : +offset || 0;
    const limit = (isKind(source, 'ArrayBuffer') ? ArrayBufferPrototypeGetByteLength(source) : source.byteLength) - start;
    if (limit < 0) throw nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds', fromArrayBuffer);
    let size = limit;
    if (length !== undefined) {
      size = +length > 0 ? +length : 0;
      if (size > limit) throw nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds', fromArrayBuffer);
    }
    return new FastBuffer(source, start, size);
  }

  function fromObject(value) {
    if (value.length !== undefined || isKind(value.buffer, 'ArrayBuffer')) {
      return typeof value.length === 'number' ? fromArrayLike(value) : new FastBuffer(0);
    }
    if (value.type === 'Buffer' && ArrayIsArray(value.data)) return fromArrayLike(value.data);
    return undefined;
  }

  internal.define(Buffer, 'from', function from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return encode(value, knownEncoding(encodingOrOffset));
    if (typeof value === 'object' && value !== null) {
      if (isKind(value, 'ArrayBuffer') || isKind(value, 'SharedArrayBuffer')) return fromArrayBuffer(value, encodingOrOffset, length);
      if (ArrayIsArray(value) || TypedArrayPrototypeGetSymbolToStringTag(value) !== undefined) return fromArrayLike(value);
      const inner = value.valueOf?.();
      if (inner !== undefined && inner !== null && inner !== value && (typeof inner === 'string' || typeof inner === 'object')) {
        return Buffer.from(inner, encodingOrOffset, length);
      }
      const made = fromObject(value);
      if (made !== undefined) return made;
      if (typeof value[SymbolToPrimitive] === 'function') {
        const primitive = value[SymbolToPrimitive]('string');
        if (typeof primitive === 'string') return encode(primitive, knownEncoding(encodingOrOffset));
      }
    }
    throw argumentType('first argument', ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
  }, true);

  internal.define(Buffer, 'copyBytesFrom', function copyBytesFrom(source, offset = 0, length = undefined) {
    if (TypedArrayPrototypeGetSymbolToStringTag(source) === undefined) throw argumentType('view', 'TypedArray', source);
    const each = source.BYTES_PER_ELEMENT;
    const end = length === undefined ? TypedArrayPrototypeGetLength(source) : MathMin(offset + length, TypedArrayPrototypeGetLength(source));
    return fromArrayLike(view(internal.bytesOf(source), offset * each, end * each));
  }, true);

  internal.define(Buffer, 'of', function of(...items) {
    return fromArrayLike(items);
  }, true);

  function checkSize(size) {
    validateNumber(size, 'size', 0, K_MAX_LENGTH);
  }

  internal.define(Buffer, 'alloc', function alloc(size, fill, encoding) {
    checkSize(size);
    const buffer = new FastBuffer(size);
    if (fill !== undefined && fill !== 0 && size > 0) buffer.fill(fill, encoding);
    return buffer;
  }, true);
  // Memory that is not zeroed could show what another user of the process left in it, so there is none.
  internal.define(Buffer, 'allocUnsafe', function allocUnsafe(size) {
    checkSize(size);
    return new FastBuffer(size);
  }, true);
  internal.define(Buffer, 'allocUnsafeSlow', function allocUnsafeSlow(size) {
    checkSize(size);
    return new FastBuffer(size);
  }, true);

  internal.define(Buffer, 'concat', function concat(list, length = undefined) {
    if (!ArrayIsArray(list)) throw argumentType('list', 'Array', list);
    let total = 0;
    for (let i = 0; i < list.length; i++) {
      if (!isBytes(list[i])) throw argumentType(`list[${i}]`, ['Buffer', 'Uint8Array'], list[i]);
      total += sizeOf(list[i]);
    }
    const size = length === undefined ? total : length;
    validateNumber(size, 'length', 0, K_MAX_LENGTH);
    const result = new FastBuffer(size);
    let at = 0;
    for (let i = 0; i < list.length && at < size; i++) {
      const fits = MathMin(sizeOf(list[i]), size - at);
      TypedArrayPrototypeSet(result, fits === sizeOf(list[i]) ? list[i] : view(list[i], 0, fits), at);
      at += fits;
    }
    return result;
  }, true);

  internal.define(Buffer, 'isBuffer', function isBuffer(value) {
    return value instanceof FastBuffer;
  }, true);
  internal.define(Buffer, 'isEncoding', function isEncoding(encoding) {
    return typeof encoding === 'string' && encoding !== '' && normalEncoding(encoding) !== undefined;
  }, true);
  internal.define(Buffer, 'byteLength', byteLength, true);
  internal.define(Buffer, 'poolSize', 8192, true);
  internal.define(Buffer, 'compare', function compare(a, b) {
    if (!isBytes(a)) throw argumentType('buf1', ['Buffer', 'Uint8Array'], a);
    if (!isBytes(b)) throw argumentType('buf2', ['Buffer', 'Uint8Array'], b);
    return compareBytes(a, b);
  }, true);

  function compareBytes(a, b) {
    const shared = MathMin(sizeOf(a), sizeOf(b));
    for (let i = 0; i < shared; i++) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return sizeOf(a) === sizeOf(b) ? 0 : sizeOf(a) < sizeOf(b) ? -1 : 1;
  }

  internal.bufferParts = {
    __proto__: null, Buffer, FastBuffer, K_MAX_LENGTH, K_STRING_MAX_LENGTH, compareBytes, decode, encode, isBytes,
    knownEncoding, normalEncoding, sizeOf, view, wrap,
  };
})
