// What `stream` has besides the classes of its package: the ways to and from the streams of the web, `duplexPair`, and
// `stream/consumers`.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, ArrayPrototypePush, JSONParse, Promise, PromisePrototypeThen, ReflectApply, TypedArrayPrototypeSlice, Uint8Array,
  } = internal.primordials;
  const { define } = internal;

  function webClass(name) {
    const Class = internal.globals[name] ?? globalThis[name];
    if (Class === undefined) throw internal.denied.missing(name);
    return Class;
  }

  function bytesOf(chunk) {
    return typeof chunk !== 'string' && ArrayBufferIsView(chunk) ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk;
  }

  // --- Streams of the web ---

  function adapters(stream) {
    const { Duplex, Readable, Writable, finished } = stream;

    function pull(readable, reader) {
      PromisePrototypeThen(reader.read(), ({ done, value }) => readable.push(done ? null : nodeChunk(readable, value)), (error) => readable.destroy(error));
    }
    function nodeChunk(readable, value) {
      return readable.readableObjectMode || typeof value === 'string' || internal.Buffer.isBuffer(value) || !ArrayBufferIsView(value)
        ? value
        : internal.Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    function cancel(promise, error, callback) {
      PromisePrototypeThen(promise, () => callback(error), () => callback(error));
    }

    function readableFromWeb(source, options = {}) {
      const reader = source.getReader();
      let ended = false;
      return new Readable({
        ...options,
        read() {
          pull(this, reader);
        },
        destroy(error, callback) {
          if (ended || this.readableEnded) callback(error);
          else cancel(reader.cancel(error ?? undefined), error, callback);
          ended = true;
        },
      });
    }

    function writableOptions(target) {
      const writer = target.getWriter();
      return {
        write(chunk, encoding, callback) {
          const data = typeof chunk === 'string' && !this.writableObjectMode ? internal.Buffer.from(chunk, encoding) : chunk;
          PromisePrototypeThen(writer.ready, () => PromisePrototypeThen(writer.write(data), () => callback(), callback), callback);
        },
        final(callback) {
          PromisePrototypeThen(writer.close(), () => callback(), callback);
        },
        destroy(error, callback) {
          if (error) cancel(writer.abort(error), error, callback);
          else callback(error);
        },
      };
    }

    function readableToWeb(readable, options = undefined) {
      const strategy = options?.strategy ?? { highWaterMark: readable.readableHighWaterMark, size: readable.readableObjectMode ? undefined : (chunk) => chunk?.byteLength ?? 1 };
      return new (webClass('ReadableStream'))({
        start(controller) {
          readable.pause();
          finished(readable, { writable: false }, (error) => {
            if (error) controller.error(error);
            else controller.close();
          });
          readable.on('data', (chunk) => {
            controller.enqueue(readable.readableObjectMode ? chunk : bytesOf(chunk));
            if (controller.desiredSize <= 0) readable.pause();
          });
        },
        pull() {
          readable.resume();
        },
        cancel(reason) {
          stream.destroy(readable, reason);
        },
      }, strategy);
    }

    function writableToWeb(writable) {
      return new (webClass('WritableStream'))({
        write: (chunk) => new Promise((resolve, reject) => {
          writable.write(chunk, (error) => (error ? reject(error) : resolve()));
        }),
        close: () => new Promise((resolve, reject) => {
          finished(writable, { readable: false }, (error) => (error ? reject(error) : resolve()));
          writable.end();
        }),
        abort(reason) {
          stream.destroy(writable, reason);
        },
      }, { highWaterMark: writable.writableHighWaterMark });
    }

    define(Readable, 'fromWeb', readableFromWeb, true);
    define(Readable, 'toWeb', readableToWeb, true);
    define(Writable, 'fromWeb', (target, options = {}) => new Writable({ ...options, ...writableOptions(target) }), true);
    define(Writable, 'toWeb', writableToWeb, true);
    define(Duplex, 'fromWeb', ({ readable, writable }, options = {}) => {
      const reader = readable.getReader();
      return new Duplex({
        ...options,
        ...writableOptions(writable),
        read() {
          pull(this, reader);
        },
      });
    }, true);
    define(Duplex, 'toWeb', (duplex) => ({ writable: writableToWeb(duplex), readable: readableToWeb(duplex) }), true);
  }

  // --- Two ends: what is written to one is read from the other ---

  function duplexPair(Duplex, options) {
    const ends = [];
    const waiting = [undefined, undefined];
    function end(mine, other) {
      return new Duplex({
        ...options,
        read() {
          const callback = waiting[mine];
          waiting[mine] = undefined;
          callback?.();
        },
        write(chunk, encoding, callback) {
          if (chunk.length === 0) {
            internal.nextTick(callback);
            return;
          }
          waiting[other] = callback;
          ends[other].push(chunk);
        },
        final(callback) {
          ends[other].on('end', callback);
          ends[other].push(null);
        },
      });
    }
    ArrayPrototypePush(ends, end(0, 1));
    ArrayPrototypePush(ends, end(1, 0));
    return ends;
  }

  internal.finishStream = (stream) => {
    adapters(stream);
    define(stream, 'duplexPair', (options) => duplexPair(stream.Duplex, options), true);
    define(stream, '_isArrayBufferView', ArrayBufferIsView, true);
  };

  // --- Consumers ---

  async function collect(source) {
    const chunks = [];
    for await (const chunk of source) ArrayPrototypePush(chunks, typeof chunk === 'string' ? internal.Buffer.from(chunk) : bytesOf(chunk));
    return internal.Buffer.concat(chunks);
  }
  async function text(source) {
    const decoder = new internal.TextDecoder();
    let all = '';
    for await (const chunk of source) all += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    return all + decoder.decode();
  }

  internal.builtins['stream/consumers'] = () => ({
    async arrayBuffer(source) {
      const bytes = await collect(source);
      return ReflectApply(TypedArrayPrototypeSlice, undefined, [new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)]).buffer;
    },
    async blob(source) {
      return new (webClass('Blob'))([await collect(source)]);
    },
    buffer: (source) => collect(source),
    text: (source) => text(source),
    async json(source) {
      return JSONParse(await text(source));
    },
  });
})
