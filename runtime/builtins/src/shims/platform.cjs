'use strict';

// Built-in modules as far as `undici` asks for them when it is loaded; what it asks for later is made later.
const { ObjectSetPrototypeOf, ReflectConstruct, StringPrototypeToWellFormed, SymbolFor } = internal.primordials;
const disturbed = SymbolFor('nodejs.stream.disturbed');
const errored = SymbolFor('nodejs.stream.errored');
const readable = SymbolFor('nodejs.stream.readable');

function later(name, member) {
  return (...args) => internal.builtin(name)[member](...args);
}

// Classes to inherit from or to compare with.
class IncomingMessage {}
function Transform(options) {
  const real = internal.builtin('stream').Transform;
  ObjectSetPrototypeOf(Transform.prototype, real.prototype);
  return ReflectConstruct(real, [options], new.target);
}
function Readable(options) {
  return ReflectConstruct(internal.builtin('stream').Readable, [options]);
}

exports.modules = {
  __proto__: null,
  buffer: { Blob: internal.Blob, File: internal.File, resolveObjectURL: (url) => internal.resolveObjectURL(url) },
  crypto: { createHash: later('crypto', 'createHash'), getHashes: () => ['sha256', 'sha384', 'sha512'], randomInt: later('crypto', 'randomInt') },
  events: internal.builtin('events'),
  http: { IncomingMessage, STATUS_CODES: { __proto__: null } },
  net: {},
  perf_hooks: { performance },
  querystring: { stringify: later('querystring', 'stringify') },
  stream: {
    Readable, Transform, finished: later('stream', 'finished'), pipeline: later('stream', 'pipeline'),
    isDisturbed: (stream) => !!(stream?.[disturbed] ?? (stream?.readableDidRead || stream?.readableAborted)),
    isErrored: (stream) => !!(stream?.[errored] ?? stream?.errored),
    isReadable: (stream) => (stream?.[readable] ?? stream?.readable) === true,
  },
  util: {
    inspect: internal.inspect, format: internal.format, formatWithOptions: internal.formatWithOptions, types: internal.types,
    toUSVString: (text) => StringPrototypeToWellFormed(`${text}`),
  },
  'util/types': internal.types,
  worker_threads: {},
  zlib: { __proto__: null, constants: {} },
};
