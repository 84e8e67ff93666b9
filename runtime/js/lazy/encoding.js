// `TextEncoder` and `TextDecoder`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePush, MathMin, ObjectDefineProperty, RangeError, RegExpPrototypeExec,
    StringFromCharCode, StringPrototypeCharCodeAt, StringPrototypeSlice, StringPrototypeToLowerCase,
    StringPrototypeTrim, SymbolFor, SymbolToStringTag, TypeError, TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetSymbolToStringTag, TypedArrayPrototypeSet, Uint8Array, regExpReplace,
  } = internal.primordials;
  const { argumentType, nodeError } = internal.errors;
  const { bytesOf, fromUnits, sliceBytes } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(input = '') {
      return native.utf8Encode(`${input}`);
    }
    encodeInto(source, destination) {
      if (typeof source !== 'string') throw argumentType('src', 'string', source);
      if (TypedArrayPrototypeGetSymbolToStringTag(destination) !== 'Uint8Array') throw argumentType('dest', 'Uint8Array', destination);
      const room = TypedArrayPrototypeGetByteLength(destination);
      let read = 0;
      let written = 0;
      // Every code unit takes a byte at least, so no more of the text than that can fit.
      const fits = StringPrototypeSlice(source, 0, room);
      while (read < fits.length) {
        const unit = StringPrototypeCharCodeAt(fits, read);
        const next = read + 1 < source.length ? StringPrototypeCharCodeAt(source, read + 1) : 0;
        const isPair = unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
        const size = isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
        if (written + size > room) break;
        written += size;
        read += isPair ? 2 : 1;
      }
      TypedArrayPrototypeSet(destination, native.utf8Encode(StringPrototypeSlice(source, 0, read)));
      return { read, written };
    }
    [customInspect](depth, options) {
      return `TextEncoder ${internal.inspect({ encoding: 'utf-8' }, options)}`;
    }
  }

  const labels = { __proto__: null };
  const families = [
    ['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'],
    ['utf-16le', 'utf-16', 'ucs-2', 'unicode', 'csunicode', 'iso-10646-ucs-2', 'unicodefeff'],
    ['utf-16be', 'unicodefffe'],
    ['windows-1252', 'latin1', 'l1', 'ascii', 'us-ascii', 'iso-8859-1', 'iso8859-1', 'iso88591', 'iso_8859-1', 'cp1252',
      'cp819', 'x-cp1252', 'ansi_x3.4-1968', 'csisolatin1', 'ibm819', 'iso-ir-100', 'iso_8859-1:1987'],
  ];
  for (let i = 0; i < families.length; i++) {
    for (let j = 0; j < families[i].length; j++) labels[families[i][j]] = families[i][0];
  }
  // What windows-1252 has at 0x80 to 0x9f in place of control characters.
  const windows = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
    '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

  // How many bytes at the end begin a character that is not complete.
  function incompleteTail(bytes) {
    const length = TypedArrayPrototypeGetByteLength(bytes);
    for (let back = 1; back <= MathMin(3, length); back++) {
      const byte = bytes[length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const needed = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      if (byte >= 0xf5 || needed <= back || needed === 1) return 0;
      if (back >= 2 && !secondFits(byte, bytes[length - back + 1])) return 0;
      return back;
    }
    return 0;
  }

  function secondFits(first, second) {
    switch (first) {
      case 0xe0: return second >= 0xa0;
      case 0xed: return second < 0xa0;
      case 0xf0: return second >= 0x90;
      case 0xf4: return second < 0x90;
      default: return true;
    }
  }

  function joined(first, second) {
    const size = TypedArrayPrototypeGetByteLength(first);
    const all = new Uint8Array(size + TypedArrayPrototypeGetByteLength(second));
    TypedArrayPrototypeSet(all, first);
    TypedArrayPrototypeSet(all, second, size);
    return all;
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #pending = undefined;
    #started = false;

    constructor(label = 'utf-8', options = undefined) {
      const encoding = labels[StringPrototypeToLowerCase(StringPrototypeTrim(`${label}`))];
      if (encoding === undefined) {
        throw nodeError(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`, TextDecoder);
      }
      this.#encoding = encoding;
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      const stream = !!options?.stream;
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input, 'list');
      if (this.#pending !== undefined) {
        bytes = joined(this.#pending, bytes);
        this.#pending = undefined;
      }
      if (stream) bytes = this.#hold(bytes);
      // A byte order mark counts at the start of the stream only.
      const keepMark = this.#ignoreBOM || this.#started;
      this.#started = stream && (this.#started || TypedArrayPrototypeGetByteLength(bytes) > 0);
      try {
        if (this.#encoding === 'utf-8') return native.utf8Decode(bytes, this.#fatal, keepMark);
        return this.#encoding === 'windows-1252' ? decodeWindows(bytes) : decodeUtf16(bytes, this.#encoding, this.#fatal, keepMark);
      } catch (error) {
        this.#started = false;
        // Without `fatal` only the length of the text can be wrong.
        if (!this.#fatal) throw error;
        throw nodeError(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA',
          `The encoded data was not valid for encoding ${this.#encoding}`, TextDecoder.prototype.decode);
      }
    }

    #hold(bytes) {
      const length = TypedArrayPrototypeGetByteLength(bytes);
      let tail = 0;
      if (this.#encoding === 'utf-8') tail = incompleteTail(bytes);
      else if (this.#encoding !== 'windows-1252') tail = utf16Tail(bytes, length, this.#encoding === 'utf-16be');
      if (tail === 0) return bytes;
      this.#pending = new Uint8Array(tail);
      TypedArrayPrototypeSet(this.#pending, sliceBytes(bytes, length - tail, length));
      return sliceBytes(bytes, 0, length - tail);
    }

    [customInspect](depth, options) {
      return `TextDecoder ${internal.inspect({ encoding: this.#encoding, fatal: this.#fatal, ignoreBOM: this.#ignoreBOM }, options)}`;
    }
  }

  function utf16Tail(bytes, length, bigEndian) {
    const odd = length % 2;
    if (length - odd < 2) return odd;
    const high = bytes[length - odd - (bigEndian ? 2 : 1)];
    return high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
  }

  function decodeWindows(bytes) {
    const text = fromUnits(bytes, 0, TypedArrayPrototypeGetByteLength(bytes));
    return regExpReplace(/[\x80-\x9f]/g, text, (match) => windows[StringPrototypeCharCodeAt(match[0], 0) - 0x80]);
  }

  function decodeUtf16(bytes, encoding, fatal, keepMark) {
    const length = TypedArrayPrototypeGetByteLength(bytes);
    const low = encoding === 'utf-16be' ? 1 : 0;
    const high = 1 - low;
    const parts = [];
    let text = '';
    for (let i = 0; i + 1 < length; i += 2) {
      text += StringFromCharCode(bytes[i + low] | (bytes[i + high] << 8));
      if (text.length === 4096) {
        ArrayPrototypePush(parts, text);
        text = '';
      }
    }
    text = ArrayPrototypeJoin(parts, '') + text + (length % 2 === 1 ? '\ufffd' : '');
    const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
    if (fatal && (length % 2 === 1 || RegExpPrototypeExec(lone, text) !== null)) throw new TypeError('invalid');
    text = regExpReplace(lone, text, () => '\ufffd');
    return !keepMark && text[0] === '\ufeff' ? StringPrototypeSlice(text, 1) : text;
  }

  function finish(Class, name, shown) {
    ObjectDefineProperty(Class.prototype, SymbolToStringTag, { __proto__: null, value: name, configurable: true });
    for (let i = 0; i < shown.length; i++) ObjectDefineProperty(Class.prototype, shown[i], { __proto__: null, enumerable: true });
    internal.globals[name] = Class;
  }
  finish(TextEncoder, 'TextEncoder', ['encode', 'encodeInto', 'encoding']);
  finish(TextDecoder, 'TextDecoder', ['decode', 'encoding', 'fatal', 'ignoreBOM']);
  internal.TextDecoder = TextDecoder;
  internal.TextEncoder = TextEncoder;
})
