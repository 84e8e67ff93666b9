// WebAssembly as modules: what they import are modules, what they export are the instance's exports. A guest may
// have changed `WebAssembly`; what is used here was taken when the session began.
(function (native, internal) {
  'use strict';

  const { ArrayPrototypeIncludes, ArrayPrototypePush, Error } = internal.primordials;
  const { nodeError } = internal.errors;

  function engine(path) {
    if (internal.webAssembly === undefined) {
      throw nodeError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        `Cannot load '${path}': there is no WebAssembly while a snapshot is made`, engine);
    }
    return internal.webAssembly;
  }

  function fieldsOf(list, name) {
    const names = [];
    for (let i = 0; i < list.length; i++) if (!ArrayPrototypeIncludes(names, list[i][name])) ArrayPrototypePush(names, list[i][name]);
    return names;
  }

  internal.hooks.importWasm = (path, bytes) => {
    const { Module, imports, exports } = engine(path);
    let module;
    try {
      module = new Module(bytes);
    } catch (error) {
      error.message = `${path}: ${error.message}`;
      throw error;
    }
    return [module, fieldsOf(imports(module), 'module'), fieldsOf(exports(module), 'name')];
  };

  internal.hooks.initWasmMeta = (meta, module) => {
    const { Instance } = engine('');
    internal.define(meta, 'instantiate', (imports) => new Instance(module, imports).exports, false);
  };
})
