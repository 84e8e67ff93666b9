// `zlib`. Each piece of work is done at once, by the runtime: a stream keeps what is written to it until its end, and
// what comes out may not be larger than the session has memory for.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayPrototypePush, Error, ObjectAssign, ObjectCreate, ObjectFreeze, RangeError, ReflectApply, ReflectConstruct,
    StringPrototypeSlice, StringPrototypeToLowerCase,
  } = internal.primordials;
  const { argumentType, nodeError, outOfRange, validateFunction, validateInteger, validateObject } = internal.errors;
  const { define } = internal;
  const { missing, named } = internal.denied;

  const results = { Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6 };
  const constants = ObjectFreeze({
    __proto__: null, Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, ...results,
    Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3, Z_FIXED: 4,
    Z_DEFAULT_STRATEGY: 0, ZLIB_VERNUM: 4880, DEFLATE: 1, INFLATE: 2, GZIP: 3, GUNZIP: 4, DEFLATERAW: 5, INFLATERAW: 6, UNZIP: 7, BROTLI_DECODE: 8,
    BROTLI_ENCODE: 9, Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_MAX_CHUNK: Infinity, Z_DEFAULT_CHUNK: 16384,
    Z_MIN_MEMLEVEL: 1, Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1, Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1, BROTLI_OPERATION_PROCESS: 0,
    BROTLI_OPERATION_FLUSH: 1, BROTLI_OPERATION_FINISH: 2, BROTLI_OPERATION_EMIT_METADATA: 3, BROTLI_PARAM_MODE: 0, BROTLI_MODE_GENERIC: 0,
    BROTLI_MODE_TEXT: 1, BROTLI_MODE_FONT: 2, BROTLI_DEFAULT_MODE: 0, BROTLI_PARAM_QUALITY: 1, BROTLI_MIN_QUALITY: 0, BROTLI_MAX_QUALITY: 11,
    BROTLI_DEFAULT_QUALITY: 11, BROTLI_PARAM_LGWIN: 2, BROTLI_MIN_WINDOW_BITS: 10, BROTLI_MAX_WINDOW_BITS: 24, BROTLI_LARGE_MAX_WINDOW_BITS: 30,
    BROTLI_DEFAULT_WINDOW: 22, BROTLI_PARAM_LGBLOCK: 3, BROTLI_MIN_INPUT_BLOCK_BITS: 16, BROTLI_MAX_INPUT_BLOCK_BITS: 24,
    BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING: 4, BROTLI_PARAM_SIZE_HINT: 5, BROTLI_PARAM_LARGE_WINDOW: 6, BROTLI_PARAM_NPOSTFIX: 7,
    BROTLI_PARAM_NDIRECT: 8, BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION: 0, BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
  });
  const codes = {};
  for (const name in results) {
    codes[name] = results[name];
    codes[results[name]] = name;
  }

  // --- The work ---

  function bytesOf(data) {
    if (typeof data === 'string') return internal.Buffer.from(data);
    if (ArrayBufferIsView(data) || native.isKind(data) === 'ArrayBuffer') return internal.bytesOf(data, 'buffer');
    throw argumentType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
  }

  function failed(word, max, isBrotli) {
    switch (word) {
      case 'large': return nodeError(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${max} bytes`);
      case 'memory': return nodeError(RangeError, 'ERR_MEMORY_ALLOCATION_FAILED', 'Array buffer allocation failed');
      case 'truncated': return ObjectAssign(new Error('unexpected end of file'), { errno: -5, code: 'Z_BUF_ERROR' });
      default: {
        if (isBrotli) return ObjectAssign(new Error('Decompression failed'), { errno: -2, code: 'ERR__ERROR_FORMAT_PADDING_1' });
        const message = word === 'header' ? 'incorrect header check' : 'invalid compressed data';
        return ObjectAssign(new Error(message), { errno: -3, code: 'Z_DATA_ERROR' });
      }
    }
  }

  function checkNumber(options, name, min, max) {
    const value = options[name];
    if (value !== undefined) {
      if (typeof value !== 'number') throw argumentType(`options.${name}`, 'number', value);
      if (!(value >= min && value <= max)) throw outOfRange(`options.${name}`, `>= ${min} and <= ${max}`, value);
    }
    return value;
  }

  // What the options say, checked when they are given.
  function settingsOf(kind, given = {}) {
    const options = given ?? {};
    validateObject(options, 'options');
    if (options.dictionary !== undefined) throw missing('A dictionary for zlib');
    checkNumber(options, 'chunkSize', 64, Infinity);
    const max = checkNumber(options, 'maxOutputLength', 1, 9007199254740991) ?? 4294967296;
    const partial = options.finishFlush === constants.Z_SYNC_FLUSH;
    if (kind.format === 'brotli') {
      return { level: options.params?.[constants.BROTLI_PARAM_QUALITY] ?? 11, window: options.params?.[constants.BROTLI_PARAM_LGWIN] ?? 22, max, partial };
    }
    checkNumber(options, 'windowBits', kind.packs ? 8 : 0, 15);
    checkNumber(options, 'memLevel', 1, 9);
    checkNumber(options, 'strategy', 0, 4);
    const level = checkNumber(options, 'level', -1, 9) ?? -1;
    return { level: level === -1 ? 6 : level, window: 15, max, partial };
  }

  function formatOf(kind, bytes) {
    if (kind.format !== undefined) return kind.format;
    return bytes.length > 1 && bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : 'deflate';
  }

  function run(kind, settings, bytes) {
    const format = formatOf(kind, bytes);
    const { level, window, max, partial } = settings;
    const out = kind.packs ? native.compress(format, level, window, bytes, max) : native.decompress(format, bytes, max, partial);
    if (typeof out === 'string') throw failed(out, max, format === 'brotli');
    return internal.Buffer.from(out.buffer, out.byteOffset, out.byteLength);
  }

  // --- Functions ---

  function sync(kind, name) {
    return named((buffer, options) => run(kind, settingsOf(kind, options), bytesOf(buffer)), name);
  }

  function later(kind, name) {
    return named((buffer, options, callback) => {
      const done = typeof options === 'function' ? options : callback;
      validateFunction(done, 'callback');
      const settings = settingsOf(kind, typeof options === 'function' ? {} : options);
      const bytes = bytesOf(buffer);
      internal.nextTick(() => {
        let out;
        try {
          out = run(kind, settings, bytes);
        } catch (error) {
          done(error);
          return;
        }
        done(null, out);
      });
    }, name);
  }

  // --- Classes ---

  function streamClass(kind, name) {
    const { Transform } = internal.stream;
    function Class(options) {
      if (!(this instanceof Class)) return ReflectConstruct(Class, [options]);
      const settings = settingsOf(kind, options);
      ReflectApply(Transform, this, [{ ...options }]);
      define(this, 'settings', settings, false);
      define(this, 'chunks', [], false);
      define(this, 'bytesWritten', 0, true);
      return undefined;
    }
    Class.prototype = ObjectCreate(Transform.prototype);
    define(Class.prototype, 'constructor', Class, false);
    internal.primordials.ObjectSetPrototypeOf(Class, Transform);
    const methods = {
      _transform(chunk, encoding, callback) {
        this.bytesWritten += chunk.length;
        ArrayPrototypePush(this.chunks, chunk);
        callback();
      },
      _flush(callback) {
        let out;
        try {
          out = this.bytesWritten === 0 && !kind.packs ? undefined : run(kind, this.settings, internal.Buffer.concat(this.chunks));
        } catch (error) {
          callback(error);
          return;
        }
        if (out !== undefined && out.length !== 0) this.push(out);
        callback();
      },
      // Nothing leaves before the end, so there is nothing to flush.
      flush(mode, callback) {
        const done = typeof mode === 'function' ? mode : callback;
        if (done !== undefined) internal.nextTick(done);
      },
      close(callback) {
        if (callback !== undefined) this.once('close', callback);
        this.destroy();
      },
      params() {
        throw missing(`zlib.${name}.params`);
      },
      reset() {
        this.chunks.length = 0;
        this.bytesWritten = 0;
      },
    };
    for (const method in methods) define(Class.prototype, method, methods[method], false);
    return named(Class, name);
  }

  const kinds = {
    __proto__: null, Deflate: { format: 'deflate', packs: true }, Inflate: { format: 'deflate' }, Gzip: { format: 'gzip', packs: true }, Gunzip: { format: 'gzip' },
    DeflateRaw: { format: 'deflateRaw', packs: true }, InflateRaw: { format: 'deflateRaw' }, Unzip: { format: undefined },
    BrotliCompress: { format: 'brotli', packs: true }, BrotliDecompress: { format: 'brotli' },
  };

  function crc32(data, value = 0) {
    validateInteger(value, 'value', 0, 4294967295);
    return native.crc32(bytesOf(data), value);
  }

  internal.builtins.zlib = () => {
    const exports = { crc32 };
    for (const name in kinds) {
      const fn = StringPrototypeToLowerCase(name[0]) + StringPrototypeSlice(name, 1);
      const Class = streamClass(kinds[name], name);
      exports[name] = Class;
      exports[fn] = later(kinds[name], fn);
      exports[`${fn}Sync`] = sync(kinds[name], `${fn}Sync`);
      exports[`create${name}`] = named((options) => new Class(options), `create${name}`);
    }
    return internal.defineAll(exports, { constants, codes: ObjectFreeze(codes) });
  };
})
