// What the runtime calls when a session begins, and the globals that are there from then on. The hooks are: `restore`,
// `runTimer`, `runTicks`, `dropTicks`, `importCommonJs`, `importJson`, `importWasm`, `isRunning`, `placeCommonJs`, `requireMain`,
// `builtin`, `builtinNames`, `refusedNames`, `setInput`, `defineRequire`, `emitProcessEvent`, `exitEvent`, `initImportMeta`,
// `initWasmMeta`, `domException`, `nodeError` and `readGlobal`.
(function (native, internal) {
  'use strict';

  const { defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  const { hooks, restorers } = internal;

  // Re-makes the world of the session: in a realm fresh from its snapshot, and in one that a snapshot is made of.
  // What has not run so far finds the configuration when it does.
  hooks.restore = (config) => {
    internal.config = config;
    internal.webAssembly = webAssembly();
    for (const name in restorers) restorers[name](config);
    setInput(config.input);
  };

  // What modules need of WebAssembly, before a guest can change it. A realm has it in a session only.
  function webAssembly() {
    const { Instance, Module } = getOwnPropertyDescriptor(globalThis, 'WebAssembly')?.value ?? {};
    return Module === undefined ? undefined : { __proto__: null, Instance, Module, imports: Module.imports, exports: Module.exports };
  }

  function setInput(value) {
    if (value === undefined) deleteProperty(globalThis, 'input');
    else defineProperty(globalThis, 'input', { __proto__: null, value, enumerable: true, writable: true, configurable: true });
  }
  hooks.setInput = setInput;

  // What nearly every program uses is there from the start. Reading a global makes it a plain property.
  internal.load('errors');
  const console = hooks.readGlobal('console', 'console');
  defineProperty(globalThis, 'console', { __proto__: null, value: console, writable: true, configurable: true });
  // Of the primordials, those of the files that come next most often: `process`, timers, events, modules.
  for (const name of ['ArrayPrototypeIncludes', 'ArrayPrototypeShift', 'ArrayPrototypeUnshift', 'AsyncIteratorPrototype',
    'Map', 'MapPrototypeDelete', 'MapPrototypeGet', 'MapPrototypeSet', 'MathTrunc', 'Number', 'ObjectAssign',
    'ObjectGetPrototypeOf', 'ObjectPrototypeHasOwnProperty', 'ObjectSetPrototypeOf', 'Promise', 'PromisePrototypeThen',
    'PromiseReject', 'PromiseResolve', 'Proxy', 'ReflectDefineProperty', 'ReflectOwnKeys', 'Set', 'StringPrototypeSplit',
    'StringPrototypeStartsWith', 'Symbol', 'SymbolAsyncIterator', 'SymbolFor', 'SymbolToPrimitive', 'removeAt']) {
    void internal.primordials[name];
  }
  internal.settlePrimordials();

  defineProperty(globalThis, 'global', { __proto__: null, value: globalThis, enumerable: true, writable: true, configurable: true });
  defineProperty(globalThis, Symbol.toStringTag, { __proto__: null, value: 'global', writable: true, configurable: true });
})
