// The registry of built-in modules. The file of a module puts a function that makes its exports into
// `internal.builtins`; they are made when somebody asks for the module for the first time, and stay the same from
// then on.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeIncludes, Error, Map, MapPrototypeGet, MapPrototypeSet, StringPrototypeSlice, StringPrototypeStartsWith,
  } = internal.primordials;
  const { nodeError } = internal.errors;

  const { builtins } = internal;
  const made = new Map();

  const files = internal.moduleFiles();
  const refused = internal.hooks.refusedNames();

  function bare(name) {
    return StringPrototypeStartsWith(name, 'node:') ? StringPrototypeSlice(name, 5) : name;
  }

  function exists(name) {
    return files[name] !== undefined;
  }

  function isRefused(name) {
    return ArrayPrototypeIncludes(refused, name);
  }

  function builtin(given) {
    const name = bare(`${given}`);
    if (exists(name)) {
      let exports = MapPrototypeGet(made, name);
      if (exports === undefined) {
        internal.load(files[name]);
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

  internal.hooks.builtin = builtin;
  internal.isBuiltin = isBuiltin;
  internal.builtin = builtin;
})
