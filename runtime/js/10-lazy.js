// Runs the files of `lazy/` when somebody needs them, so that a session does not carry what it never uses.
//
// The files share `internal`. Whoever reads a name that is not there yet, `internal.inspect`, runs the file that sets
// it. A file sets its names at its end, when all that they stand for works; a run that is cut by the end of a request
// or by an exception is done again from the start. What a file gives to the guest as globals it puts into
// `internal.globals`, the exports of a built-in module into `internal.builtins`, and what it must do when a session is
// restored into `internal.restorers`.
//
// Files may run after the guest has changed every built-in object. They take what they need from
// `internal.primordials`, and do at their top level only what no guest can reach.
(function (native, internal) {
  'use strict';

  const { apply, defineProperty, getOwnPropertyDescriptor, setPrototypeOf } = Reflect;
  const loaded = { __proto__: null };
  const globals = { __proto__: null };
  const hooks = { __proto__: null };

  function load(file) {
    if (loaded[file] === true) return;
    native.loadScript(`lazy/${file}.js`)(native, internal);
    loaded[file] = true;
  }

  // Which file sets a name of `internal`.
  function fileOf(name) {
    switch (name) {
      case 'helpers': return 'helpers';
      case 'cjsLoader': return 'cjs-loader';
      case 'cjsResolve': return 'cjs-resolve';
      case 'define': case 'defineAll': case 'errors': return 'errors';
      case 'safeName': case 'safeConstructorName': case 'safeLookup': case 'inspectBase': return 'inspect-base';
      case 'inspectLayout': return 'inspect-layout';
      case 'inspectKinds': return 'inspect-kinds';
      case 'inspect': return 'inspect';
      case 'format': case 'formatWithOptions': case 'formatSafely': return 'format';
      case 'console': case 'consoleWrite': return 'console';
      case 'consoleParts': return 'console-parts';
      case 'builtin': case 'isBuiltin': return 'builtins';
      case 'EventEmitter': case 'initEmitter': return 'events';
      case 'Event': case 'EventTarget': case 'finishClass': case 'defineEventHandler': case 'isEventTarget':
      case 'dispatchTrusted': case 'eventListeners': return 'event-target';
      case 'timers': return 'timers';
      case 'currentFrame': case 'runInFrame': case 'nextTick': case 'queueTask': case 'drainTicks': case 'dropTicks':
      return 'queues';
      case 'TextDecoder': case 'TextEncoder': return 'encoding';
      case 'bytesOf': case 'fromUnits': case 'sliceBytes': return 'bytes';
      case 'atob': case 'btoa': return 'base64';
      case 'AbortController': case 'AbortSignal': return 'abort';
      case 'process': case 'cwd': case 'emitWarning': case 'emitProcessEvent': case 'exitEvent': return 'process';
      case 'stdio': return 'stdio';
      case 'bufferParts': return 'buffer-core';
      case 'Buffer': return 'buffer';
      case 'Blob': case 'File': case 'isBlob': case 'createObjectURL': case 'revokeObjectURL': case 'resolveObjectURL':
      return 'blob';
      case 'ReadableStream': case 'TransformStream': case 'WritableStream': return 'web-streams';
      case 'finishWebStreams': return 'web-streams-parts';
      case 'finishFetch': case 'networkDenied': return 'fetch-parts';
      case 'cloneMessage': return 'structured-clone';
      case 'path': return 'path';
      case 'types': return 'util-types';
      case 'isDeepEqual': return 'deep-equal';
      case 'parseArgs': return 'parse-args';
      case 'digests': return 'digests';
      case 'subtle': return 'subtle';
      case 'cryptoHash': return 'crypto-hash';
      case 'denied': return 'denied';
      case 'emitterInScope': return 'async-hooks';
      case 'finishStream': return 'stream-more';
      case 'fsClasses': return 'fs-classes';
      case 'net': return 'net';
      case 'stream': return 'stream';
      case 'urlHost': return 'url-host';
      case 'urlParser': return 'url-parser';
      case 'URL': case 'URLSearchParams': return 'url';
      default: return undefined;
    }
  }

  setPrototypeOf(native, null);
  setPrototypeOf(internal, new Proxy({ __proto__: null }, {
    __proto__: null,
    get(_, name) {
      const file = fileOf(name);
      if (file === undefined || loaded[file] === true) return undefined;
      load(file);
      return internal[name];
    },
  }));

  // A global that is made later is an accessor until somebody reads it. Assigning to it makes it a property of the
  // guest's, as it would with a plain one.
  function lazyGlobal(name, file, enumerable) {
    function get() {
      load(file);
      const value = globals[name];
      if (getOwnPropertyDescriptor(globalThis, name)?.get === get) settle(globalThis, name, value, enumerable);
      return value;
    }
    function set(value) {
      settle(this ?? globalThis, name, value, this === globalThis ? enumerable : true);
    }
    defineProperty(globalThis, name, { __proto__: null, get, set, enumerable, configurable: true });
  }

  function settle(target, name, value, enumerable) {
    defineProperty(target, name, { __proto__: null, value, enumerable, writable: true, configurable: true });
  }

  // All others are defined natively, for less memory: `globals.rs`.
  native.defineGlobals();
  hooks.readGlobal = (name, file) => {
    load(file);
    return globals[name];
  };

  // The file puts the function itself in the place of this one.
  function lazyHook(name, file) {
    hooks[name] = (...args) => {
      load(file);
      return apply(hooks[name], undefined, args);
    };
  }

  lazyHook('builtin', 'builtins');
  lazyHook('importCommonJs', 'cjs-imports');
  lazyHook('placeCommonJs', 'cjs-imports');
  lazyHook('importJson', 'cjs-imports');
  lazyHook('importWasm', 'wasm-module');
  lazyHook('initWasmMeta', 'wasm-module');
  lazyHook('requireMain', 'cjs-loader');
  lazyHook('initImportMeta', 'import-meta');
  lazyHook('domException', 'errors');
  lazyHook('runTimer', 'timers');

  // A script, unlike a module, has `require`, as it has with `node -e`. From the first script on, all code of the
  // realm sees it.
  let hasRequire = false;
  hooks.defineRequire = () => {
    if (hasRequire) return;
    hasRequire = true;
    lazyGlobal('require', 'script-require', true);
  };

  // Nobody can have asked for these before the file that does them has run.
  hooks.isRunning = () => false;
  hooks.dropTicks = () => loaded.queues === true && internal.dropTicks();
  hooks.runTicks = () => (loaded.queues === true ? internal.drainTicks() : false);
  hooks.emitProcessEvent = (...args) => loaded.process === true && apply(internal.emitProcessEvent, undefined, args);
  hooks.exitEvent = (code) => (loaded.process === true ? internal.exitEvent(code) : (code ?? 0) | 0);

  internal.buildFiles = undefined;
  internal.drawn = undefined;
  internal.note = undefined;
  internal.builtins = { __proto__: null };
  internal.cloners = { __proto__: null };
  internal.config = undefined;
  internal.globals = globals;
  internal.hooks = hooks;
  internal.load = load;
  internal.restorers = { __proto__: null };
})
