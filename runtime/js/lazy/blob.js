// `Blob` and `File`, and the URLs of blobs.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayPrototypePush, Map, MapPrototypeDelete, MapPrototypeGet, MapPrototypeSet, MathMax, MathMin,
    MathTrunc, Number, NumberIsNaN, DateNow, ObjectSetPrototypeOf, PromiseReject, PromiseResolve, RegExpPrototypeExec,
    StringPrototypeSlice, StringPrototypeStartsWith, StringPrototypeToLowerCase,
    StringPrototypeToWellFormed, SymbolFor, SymbolIterator, TypeError,
    TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSet, Uint8Array, listOf, regExpReplace,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError } = internal.errors;
  const { bytesOf, sliceBytes } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  const CHUNK = 65536;
  const prefix = 'blob:nodedata:';

  let partsOf;
  let isBlob;
  let withParts;

  function mustBe(name, what, value) {
    const error = argumentType(name, 'object', value);
    const at = RegExpPrototypeExec(/ must be [^.]*\./, error.message);
    const message = StringPrototypeSlice(error.message, 0, at.index) + ` must be a ${what}.` +
      StringPrototypeSlice(error.message, at.index + at[0].length);
    return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', message, mustBe);
  }

  function invalidThis(name) {
    return nodeError(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`, invalidThis);
  }

  // Bytes that no guest holds: text is encoded, buffers are copied, and blobs share theirs, which never change.
  function addSource(parts, source, endings) {
    if (isBlob(source)) {
      const inner = partsOf(source);
      for (let i = 0; i < inner.length; i++) ArrayPrototypePush(parts, inner[i]);
      return;
    }
    const kind = typeof source === 'object' && source !== null ? native.isKind(source) : '';
    if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer' || ArrayBufferIsView(source)) {
      const bytes = bytesOf(source);
      const copy = new Uint8Array(TypedArrayPrototypeGetByteLength(bytes));
      TypedArrayPrototypeSet(copy, bytes);
      ArrayPrototypePush(parts, copy);
      return;
    }
    const text = `${source}`;
    ArrayPrototypePush(parts, native.utf8Encode(endings === 'native' ? regExpReplace(/\r\n|\r/g, text, () => '\n') : text));
  }

  function sizeOf(parts) {
    let size = 0;
    for (let i = 0; i < parts.length; i++) size += TypedArrayPrototypeGetByteLength(parts[i]);
    return size;
  }

  function sliceParts(parts, start, end) {
    const kept = [];
    for (let i = 0, at = 0; i < parts.length && at < end; i++) {
      const length = TypedArrayPrototypeGetByteLength(parts[i]);
      const from = MathMax(start - at, 0);
      const to = MathMin(end - at, length);
      if (from < to) ArrayPrototypePush(kept, from === 0 && to === length ? parts[i] : sliceBytes(parts[i], from, to));
      at += length;
    }
    return kept;
  }

  function joined(parts) {
    const all = new Uint8Array(sizeOf(parts));
    for (let i = 0, at = 0; i < parts.length; i++) {
      TypedArrayPrototypeSet(all, parts[i], at);
      at += TypedArrayPrototypeGetByteLength(parts[i]);
    }
    return all;
  }

  function position(value, size) {
    const integer = NumberIsNaN(value) ? 0 : MathTrunc(value);
    return integer < 0 ? MathMax(size + integer, 0) : MathMin(integer, size);
  }

  function cleanType(type) {
    const text = `${type}`;
    return RegExpPrototypeExec(/[^\x20-\x7e]/, text) === null ? StringPrototypeToLowerCase(text) : '';
  }

  function checkOptions(options) {
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') throw mustBe('options', 'dictionary', options);
  }

  // A promise of what `make` returns or throws.
  function promised(make) {
    try {
      return PromiseResolve(make());
    } catch (error) {
      return PromiseReject(error);
    }
  }

  class Blob {
    #parts;
    #size;
    #type;

    static {
      isBlob = (value) => typeof value === 'object' && value !== null && #parts in value;
      partsOf = (blob) => blob.#parts;
      withParts = (blob, parts, type) => {
        blob.#parts = parts;
        blob.#size = sizeOf(parts);
        blob.#type = type;
        return blob;
      };
    }

    constructor(sources = [], options = {}) {
      if (sources === null || typeof sources !== 'object' || typeof sources[SymbolIterator] !== 'function') throw mustBe('sources', 'sequence', sources);
      checkOptions(options);
      const type = options?.type ?? '';
      const endings = options?.endings ?? 'transparent';
      if (`${endings}` !== 'transparent' && `${endings}` !== 'native') throw argumentValue('options.endings', endings);
      const parts = [];
      const list = listOf(sources);
      for (let i = 0; i < list.length; i++) addSource(parts, list[i], `${endings}`);
      withParts(this, parts, cleanType(type));
    }
    get type() {
      if (!isBlob(this)) throw invalidThis('Blob');
      return this.#type;
    }
    get size() {
      if (!isBlob(this)) throw invalidThis('Blob');
      return this.#size;
    }
    slice(start = 0, end = undefined, contentType = '') {
      if (!isBlob(this)) throw invalidThis('Blob');
      const from = position(Number(start), this.#size);
      const to = end === undefined ? this.#size : position(Number(end), this.#size);
      return withParts(new Blob(), sliceParts(this.#parts, from, MathMax(from, to)), cleanType(contentType));
    }
    arrayBuffer() {
      if (!isBlob(this)) return PromiseReject(invalidThis('Blob'));
      return promised(() => TypedArrayPrototypeGetBuffer(joined(this.#parts)));
    }
    bytes() {
      if (!isBlob(this)) return PromiseReject(invalidThis('Blob'));
      return promised(() => joined(this.#parts));
    }
    text() {
      if (!isBlob(this)) return PromiseReject(invalidThis('Blob'));
      return promised(() => native.utf8Decode(joined(this.#parts), false, false));
    }
    stream() {
      if (!isBlob(this)) throw invalidThis('Blob');
      const parts = this.#parts;
      const size = this.#size;
      let at = 0;
      return new internal.ReadableStream({
        __proto__: null,
        type: 'bytes',
        pull(controller) {
          if (at < size) controller.enqueue(joined(sliceParts(parts, at, MathMin(at + CHUNK, size))));
          at += CHUNK;
          if (at < size) return;
          controller.close();
          // A waiting `read(view)` is answered, with nothing.
          controller.byobRequest?.respond(0);
        },
      }, { __proto__: null, highWaterMark: 0 });
    }
    [customInspect](depth, options) {
      const { size, type } = this;
      return `Blob ${internal.inspect({ size, type }, options)}`;
    }
  }

  class File extends Blob {
    #name;
    #lastModified;

    constructor(fileBits, fileName, options = {}) {
      if (arguments.length < 2) {
        throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "fileBits" and "fileName" arguments must be specified', File);
      }
      super(fileBits, options);
      const time = options?.lastModified === undefined ? DateNow() : Number(options.lastModified);
      this.#name = StringPrototypeToWellFormed(`${fileName}`);
      this.#lastModified = NumberIsNaN(time) ? 0 : MathTrunc(time);
    }
    get name() {
      if (!(#name in this)) throw invalidThis('File');
      return this.#name;
    }
    get lastModified() {
      if (!(#name in this)) throw invalidThis('File');
      return this.#lastModified;
    }
    [customInspect](depth, options) {
      const { size, type, name, lastModified } = this;
      return `File ${internal.inspect({ size, type, name, lastModified }, options)}`;
    }
  }
  ObjectSetPrototypeOf(File.prototype, Blob.prototype);

  // --- URLs ---

  const stored = new Map();

  function createObjectURL(blob) {
    if (!isBlob(blob)) throw argumentType('obj', 'Blob', blob);
    internal.load('crypto');
    const id = internal.randomUUID();
    MapPrototypeSet(stored, id, blob);
    return prefix + id;
  }

  function idOf(url) {
    if (!StringPrototypeStartsWith(url, prefix)) return undefined;
    return RegExpPrototypeExec(/^[^#?]*/, StringPrototypeSlice(url, prefix.length))[0];
  }

  internal.finishClass(Blob, 'Blob');
  internal.define(Blob.prototype, 'bytes', Blob.prototype.bytes, false);
  internal.finishClass(File, 'File');
  internal.Blob = Blob;
  internal.File = File;
  internal.isBlob = isBlob;
  // As in Node the clone of a `File` is a `Blob`.
  internal.cloners.blob = { __proto__: null, is: isBlob, clone: (blob) => withParts(new Blob(), partsOf(blob), blob.type) };
  internal.createObjectURL = createObjectURL;
  internal.revokeObjectURL = (url) => {
    const id = idOf(`${url}`);
    if (id !== undefined) MapPrototypeDelete(stored, id);
  };
  internal.resolveObjectURL = (url) => MapPrototypeGet(stored, idOf(`${url}`));
})
