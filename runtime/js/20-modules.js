// Which built-in modules there are. `lazy/builtins.js` makes them.
(function (native, internal) {
  'use strict';

  const { ownKeys } = Reflect;
  const { hooks } = internal;

  // Each module, and the file that has it.
  function moduleFiles() {
    const files = {
      __proto__: null, assert: 'assert', 'assert/strict': 'assert', buffer: 'buffer', console: 'console',
      constants: 'small-modules', crypto: 'crypto', diagnostics_channel: 'diagnostics-channel', events: 'events',
      module: 'cjs-loader', os: 'small-modules', path: 'path', 'path/posix': 'path', 'path/win32': 'path',
      perf_hooks: 'performance', process: 'process', punycode: 'small-modules', querystring: 'url-module',
      string_decoder: 'small-modules', timers: 'timers', 'timers/promises': 'timers', tty: 'stdio', url: 'url-module',
      util: 'util', 'util/types': 'util-types',
    };
    if (native.getContinuation !== undefined) files.async_hooks = 'async-hooks';
    return files;
  }

  // Modules of Node that reach out of the session, or into the engine. A session has none of them until its host
  // permits it; the name resolves, so that the guest learns why it fails.
  function refusedNames() {
    return [
      '_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing', '_http_server', '_stream_duplex',
      '_stream_passthrough', '_stream_readable', '_stream_transform', '_stream_wrap', '_stream_writable', '_tls_common',
      '_tls_wrap', 'child_process', 'cluster', 'dgram', 'dns', 'dns/promises', 'domain', 'fs', 'fs/promises', 'http',
      'http2', 'https', 'inspector', 'inspector/promises', 'net', 'readline', 'readline/promises', 'repl', 'sea', 'sqlite',
      'stream', 'stream/consumers', 'stream/promises', 'stream/web', 'sys', 'test', 'test/reporters', 'tls',
      'trace_events', 'v8', 'vm', 'wasi', 'worker_threads', 'zlib',
    ];
  }

  internal.moduleFiles = moduleFiles;
  hooks.builtinNames = () => ownKeys(moduleFiles());
  hooks.refusedNames = refusedNames;
})
