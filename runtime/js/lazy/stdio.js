// `process.stdout`, `process.stderr` and `process.stdin`. Writes go to the session's output; there is no input.
(function (native, internal) {
  'use strict';

  const { ArrayBufferIsView, PromiseResolve, ReflectApply, SymbolAsyncIterator } = internal.primordials;
  const { argumentType } = internal.errors;
  const { EventEmitter } = internal;

  function bytesOf(chunk, encoding) {
    if (typeof chunk !== 'string') {
      if (ArrayBufferIsView(chunk)) return chunk;
      throw argumentType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
    }
    return internal.Buffer.from(chunk, encoding);
  }

  class WriteStream extends EventEmitter {
    #decoder;
    constructor(fd) {
      super();
      internal.define(this, 'fd', fd, true);
      internal.defineAll(this, { isTTY: false, columns: 80, rows: 24, writable: true, writableLength: 0, writableHighWaterMark: 16384, destroyed: false, _type: 'pipe' });
    }

    // Bytes of one character may come in two writes, so the decoder lives as long as the stream.
    write(chunk, encoding, callback) {
      if (typeof encoding === 'function') {
        callback = encoding;
        encoding = undefined;
      }
      let text = chunk;
      if (typeof chunk !== 'string' || (encoding !== undefined && encoding !== null && encoding !== 'utf8' && encoding !== 'utf-8')) {
        this.#decoder ??= new internal.TextDecoder('utf-8', { ignoreBOM: true });
        text = this.#decoder.decode(bytesOf(chunk, encoding), { stream: true });
      }
      if (text !== '') native.print(this.fd, 0, text);
      if (typeof callback === 'function') internal.nextTick(callback);
      return true;
    }

    end(chunk, encoding, callback) {
      if (typeof chunk === 'function') callback = chunk;
      else if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
      if (typeof encoding === 'function') callback = encoding;
      if (typeof callback === 'function') internal.nextTick(callback);
      return this;
    }

    cork() {}
    uncork() {}
    setDefaultEncoding() {
      return this;
    }
    destroy() {
      return this;
    }
    destroySoon() {
      return this;
    }
    getColorDepth() {
      return 1;
    }
    hasColors() {
      return false;
    }
    getWindowSize() {
      return [this.columns, this.rows];
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  }

  class ReadStream extends EventEmitter {
    #ended = false;
    constructor() {
      super();
      internal.defineAll(this, { fd: 0, isTTY: false, readable: true, isRaw: false });
    }

    // Whoever reads finds the end at once.
    resume() {
      if (!this.#ended) {
        this.#ended = true;
        internal.nextTick(() => {
          this.emit('end');
          this.emit('close');
        });
      }
      return this;
    }
    on(type, listener) {
      ReflectApply(EventEmitter.prototype.addListener, this, [type, listener]);
      if (type === 'data' || type === 'readable' || type === 'end') this.resume();
      return this;
    }
    pause() {
      return this;
    }
    read() {
      this.resume();
      return null;
    }
    setEncoding() {
      return this;
    }
    setRawMode() {
      return this;
    }
    pipe(target) {
      this.once('end', () => target.end?.());
      this.resume();
      return target;
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    destroy() {
      return this;
    }
    [SymbolAsyncIterator]() {
      return {
        next: () => PromiseResolve({ value: undefined, done: true }),
        [SymbolAsyncIterator]() {
          return this;
        },
      };
    }
  }

  internal.builtins.tty = () => ({ isatty: () => false, ReadStream, WriteStream });
  internal.stdio = {
    __proto__: null, stdin: new ReadStream(), stdout: new WriteStream(1), stderr: new WriteStream(2),
  };
})
