// The methods of `Buffer.prototype`, and the `buffer` module.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, DataView, MathMax, MathMin, MathTrunc, NumberIsInteger, NumberIsNaN, NumberPrototypeToString,
    ObjectDefineProperty, RangeError, ReflectApply, StringPrototypePadStart, StringPrototypeSlice,
    StringPrototypeStartsWith, SymbolFor, TypeError,
    TypedArrayPrototypeFill, TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeSet,
  } = internal.primordials;
  const {
    argumentType, argumentValue, nodeError, outOfRange, validateInteger, validateNumber, validateString,
  } = internal.errors;
  const {
    Buffer, K_MAX_LENGTH, K_STRING_MAX_LENGTH, compareBytes, decode, encode, isBytes, knownEncoding, normalEncoding, sizeOf,
    view,
  } = internal.bufferParts;
  const proto = Buffer.prototype;

  function put(methods) {
    internal.defineAll(proto, methods);
  }

  // An index as `slice` takes it: counted from the end where negative, kept inside the buffer.
  function clamp(index, size, fallback) {
    if (index === undefined) return fallback;
    const at = MathTrunc(+index) || 0;
    return at < 0 ? MathMax(0, size + at) : MathMin(at, size);
  }

  function toString(encoding, start, end) {
    const size = sizeOf(this);
    const from = start === undefined || start <= 0 ? 0 : start >= size ? size : MathTrunc(start) || 0;
    const to = end === undefined || end >= size ? size : end <= 0 ? 0 : MathTrunc(end) || 0;
    if (to <= from) return '';
    return decode(from === 0 && to === size ? this : view(this, from, to), knownEncoding(encoding));
  }

  function slice(start, end) {
    const size = sizeOf(this);
    const from = clamp(start, size, 0);
    return view(this, from, clamp(end, size, size));
  }

  function write(text, offset, length, encoding) {
    validateString(text, 'argument');
    const size = sizeOf(this);
    if (typeof offset === 'string') {
      encoding = offset;
      offset = 0;
      length = size;
    } else if (typeof length === 'string') {
      encoding = length;
      length = undefined;
    }
    const at = offset === undefined ? 0 : offset;
    validateInteger(at, 'offset', 0, size);
    let room = size - at;
    if (length !== undefined) {
      validateInteger(length, 'length', 0);
      room = MathMin(room, length);
    }
    return writeBytes(this, text, at, room, knownEncoding(encoding));
  }

  // Never writes a part of a character.
  function writeBytes(target, text, at, room, encoding) {
    const bytes = encode(text, encoding);
    let fits = MathMin(room, sizeOf(bytes));
    if (encoding === 'utf8') while (fits < sizeOf(bytes) && fits > 0 && (bytes[fits] & 0xc0) === 0x80) fits--;
    else if (encoding === 'utf16le') fits -= fits % 2;
    TypedArrayPrototypeSet(target, fits === sizeOf(bytes) ? bytes : view(bytes, 0, fits), at);
    return fits;
  }

  function fill(value, offset, end, encoding) {
    const size = sizeOf(this);
    if (typeof offset === 'string') {
      encoding = offset;
      offset = undefined;
    } else if (typeof end === 'string') {
      encoding = end;
      end = undefined;
    }
    const from = offset === undefined ? 0 : offset;
    const to = end === undefined ? size : end;
    validateNumber(from, 'offset', 0, size);
    validateNumber(to, 'end', 0, size);
    if (typeof value === 'string' || isBytes(value)) {
      const bytes = typeof value === 'string' ? encode(value, knownEncoding(encoding)) : value;
      if (sizeOf(bytes) === 0) {
        if (typeof value === 'string' && value !== '') throw argumentValue('value', value);
        TypedArrayPrototypeFill(this, 0, from, to);
      } else {
        for (let i = from; i < to; i++) this[i] = bytes[(i - from) % sizeOf(bytes)];
      }
      return this;
    }
    TypedArrayPrototypeFill(this, typeof value === 'boolean' ? +value : value & 255, from, to);
    return this;
  }

  function copy(target, targetStart = 0, sourceStart = 0, sourceEnd = sizeOf(this)) {
    if (!isBytes(target)) throw argumentType('target', ['Buffer', 'Uint8Array'], target);
    const to = MathTrunc(+targetStart) || 0;
    const from = MathTrunc(+sourceStart) || 0;
    if (to < 0) throw outOfRange('targetStart', '>= 0', targetStart);
    if (from < 0 || from > sizeOf(this)) throw outOfRange('sourceStart', `>= 0 && <= ${sizeOf(this)}`, sourceStart);
    const end = MathMin(MathTrunc(+sourceEnd) || 0, sizeOf(this));
    const count = MathMin(end - from, sizeOf(target) - to);
    if (count <= 0) return 0;
    TypedArrayPrototypeSet(target, view(this, from, from + count), to);
    return count;
  }

  function needle(value, encoding) {
    if (typeof value === 'string') return encode(value, knownEncoding(encoding));
    if (isBytes(value)) return value;
    throw argumentType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  }

  function find(buffer, value, offset, encoding, backwards) {
    if (typeof offset === 'string') {
      encoding = offset;
      offset = undefined;
    }
    const size = sizeOf(buffer);
    let at = +offset;
    if (offset === undefined || NumberIsNaN(at)) at = backwards ? size : 0;
    at = MathTrunc(at);
    if (at < 0) at += size;
    const wanted = typeof value === 'number' ? undefined : needle(value, encoding);
    const length = wanted === undefined ? 1 : sizeOf(wanted);
    if (at < 0) {
      if (backwards) return -1;
      at = 0;
    }
    if (length === 0) return MathMin(at, size);
    const first = wanted === undefined ? value & 255 : wanted[0];
    const step = normalEncoding(encoding) === 'utf16le' && typeof value === 'string' ? 2 : 1;
    const last = size - length;
    if (backwards) at = MathMin(at, last);
    for (let i = at; backwards ? i >= 0 : i <= last; i += backwards ? -1 : 1) {
      if (buffer[i] !== first || (i - at) % step !== 0) continue;
      let same = 1;
      while (same < length && buffer[i + same] === wanted[same]) same++;
      if (same === length) return i;
    }
    return -1;
  }

  function swap(buffer, width) {
    const size = sizeOf(buffer);
    if (size % width !== 0) throw nodeError(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${width * 8}-bits`, swap);
    for (let i = 0; i < size; i += width) {
      for (let j = 0; j < width >> 1; j++) {
        const kept = buffer[i + j];
        buffer[i + j] = buffer[i + width - 1 - j];
        buffer[i + width - 1 - j] = kept;
      }
    }
    return buffer;
  }

  function compare(target, targetStart = 0, targetEnd = undefined, start = 0, end = undefined) {
    if (!isBytes(target)) throw argumentType('target', ['Buffer', 'Uint8Array'], target);
    const other = view(target, clamp(targetStart, sizeOf(target), 0), clamp(targetEnd, sizeOf(target), sizeOf(target)));
    return compareBytes(view(this, clamp(start, sizeOf(this), 0), clamp(end, sizeOf(this), sizeOf(this))), other);
  }

  function inspectBuffer(depth, options, inspect) {
    const size = sizeOf(this);
    const shown = MathMin(50, size);
    let text = '';
    for (let i = 0; i < shown; i++) text += ` ${StringPrototypePadStart(NumberPrototypeToString(this[i], 16), 2, '0')}`;
    if (size > shown) text += ` ... ${size - shown} more byte${size - shown > 1 ? 's' : ''}`;
    const extra = internal.inspectBase.nonIndexKeys(this, size, false);
    if (extra.length > 0) {
      const properties = { __proto__: null };
      for (let i = 0; i < extra.length; i++) properties[extra[i]] = this[extra[i]];
      const listed = inspect(properties, { ...options, breakLength: Infinity, compact: true });
      text += `${size > 0 ? ', ' : ''}${StringPrototypeSlice(listed, 26, -2)}`;
    }
    return `<${internal.safeConstructorName(this)}${text}>`;
  }

  put({
    toString, toLocaleString: toString, slice, subarray: slice, write, fill, copy, compare, inspect: inspectBuffer,
    toJSON() {
      const data = [];
      for (let i = 0; i < sizeOf(this); i++) ArrayPrototypePush(data, this[i]);
      return { type: 'Buffer', data };
    },
    equals(other) {
      if (!isBytes(other)) throw argumentType('otherBuffer', ['Buffer', 'Uint8Array'], other);
      return this === other || (sizeOf(this) === sizeOf(other) && compareBytes(this, other) === 0);
    },
    indexOf(value, offset, encoding) {
      return find(this, value, offset, encoding, false);
    },
    lastIndexOf(value, offset, encoding) {
      return find(this, value, offset, encoding, true);
    },
    includes(value, offset, encoding) {
      return find(this, value, offset, encoding, false) !== -1;
    },
    swap16() {
      return swap(this, 2);
    },
    swap32() {
      return swap(this, 4);
    },
    swap64() {
      return swap(this, 8);
    },
  });
  internal.define(proto, SymbolFor('nodejs.util.inspect.custom'), inspectBuffer, true);
  const encodings = ['utf8', 'latin1', 'ascii', 'hex', 'base64', 'base64url', 'ucs2'];
  for (let i = 0; i < encodings.length; i++) {
    const name = encodings[i];
    internal.define(proto, `${name}Slice`, function (start, end) {
      return ReflectApply(toString, this, [name, start, end]);
    }, false);
    internal.define(proto, `${name}Write`, function (text, offset, length) {
      return ReflectApply(write, this, [text, offset, length, name]);
    }, false);
  }
  function defineGetter(name, get) {
    ObjectDefineProperty(proto, name, {
      __proto__: null,
      configurable: true,
      enumerable: true,
      get() {
        return this instanceof Buffer ? get(this) : undefined;
      },
    });
  }
  defineGetter('parent', TypedArrayPrototypeGetBuffer);
  defineGetter('offset', TypedArrayPrototypeGetByteOffset);

  // --- Numbers ---

  function checkOffset(offset, size, width) {
    const at = offset === undefined ? 0 : offset;
    if (typeof at !== 'number') throw argumentType('offset', 'number', at);
    if (at >= 0 && at + width <= size && NumberIsInteger(at)) return at;
    if (!NumberIsInteger(at)) throw outOfRange('offset', 'an integer', at);
    if (size < width) throw nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds', checkOffset);
    throw outOfRange('offset', `>= 0 and <= ${size - width}`, at);
  }

  function dataView(buffer) {
    return new DataView(TypedArrayPrototypeGetBuffer(buffer), TypedArrayPrototypeGetByteOffset(buffer), sizeOf(buffer));
  }

  function checkRange(value, min, max, unit) {
    if (value >= min && value <= max) return;
    throw outOfRange('value', `>= ${min}${unit} and <= ${max}${unit}`, value);
  }

  // `type` is the name that DataView has for it; `limits` are undefined for floating point numbers.
  function number(names, type, width, limits) {
    const get = internal.primordials[`DataViewPrototypeGet${type}`];
    const set = internal.primordials[`DataViewPrototypeSet${type}`];
    const isBig = StringPrototypeStartsWith(type, 'Big');
    const endings = width === 1 ? [''] : ['LE', 'BE'];
    for (let i = 0; i < endings.length; i++) {
      const ending = endings[i];
      const little = ending !== 'BE';
      const read = function (offset) {
        return get(dataView(this), checkOffset(offset, sizeOf(this), width), little);
      };
      const writeNumber = function (value, offset) {
        if (isBig && typeof value !== 'bigint') throw argumentType('value', 'bigint', value);
        const stored = isBig ? value : +value;
        if (limits !== undefined) checkRange(stored, limits.min, limits.max, isBig ? 'n' : '');
        const at = checkOffset(offset, sizeOf(this), width);
        set(dataView(this), at, stored, little);
        return at + width;
      };
      for (let j = 0; j < names.length; j++) {
        put({ [`read${names[j]}${ending}`]: read, [`write${names[j]}${ending}`]: writeNumber });
      }
    }
  }
  number(['UInt8', 'Uint8'], 'Uint8', 1, { min: 0, max: 255 });
  number(['UInt16', 'Uint16'], 'Uint16', 2, { min: 0, max: 65535 });
  number(['UInt32', 'Uint32'], 'Uint32', 4, { min: 0, max: 4294967295 });
  number(['Int8'], 'Int8', 1, { min: -128, max: 127 });
  number(['Int16'], 'Int16', 2, { min: -32768, max: 32767 });
  number(['Int32'], 'Int32', 4, { min: -2147483648, max: 2147483647 });
  number(['BigUInt64', 'BigUint64'], 'BigUint64', 8, { min: 0n, max: 2n ** 64n - 1n });
  number(['BigInt64'], 'BigInt64', 8, { min: -(2n ** 63n), max: 2n ** 63n - 1n });
  number(['Float'], 'Float32', 4, undefined);
  number(['Double'], 'Float64', 8, undefined);

  // Integers of one to six bytes.
  function variable(little, signed) {
    const ending = little ? 'LE' : 'BE';
    const read = function (offset, width) {
      validateInteger(width, 'byteLength', 1, 6);
      const at = checkOffset(offset, sizeOf(this), width);
      let value = 0;
      for (let i = 0; i < width; i++) value = value * 256 + this[little ? at + width - 1 - i : at + i];
      return signed && value >= 2 ** (width * 8 - 1) ? value - 2 ** (width * 8) : value;
    };
    const writeNumber = function (value, offset, width) {
      validateInteger(width, 'byteLength', 1, 6);
      let stored = +value;
      const span = 2 ** (width * 8);
      checkRange(stored, signed ? -span / 2 : 0, signed ? span / 2 - 1 : span - 1, '');
      const at = checkOffset(offset, sizeOf(this), width);
      stored = MathTrunc(stored);
      if (stored < 0) stored += span;
      for (let i = 0; i < width; i++) {
        this[little ? at + i : at + width - 1 - i] = stored % 256;
        stored = MathTrunc(stored / 256);
      }
      return at + width;
    };
    const names = signed ? ['Int'] : ['UInt', 'Uint'];
    for (let i = 0; i < names.length; i++) {
      put({ [`read${names[i]}${ending}`]: read, [`write${names[i]}${ending}`]: writeNumber });
    }
  }
  variable(true, true);
  variable(true, false);
  variable(false, true);
  variable(false, false);

  // --- The module ---

  function isValid(check) {
    return (input) => {
      try {
        check(internal.bytesOf(input, 'input'));
        return true;
      } catch (error) {
        if (error.code === 'ERR_INVALID_ARG_TYPE') throw error;
        return false;
      }
    };
  }

  function transcode(source, from, to) {
    return Buffer.from(ReflectApply(toString, Buffer.from(source), [from]), to);
  }

  internal.builtins.buffer = () => ({
    Buffer, SlowBuffer: Buffer.allocUnsafeSlow, transcode, kMaxLength: K_MAX_LENGTH,
    kStringMaxLength: K_STRING_MAX_LENGTH, btoa: internal.btoa, atob: internal.atob,
    constants: { MAX_LENGTH: K_MAX_LENGTH, MAX_STRING_LENGTH: K_STRING_MAX_LENGTH }, INSPECT_MAX_BYTES: 50,
    // Made when somebody asks.
    get Blob() {
      return internal.Blob;
    },
    get File() {
      return internal.File;
    },
    resolveObjectURL: (url) => internal.resolveObjectURL(url),
    isUtf8: isValid((bytes) => native.utf8Decode(bytes, true, true)),
    isAscii: isValid((bytes) => {
      for (let i = 0; i < sizeOf(bytes); i++) if (bytes[i] > 127) throw new TypeError('not ASCII');
    }),
  });
  internal.globals.Buffer = Buffer;
  internal.Buffer = Buffer;
})
