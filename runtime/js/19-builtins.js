// The registry of built-in modules. Files add `internal.builtins.name = () => exports`; the exports are made when
// somebody asks for the module for the first time, and stay the same from then on.
(function (native, internal) {
  'use strict';

  const {
    Error, Map, MapPrototypeGet, MapPrototypeSet, ObjectKeys, ObjectPrototypeHasOwnProperty, StringPrototypeSlice,
    StringPrototypeStartsWith,
  } = internal.primordials;
  const { nodeError } = internal.errors;

  const builtins = { __proto__: null };
  const made = new Map();

  // Modules of Node that reach out of the session, or into the engine. A session has none of them until its host
  // permits it; the name resolves, so that the guest learns why it fails.
  const refused = { __proto__: null };
  for (const name of `_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex
    _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap
    child_process cluster dgram dns dns/promises domain fs fs/promises http http2 https inspector inspector/promises net
    readline readline/promises repl sea sqlite stream stream/consumers stream/promises stream/web sys test
    test/reporters tls trace_events v8 vm wasi worker_threads zlib`.split(/\s+/)) {
    refused[name] = true;
  }

  function bare(name) {
    return StringPrototypeStartsWith(name, 'node:') ? StringPrototypeSlice(name, 5) : name;
  }

  function exists(name) {
    return ObjectPrototypeHasOwnProperty(builtins, name);
  }

  function isRefused(name) {
    return !exists(name) && refused[name] === true;
  }

  function builtin(given) {
    const name = bare(`${given}`);
    if (exists(name)) {
      let exports = MapPrototypeGet(made, name);
      if (exports === undefined) {
        exports = builtins[name]();
        MapPrototypeSet(made, name, exports);
      }
      return exports;
    }
    if (isRefused(name)) {
      throw nodeError(Error, 'ERR_ACCESS_DENIED',
        `Access to the built-in module 'node:${name}' is denied: the host has not permitted it`, builtin);
    }
    throw nodeError(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${given}`, builtin);
  }

  // These exist with the prefix only, as in Node.
  const prefixOnly = { __proto__: null, sea: true, sqlite: true, test: true, 'test/reporters': true };

  function isBuiltin(specifier) {
    if (typeof specifier !== 'string') return false;
    const name = bare(specifier);
    if (!exists(name) && !isRefused(name)) return false;
    return name !== specifier || prefixOnly[name] !== true;
  }

  internal.builtins = builtins;
  internal.builtin = builtin;
  internal.isBuiltin = isBuiltin;
  internal.builtinNames = () => ObjectKeys(builtins);
  internal.refusedNames = () => {
    const names = [];
    for (const name in refused) {
      if (isRefused(name)) names[names.length] = name;
    }
    return names;
  };
})
