// Built-in modules of which a session has the shape only: what packages look at while they load, and functions that say
// why they do nothing. One entry makes one module.
(function (native, internal) {
  'use strict';

  const { Map, MapPrototypeDelete, MapPrototypeGet, MapPrototypeSet, ObjectDefineProperty, Symbol, SymbolFor } = internal.primordials;
  const { validateObject } = internal.errors;
  const { builtins } = internal;
  const { members } = internal.denied;

  builtins.child_process = () => members('child_process', 'ChildProcess', {
    functions: '_forkChild execFileSync execSync fork spawn spawnSync', callbacks: 'exec execFile', classes: 'ChildProcess',
  });

  builtins.cluster = () => {
    const cluster = new internal.EventEmitter();
    return internal.defineAll(cluster, {
      isWorker: false, isMaster: true, isPrimary: true, workers: {}, settings: {}, SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2,
      ...members('cluster', 'ChildProcess', { functions: 'setupPrimary setupMaster fork disconnect', classes: 'Worker' }),
    });
  };

  builtins.dgram = () => members('dgram', 'Net', { functions: '_createSocketHandle createSocket', classes: 'Socket' });

  // --- dns ---

  const codes = {
    NODATA: 'ENODATA', FORMERR: 'EFORMERR', SERVFAIL: 'ESERVFAIL', NOTFOUND: 'ENOTFOUND', NOTIMP: 'ENOTIMP', REFUSED: 'EREFUSED',
    BADQUERY: 'EBADQUERY', BADNAME: 'EBADNAME', BADFAMILY: 'EBADFAMILY', BADRESP: 'EBADRESP', CONNREFUSED: 'ECONNREFUSED',
    TIMEOUT: 'ETIMEOUT', EOF: 'EOF', FILE: 'EFILE', NOMEM: 'ENOMEM', DESTRUCTION: 'EDESTRUCTION', BADSTR: 'EBADSTR', BADFLAGS: 'EBADFLAGS',
    NONAME: 'ENONAME', BADHINTS: 'EBADHINTS', NOTINITIALIZED: 'ENOTINITIALIZED', LOADIPHLPAPI: 'ELOADIPHLPAPI',
    ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS', CANCELLED: 'ECANCELLED',
  };
  const lookups = 'lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse';
  let order = 'verbatim';
  function settings() {
    return {
      getServers: () => [], getDefaultResultOrder: () => order,
      setDefaultResultOrder(wanted) {
        order = wanted;
      },
    };
  }
  builtins['dns/promises'] = () => ({
    ...members('dns.promises', 'Net', { promised: lookups, functions: 'setServers', classes: 'Resolver' }), ...settings(), ...codes,
  });
  builtins.dns = () => ({
    ...members('dns', 'Net', { callbacks: lookups, functions: 'setServers', classes: 'Resolver' }), ...settings(), ...codes,
    ADDRCONFIG: 32, ALL: 16, V4MAPPED: 8, promises: internal.builtin('dns/promises'),
  });

  // --- What belongs to the engine ---

  builtins.domain = () => ({
    _stack: [], active: null, ...members('domain', undefined, { functions: 'createDomain create', classes: 'Domain' }),
  });

  function inspector() {
    return {
      close() {}, url: () => undefined, console: internal.console,
      Network: members('inspector.Network', 'Inspector', { functions: 'requestWillBeSent responseReceived loadingFinished loadingFailed' }),
      ...members('inspector', 'Inspector', { functions: 'open waitForDebugger', classes: 'Session' }),
    };
  }
  builtins.inspector = inspector;
  builtins['inspector/promises'] = inspector;

  builtins.repl = () => ({
    REPL_MODE_SLOPPY: Symbol('repl-sloppy'), REPL_MODE_STRICT: Symbol('repl-strict'), writer: (value) => internal.inspect(value),
    ...members('repl', undefined, { functions: 'start isValidSyntax', classes: 'REPLServer Recoverable' }),
    builtinModules: internal.builtin('module').builtinModules,
  });

  builtins.sea = () => ({ isSea: () => false, ...members('sea', undefined, { functions: 'getAsset getRawAsset getAssetAsBlob' }) });

  builtins.sys = () => internal.builtin('util');

  builtins.trace_events = () => ({ getEnabledCategories: () => undefined, ...members('trace_events', 'Inspector', { functions: 'createTracing' }) });

  builtins.test = () => {
    const shape = members('test', undefined, { functions: 'test skip todo only after afterEach before beforeEach describe it run suite' });
    const hooks = members('test.mock', undefined, { functions: 'fn getter setter method reset restoreAll module timers' });
    return internal.defineAll(shape.test, { ...shape, mock: hooks });
  };
  builtins['test/reporters'] = () => members('test/reporters', undefined, { functions: 'dot junit spec tap lcov' });

  builtins.wasi = () => members('wasi', undefined, { classes: 'WASI' });

  // --- v8: what can be said of the heap is said ---

  function heapStatistics() {
    const { heapTotal, heapUsed, external } = native.memoryUsage();
    return {
      total_heap_size: heapTotal, total_heap_size_executable: 0, total_physical_size: heapTotal, total_available_size: heapTotal, used_heap_size: heapUsed,
      heap_size_limit: heapTotal, malloced_memory: 0, peak_malloced_memory: 0, does_zap_garbage: 0, number_of_native_contexts: 1,
      number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: external,
    };
  }
  builtins.v8 = () => ({
    cachedDataVersionTag: () => 0, getHeapStatistics: heapStatistics, getHeapSpaceStatistics: () => [],
    getHeapCodeStatistics: () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0 }),
    takeCoverage() {}, stopCoverage() {}, setHeapSnapshotNearHeapLimit() {},
    promiseHooks: members('v8.promiseHooks', undefined, { functions: 'createHook onInit onBefore onAfter onSettled' }),
    startupSnapshot: {
      isBuildingSnapshot: () => false,
      ...members('v8.startupSnapshot', undefined, { functions: 'addSerializeCallback addDeserializeCallback setDeserializeMainFunction' }),
    },
    ...members('v8', 'Inspector', { functions: 'getHeapSnapshot writeHeapSnapshot queryObjects setFlagsFromString' }),
    ...members('v8', undefined, { functions: 'serialize deserialize', classes: 'Serializer Deserializer DefaultSerializer DefaultDeserializer GCProfiler' }),
  });

  builtins.vm = () => ({
    isContext(object) {
      validateObject(object, 'object');
      return false;
    },
    constants: { __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'), DONT_CONTEXTIFY: Symbol('vm_context_no_contextify') },
    ...members('vm', undefined, { functions: 'createContext createScript runInContext runInNewContext runInThisContext compileFunction', promised: 'measureMemory', classes: 'Script' }),
  });

  // --- worker_threads: this is the only thread ---

  builtins.worker_threads = () => {
    const environment = new Map();
    const exports = {
      isMainThread: true, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: SymbolFor('nodejs.worker_threads.SHARE_ENV'),
      markAsUntransferable() {}, getEnvironmentData: (key) => MapPrototypeGet(environment, key),
      setEnvironmentData(key, value) {
        if (value === undefined) MapPrototypeDelete(environment, key);
        else MapPrototypeSet(environment, key, value);
      },
      ...members('worker_threads', 'WorkerThreads', { functions: 'moveMessagePortToContext receiveMessageOnPort', promised: 'postMessageToThread', classes: 'Worker' }),
    };
    const lacking = members('worker_threads', undefined, { classes: 'MessageChannel MessagePort BroadcastChannel' });
    for (const name in lacking) {
      // Whether there are any is the web's business; they are made when somebody asks.
      ObjectDefineProperty(exports, name, {
        __proto__: null,
        get: () => internal.globals[name] ?? globalThis[name] ?? lacking[name],
        enumerable: true,
        configurable: true,
      });
    }
    return exports;
  };
})
