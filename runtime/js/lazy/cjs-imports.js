// CommonJS and JSON files that ES modules import: what they have in the loader of `require`, and what they export.
(function (native, internal) {
  'use strict';

  const { ObjectPrototypeHasOwnProperty } = internal.primordials;
  const { define } = internal;
  const { kIsPlaced, kLoadedExports, parseJson } = internal.cjsLoader;
  const { Module } = internal;

  // What an import is linked to has its module from then on, as have the files that its exports come from.
  function place(path) {
    let module = Module._cache[path];
    if (module === undefined) {
      module = new Module(path);
      module.filename = path;
      define(module, 'paths', Module._nodeModulePaths(module.path), true);
      define(module, kIsPlaced, true, true);
      Module._cache[path] = module;
    }
    return module;
  }

  internal.hooks.placeCommonJs = (paths) => {
    const module = place(paths[0]);
    for (let i = 1; i < paths.length; i++) place(paths[i]);
    return module;
  };
  internal.hooks.importCommonJs = (module, path, names) => {
    let { exports } = module;
    if (!module.loaded) {
      const loaded = Module._load(path, undefined, false);
      // A guest may have put another module in its place.
      exports = Module._cache[path] === module ? module.exports : loaded;
    }
    // What it was when the file had run counts, once.
    if (module[kLoadedExports] !== undefined) {
      exports = module[kLoadedExports];
      module[kLoadedExports] = undefined;
    }
    const values = [exports];
    for (let i = 1; i < names.length; i++) define(values, i, exportOf(exports, names[i]), true);
    return values;
  };

  function exportOf(exports, name) {
    if (!ObjectPrototypeHasOwnProperty(exports, name)) return undefined;
    try {
      return exports[name];
    } catch {
      return undefined;
    }
  }

  internal.hooks.importJson = (name, text, path) => {
    const cached = path === undefined ? undefined : Module._cache[path];
    if (cached?.loaded) return cached.exports;
    const exports = parseJson(text, name);
    if (path !== undefined) Module._cache[path] = { exports, loaded: true };
    return exports;
  };
})
