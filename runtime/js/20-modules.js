// Which built-in modules there are. `lazy/builtins.js` makes them.
(function (native, internal) {
  'use strict';

  const { apply, ownKeys } = Reflect;
  const { split } = String.prototype;
  const { hooks } = internal;

  // Each module, and the file that has it.
  function moduleFiles() {
    const files = { __proto__: null };
    const list = [
      ['assert', 'assert assert/strict'], ['async-hooks', 'async_hooks'], ['buffer', 'buffer'], ['cjs-loader', 'module'], ['console', 'console'],
      ['crypto', 'crypto'], ['diagnostics-channel', 'diagnostics_channel'], ['events', 'events'], ['fs', 'fs fs/promises'], ['http', 'http https'], ['http2', 'http2'],
      ['net', 'net tls'], ['path', 'path path/posix path/win32'], ['performance', 'perf_hooks'], ['process', 'process'],
      ['readline', 'readline readline/promises'],
      ['shapes', 'child_process cluster dgram dns dns/promises domain inspector inspector/promises repl sea sys test test/reporters trace_events v8 vm wasi worker_threads'],
      ['punycode', 'punycode'], ['small-modules', 'constants os string_decoder'], ['stdio', 'tty'],
      ['stream', 'stream stream/promises _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_writable'],
      ['stream-more', 'stream/consumers'], ['web-streams-parts', 'stream/web'], ['timers', 'timers timers/promises'], ['url-module', 'querystring url'], ['util', 'util'],
      ['util-types', 'util/types'], ['zlib', 'zlib'],
    ];
    for (let i = 0; i < list.length; i++) {
      const names = apply(split, list[i][1], [' ']);
      for (let j = 0; j < names.length; j++) files[names[j]] = list[i][0];
    }
    return files;
  }

  // Modules of Node that a session has nothing of. The name resolves, so that the guest learns why it fails.
  function refusedNames() {
    return [
      '_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server', '_stream_wrap', '_tls_common', '_tls_wrap',
      'sqlite',
    ];
  }

  internal.moduleFiles = moduleFiles;
  hooks.builtinNames = () => ownKeys(moduleFiles());
  hooks.refusedNames = refusedNames;
})
