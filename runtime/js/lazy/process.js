// `process`: the object, its clocks and its warnings. What belongs to one session is set by `restore`, in place,
// because code in a snapshot may hold the object, its `env` and its `argv`.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, Error, ErrorCaptureStackTrace, Number, ObjectAssign, ObjectCreate, ObjectDefineProperty, ObjectKeys,
    Proxy, ReflectApply, ReflectDefineProperty, ReflectDeleteProperty, ReflectOwnKeys, Set, SymbolToStringTag, TypeError,
  } = internal.primordials;
  const {
    argumentType, nodeError, outOfRange, validateFunction, validateInteger, validateObject, validateString,
  } = internal.errors;
  const { EventEmitter } = internal;

  // As in Node, a prototype of its own stands between `process` and the methods of `EventEmitter`.
  function ProcessClass() {}
  const processProto = ObjectCreate(EventEmitter.prototype);
  internal.define(processProto, 'constructor', ProcessClass, false);
  internal.define(ProcessClass, 'name', 'process', false);
  ProcessClass.prototype = processProto;
  internal.define(processProto, SymbolToStringTag, 'process', false);
  const process = ObjectCreate(processProto);
  ReflectApply(internal.initEmitter, process, []);

  // --- Environment: like a table of strings, whatever the guest assigns ---

  const variables = {};
  function toText(value) {
    if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
    return `${value}`;
  }
  function setVariable(target, key, value) {
    return ReflectDefineProperty(target, toText(key), {
      __proto__: null, value: toText(value), writable: true, enumerable: true, configurable: true,
    });
  }
  const env = new Proxy(variables, {
    __proto__: null,
    set: setVariable,
    defineProperty(target, key, descriptor) {
      if ('value' in descriptor) return setVariable(target, key, descriptor.value);
      throw nodeError(TypeError, 'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
        "'process.env' does not accept an accessor(getter/setter) descriptor");
    },
    preventExtensions: () => false,
    setPrototypeOf: () => false,
  });

  // --- Facts ---

  const argv = ['/usr/bin/node'];
  const versions = { node: '0.0.0' };
  let directory = '/';

  function cwd() {
    return directory;
  }
  function chdir(path) {
    validateString(path, 'directory');
    directory = internal.builtin('path').resolve(directory, path);
  }

  // --- Clocks and measures ---

  function hrtime(previous) {
    const now = native.hrtime();
    let seconds = Number(now / 1000000000n);
    let nanoseconds = Number(now % 1000000000n);
    if (previous !== undefined) {
      if (!ArrayIsArray(previous)) throw argumentType('time', 'Array', previous);
      if (previous.length !== 2) throw outOfRange('time', 2, previous.length);
      seconds -= previous[0];
      nanoseconds -= previous[1];
      if (nanoseconds < 0) {
        seconds--;
        nanoseconds += 1000000000;
      }
    }
    return [seconds, nanoseconds];
  }
  internal.define(hrtime, 'bigint', function bigint() {
    return native.hrtime();
  }, true);

  function memoryUsage() {
    const { rss, heapTotal, heapUsed, external, arrayBuffers } = native.memoryUsage();
    return { rss, heapTotal, heapUsed, external, arrayBuffers };
  }
  internal.define(memoryUsage, 'rss', function rss() {
    return native.memoryUsage().rss;
  }, true);

  function cpuUsage(previous) {
    const used = native.cpuUsage();
    if (previous === undefined) return { user: used[0], system: used[1] };
    validateObject(previous, 'prevValue');
    return { user: used[0] - previous.user, system: used[1] - previous.system };
  }

  // --- Warnings ---

  function emitWarning(warning, type, code, hidden) {
    let detail;
    if (type !== null && typeof type === 'object' && !ArrayIsArray(type)) {
      ({ code, detail, ctor: hidden } = type);
      ({ type } = type);
    } else if (typeof type === 'function') {
      hidden = type;
      type = undefined;
    }
    if (typeof code === 'function') {
      hidden = code;
      code = undefined;
    }
    if (typeof warning === 'string') {
      warning = new Error(warning);
      internal.define(warning, 'name', `${type ?? 'Warning'}`, false);
      if (code !== undefined) warning.code = code;
      if (detail !== undefined) warning.detail = detail;
      ErrorCaptureStackTrace(warning, hidden ?? emitWarning);
    } else if (native.isKind(warning) !== 'Error') {
      throw argumentType('warning', ['string', 'Error'], warning);
    }
    if (warning.name === 'DeprecationWarning') {
      if (process.noDeprecation) return;
      if (process.throwDeprecation) throw warning;
    }
    internal.nextTick(() => {
      process.emit('warning', warning);
      printWarning(warning);
    });
  }

  function printWarning(warning) {
    if (process.noProcessWarnings === true) return;
    const { code, detail, message, name } = warning;
    let text = `(node:${process.pid}) ${code ? `[${code}] ` : ''}${name}: ${message}\n`;
    if (typeof detail === 'string') text += `${detail}\n`;
    native.print(2, 3, text);
  }

  // --- The end of the run, and what a session may not do ---

  let exiting = false;

  function exit(code) {
    if (code !== undefined && code !== null) process.exitCode = code;
    if (!exiting) {
      exiting = true;
      process._exiting = true;
      process.emit('exit', +(process.exitCode ?? 0) || 0);
    }
    reallyExit(process.exitCode);
  }

  function reallyExit(code) {
    native.exit((+(code ?? 0) || 0) | 0);
  }

  function abort() {
    native.exit(134);
  }

  function kill(pid, signal = 'SIGTERM') {
    validateInteger(pid, 'pid');
    if (pid === process.pid && signal === 0) return true;
    const error = new Error('kill EPERM');
    throw ObjectAssign(error, { errno: -1, code: 'EPERM', syscall: 'kill' });
  }

  function denied(what) {
    return function refused() {
      const refuses = nodeError(Error, 'ERR_ACCESS_DENIED', `Access to process.${what} is denied: the host has not permitted it`, refused);
      throw refuses;
    };
  }

  let captureCallback = null;
  function setUncaughtExceptionCaptureCallback(callback) {
    if (callback !== null) validateFunction(callback, 'fn');
    captureCallback = callback;
  }

  function getBuiltinModule(id) {
    validateString(id, 'id');
    try {
      return internal.builtin(id);
    } catch {
      return undefined;
    }
  }

  const id = () => 1000;
  internal.defineAll(process, {
    __proto__: null, getuid: id, geteuid: id, getgid: id, getegid: id, version: 'v0.0.0', versions, arch: 'x64', platform: 'linux', release: { name: 'node' }, title: 'node', argv,
    argv0: 'node', execArgv: [], execPath: '/usr/bin/node', env, pid: 1, ppid: 0, debugPort: 9229, exitCode: undefined,
    features: { inspector: false, debug: false, uv: false, ipv6: true, tls_alpn: false, tls_sni: false, tls_ocsp: false, tls: false, cached_builtins: true, require_module: true, typescript: 'strip' },
    config: { target_defaults: {}, variables: {} }, allowedNodeEnvironmentFlags: new Set(), abort, binding: denied('binding'), _linkedBinding: denied('_linkedBinding'),
    _rawDebug: (...args) => native.print(2, 4, `${internal.formatSafely(args)}\n`), chdir, constrainedMemory: () => 0, availableMemory: () => native.memoryUsage().heapTotal, cpuUsage, cwd,
    dlopen: denied('dlopen'), loadEnvFile: denied('loadEnvFile'), initgroups: denied('initgroups'), setgroups: denied('setgroups'), setuid: denied('setuid'), seteuid: denied('seteuid'), setgid: denied('setgid'), setegid: denied('setegid'),
    _getActiveHandles: () => [], _getActiveRequests: () => [], moduleLoadList: [], _preload_modules: [], sourceMapsEnabled: false, emitWarning, exit, getBuiltinModule, getActiveResourcesInfo: () => [],
    getgroups: () => [1000], hasUncaughtExceptionCaptureCallback: () => captureCallback !== null, hrtime, kill,
    memoryUsage, nextTick: internal.nextTick, reallyExit, resourceUsage, setSourceMapsEnabled() {},
    setUncaughtExceptionCaptureCallback, umask: () => 0o22, uptime: () => native.now() / 1000,
  });

  function resourceUsage() {
    const used = native.cpuUsage();
    const zero = {
      sharedMemorySize: 0, unsharedDataSize: 0, unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0,
      swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0,
      voluntaryContextSwitches: 0, involuntaryContextSwitches: 0,
    };
    return { userCPUTime: used[0], systemCPUTime: used[1], maxRSS: native.memoryUsage().rss / 1024, ...zero };
  }

  // The streams are made when somebody reads them.
  function lazyStream(name) {
    const settle = (value) => internal.define(process, name, value, true);
    ObjectDefineProperty(process, name, {
      __proto__: null,
      get() {
        const stream = internal.stdio[name];
        settle(stream);
        return stream;
      },
      set: settle,
      enumerable: true,
      configurable: true,
    });
  }
  lazyStream('stdin');
  lazyStream('stdout');
  lazyStream('stderr');

  // --- For the runtime ---

  // What code in the snapshot has frozen stays as it is; that is no reason to fail.
  function put(target, key, value) {
    ReflectDefineProperty(target, key, { __proto__: null, value, enumerable: true, writable: true, configurable: true });
  }

  function refill(target, source) {
    const old = ReflectOwnKeys(target);
    for (let i = 0; i < old.length; i++) ReflectDeleteProperty(target, old[i]);
    const names = ObjectKeys(source);
    for (let i = 0; i < names.length; i++) put(target, names[i], source[names[i]]);
  }

  function refillList(list, items) {
    if (!ReflectDefineProperty(list, 'length', { __proto__: null, value: 0 })) return;
    for (let i = 0; i < items.length; i++) put(list, i, items[i]);
  }

  // Runs no code of the guest. Code in the snapshot may have wrapped `cwd` to remember its answer, as graceful-fs does;
  // that memory is of another session, so the plain function comes back.
  function restore({ env: newEnv, argv: newArgv, cwd: newCwd, pid, versions: newVersions }) {
    refill(variables, newEnv);
    refillList(argv, newArgv);
    refill(versions, newVersions);
    directory = newCwd;
    exiting = false;
    const facts = { __proto__: null, argv, env, versions, version: `v${newVersions.node}`, pid, cwd, exitCode: undefined };
    for (const name in facts) put(process, name, facts[name]);
  }

  // True when a listener of the guest took the event.
  function emitProcessEvent(name, ...args) {
    if (name === 'uncaughtException' && captureCallback !== null) {
      captureCallback(args[0]);
      return true;
    }
    switch (args.length) {
      case 0: return process.emit(name) === true;
      case 1: return process.emit(name, args[0]) === true;
      default: return process.emit(name, args[0], args[1]) === true;
    }
  }

  // The run is over by itself, or `code` says how. Gives the exit code that the guest's listeners settled on.
  function exitEvent(code) {
    if (!exiting) {
      exiting = true;
      const first = +(process.exitCode ?? code ?? 0) || 0;
      if (code === undefined || code === 0) emitQuietly('beforeExit', first);
      process._exiting = true;
      emitQuietly('exit', +(process.exitCode ?? code ?? 0) || 0);
    }
    return (+(process.exitCode ?? code ?? 0) || 0) | 0;
  }

  function emitQuietly(name, code) {
    try {
      process.emit(name, code);
    } catch {
      // The run ends whatever its listeners do.
    }
  }

  if (internal.config !== undefined) restore(internal.config);
  internal.restorers.process = restore;
  internal.builtins.process = () => process;
  internal.globals.process = process;
  internal.emitProcessEvent = emitProcessEvent;
  internal.exitEvent = exitEvent;
  internal.cwd = () => directory;
  internal.emitWarning = emitWarning;
  internal.process = process;
})
