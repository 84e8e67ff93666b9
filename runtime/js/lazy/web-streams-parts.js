// What a session adds to the stream classes of the Web: how they are shown, and what the `stream` module asks of them.
(function (native, internal) {
  'use strict';

  const { ObjectDefineProperty, ObjectKeys, ReflectOwnKeys, SymbolFor, SymbolToStringTag } = internal.primordials;
  const { define } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');

  function showAs(Class, name, show) {
    define(Class.prototype, customInspect, { [customInspect](depth, options) {
      return depth < 0 ? this : `${internal.safeConstructorName(this) || name} ${internal.inspect(show(this), options)}`;
    } }[customInspect], false);
  }

  function defineGetter(prototype, key, get) {
    ObjectDefineProperty(prototype, key, { __proto__: null, get, configurable: true });
  }

  // `slots` names the properties in which the classes keep their state.
  function finishWebStreams(streams, slots) {
    const state = (stream) => stream[slots.state];
    const shown = {
      __proto__: null,
      ReadableStream: (stream) => ({ locked: stream.locked, state: state(stream), supportsBYOB: slots.pendingPullIntos in stream[slots.readableStreamController] }),
      WritableStream: (stream) => ({ locked: stream.locked, state: state(stream) === 'erroring' ? 'writable' : state(stream) }),
      TransformStream: (stream) => ({ readable: stream.readable, writable: stream.writable, backpressure: stream[slots.backpressure] }),
      ReadableStreamDefaultReader: (reader) => ({
        stream: reader[slots.ownerReadableStream], readRequests: reader[slots.readRequests].length, close: reader[slots.closedPromise],
      }),
      ReadableStreamBYOBReader: (reader) => ({
        stream: reader[slots.ownerReadableStream], requests: reader[slots.readIntoRequests].length, close: reader[slots.closedPromise],
      }),
      WritableStreamDefaultWriter: (writer) => ({
        stream: writer[slots.ownerWritableStream], close: writer[slots.closedPromise], ready: writer[slots.readyPromise], desiredSize: writer.desiredSize,
      }),
      ByteLengthQueuingStrategy: ({ highWaterMark }) => ({ highWaterMark }),
      CountQueuingStrategy: ({ highWaterMark }) => ({ highWaterMark }),
    };
    const nothing = () => ({});
    const names = ObjectKeys(streams);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (typeof streams[name] !== 'function') continue;
      const { prototype } = streams[name];
      const keys = ReflectOwnKeys(prototype);
      for (let j = 0; j < keys.length; j++) {
        if (typeof keys[j] === 'string' && keys[j] !== 'constructor') ObjectDefineProperty(prototype, keys[j], { __proto__: null, enumerable: true });
      }
      define(prototype, SymbolToStringTag, name, false);
      ObjectDefineProperty(prototype, SymbolToStringTag, { __proto__: null, writable: false });
      showAs(streams[name], name, shown[name] ?? nothing);
      internal.globals[name] = streams[name];
    }
    const { ReadableStream, TransformStream, WritableStream } = streams;
    defineGetter(ReadableStream.prototype, SymbolFor('nodejs.stream.disturbed'), function () {
      return this[slots.disturbed];
    });
    defineGetter(ReadableStream.prototype, SymbolFor('nodejs.stream.errored'), function () {
      return state(this) === 'errored';
    });
    defineGetter(ReadableStream.prototype, SymbolFor('nodejs.stream.readable'), function () {
      return state(this) === 'readable';
    });
    defineGetter(WritableStream.prototype, SymbolFor('nodejs.stream.errored'), function () {
      return state(this) === 'errored';
    });
    defineGetter(WritableStream.prototype, SymbolFor('nodejs.stream.writable'), function () {
      return state(this) === 'writable';
    });
    const marks = [slots.readableStreamController, slots.writableStreamController, slots.transformStreamController];
    internal.cloners.stream = {
      __proto__: null,
      is: (object) => (marks[0] in object || marks[1] in object || marks[2] in object) &&
        (object instanceof ReadableStream || object instanceof WritableStream || object instanceof TransformStream),
    };
    internal.ReadableStream = ReadableStream;
    internal.TransformStream = TransformStream;
    internal.WritableStream = WritableStream;
  }

  // The module, as `stream/web`.
  internal.builtins['stream/web'] = () => {
    internal.load('web-streams');
    internal.load('text-streams');
    const names = [
      'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest',
      'ReadableByteStreamController', 'ReadableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController',
      'WritableStream', 'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'ByteLengthQueuingStrategy',
      'CountQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream', 'CompressionStream', 'DecompressionStream',
    ];
    const exports = {};
    for (let i = 0; i < names.length; i++) define(exports, names[i], internal.globals[names[i]], true);
    return exports;
  };
  internal.finishWebStreams = finishWebStreams;
})
