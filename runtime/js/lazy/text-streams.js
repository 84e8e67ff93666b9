// `TextEncoderStream`, `TextDecoderStream`, `CompressionStream` and `DecompressionStream`.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, Promise, StringPrototypeCharCodeAt, StringPrototypeSlice,
    SymbolFor, TypeError, Uint8Array,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError } = internal.errors;
  const { TransformStream } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');

  function check(is, name) {
    if (!is) throw nodeError(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`, check);
  }

  function show(name, shown, options) {
    return `${name} ${internal.inspect(shown, options)}`;
  }

  class TextEncoderStream {
    // Half of a character at the end of a chunk waits for the other one.
    #high = '';
    #transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        let text = this.#high + `${chunk}`;
        const last = text === '' ? 0 : StringPrototypeCharCodeAt(text, text.length - 1);
        this.#high = last >= 0xd800 && last <= 0xdbff ? text[text.length - 1] : '';
        if (this.#high !== '') text = StringPrototypeSlice(text, 0, text.length - 1);
        if (text !== '') controller.enqueue(native.utf8Encode(text));
      },
      flush: (controller) => {
        if (this.#high !== '') controller.enqueue(native.utf8Encode(this.#high));
      },
    });
    get encoding() {
      check(#transform in this, 'TextEncoderStream');
      return 'utf-8';
    }
    get readable() {
      check(#transform in this, 'TextEncoderStream');
      return this.#transform.readable;
    }
    get writable() {
      check(#transform in this, 'TextEncoderStream');
      return this.#transform.writable;
    }
    [customInspect](depth, options) {
      const { encoding, readable, writable } = this;
      return show('TextEncoderStream', { encoding, readable, writable }, options);
    }
  }

  class TextDecoderStream {
    #decoder;
    #transform;
    constructor(encoding = 'utf-8', options = {}) {
      this.#decoder = new internal.TextDecoder(encoding, options);
      this.#transform = new TransformStream({
        __proto__: null,
        transform: (chunk, controller) => {
          const text = this.#decoder.decode(chunk, { __proto__: null, stream: true });
          if (text !== '') controller.enqueue(text);
        },
        flush: (controller) => {
          const text = this.#decoder.decode();
          if (text !== '') controller.enqueue(text);
        },
      });
    }
    get encoding() {
      check(#transform in this, 'TextDecoderStream');
      return this.#decoder.encoding;
    }
    get fatal() {
      check(#transform in this, 'TextDecoderStream');
      return this.#decoder.fatal;
    }
    get ignoreBOM() {
      check(#transform in this, 'TextDecoderStream');
      return this.#decoder.ignoreBOM;
    }
    get readable() {
      check(#transform in this, 'TextDecoderStream');
      return this.#transform.readable;
    }
    get writable() {
      check(#transform in this, 'TextDecoderStream');
      return this.#transform.writable;
    }
    [customInspect](depth, options) {
      const { encoding, fatal, ignoreBOM, readable, writable } = this;
      return show('TextDecoderStream', { encoding, fatal, ignoreBOM, readable, writable }, options);
    }
  }

  // --- Compression, by the streams of `zlib` ---

  function zlibTransform(make) {
    const zlib = internal.builtin('zlib');
    const stream = make(zlib);
    let failed;
    return new TransformStream({
      __proto__: null,
      start(controller) {
        stream.on('data', (chunk) => controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
        stream.on('error', (error) => {
          failed = error;
          controller.error(error);
        });
      },
      transform(chunk) {
        if (!ArrayBufferIsView(chunk) && native.isKind(chunk) !== 'ArrayBuffer') throw argumentType('chunk', ['Buffer', 'TypedArray', 'DataView'], chunk);
        return new Promise((resolve, reject) => stream.write(internal.bytesOf(chunk), (error) => (error ? reject(error) : resolve())));
      },
      flush() {
        return new Promise((resolve, reject) => {
          if (failed !== undefined) {
            reject(failed);
            return;
          }
          stream.once('end', resolve);
          stream.once('error', reject);
          stream.end();
        });
      },
    });
  }

  function pairClass(name, makers) {
    const Class = {
      [name]: class {
        #transform;
        constructor(format) {
          const make = `${format}` in makers ? makers[`${format}`] : undefined;
          if (make === undefined) throw argumentValue('format', format);
          this.#transform = zlibTransform(make);
        }
        get readable() {
          check(#transform in this, name);
          return this.#transform.readable;
        }
        get writable() {
          check(#transform in this, name);
          return this.#transform.writable;
        }
        [customInspect](depth, options) {
          const { readable, writable } = this;
          return show(name, { readable, writable }, options);
        }
      },
    }[name];
    return Class;
  }

  const CompressionStream = pairClass('CompressionStream', {
    __proto__: null, deflate: (zlib) => zlib.createDeflate(), 'deflate-raw': (zlib) => zlib.createDeflateRaw(), gzip: (zlib) => zlib.createGzip(),
  });
  const DecompressionStream = pairClass('DecompressionStream', {
    __proto__: null, deflate: (zlib) => zlib.createInflate(), 'deflate-raw': (zlib) => zlib.createInflateRaw(), gzip: (zlib) => zlib.createGunzip(),
  });

  internal.finishClass(TextEncoderStream, 'TextEncoderStream');
  internal.finishClass(TextDecoderStream, 'TextDecoderStream');
  internal.finishClass(CompressionStream, 'CompressionStream');
  internal.finishClass(DecompressionStream, 'DecompressionStream');
})
