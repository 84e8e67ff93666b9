// The CommonJS loader: `require`, `module`, and the `module` built-in. Finding, reading and compiling a file is the
// runtime's; what is loaded, in which order, and what cycles see, is decided here. Packages patch `Module`, so its parts
// call each other through it, as in Node.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeIndexOf, ArrayPrototypePush, ArrayPrototypeSort, Error, JSONParse,
    ObjectDefineProperty, ObjectFreeze, ObjectGetPrototypeOf, ObjectPrototype, ObjectPrototypeHasOwnProperty,
    ObjectSetPrototypeOf, Proxy, ReflectApply, ReflectDefineProperty, ReflectGetOwnPropertyDescriptor, ReflectSet, String,
    StringPrototypeCharCodeAt, StringPrototypeEndsWith, StringPrototypeIndexOf, StringPrototypeLastIndexOf,
    StringPrototypeSlice, StringPrototypeStartsWith, Symbol, filterList, pushAll, removeAt,
  } = internal.primordials;
  const { argumentValue, nodeError, outOfRange, validateString } = internal.errors;
  const { define } = internal;

  // These can be seen on every module, as in Node.
  const kIsMain = Symbol('kIsMainSymbol');
  const kIsPlaced = Symbol('kIsCachedByESMLoader');
  const kIsRunning = Symbol('kIsExecuting');
  const kIsVisited = Symbol('kModuleCircularVisited');
  const kParent = Symbol('kModuleParent');
  const kLoadedExports = Symbol('kModuleExport');
  const kIsEsModule = Symbol('kRequiredModuleSymbol');

  // Real path of what a directory has been asked for.
  const found = { __proto__: null };

  function updateChildren(parent, child, scan) {
    const children = parent?.children;
    if (children && !(scan && ArrayPrototypeIncludes(children, child))) ArrayPrototypePush(children, child);
  }

  function Module(id = '', parent = undefined) {
    define(this, 'id', id, true);
    define(this, 'path', internal.path.dirname(id), true);
    define(this, 'exports', {}, true);
    define(this, kParent, parent, false);
    updateChildren(parent, this, false);
    define(this, 'filename', null, true);
    define(this, 'loaded', false, true);
    define(this, 'children', [], true);
  }
  const proto = Module.prototype;
  internal.Module = Module;
  const { cjsResolve } = internal;

  // --- Cycles ---

  function warnOfCycle(name) {
    internal.emitWarning(`Accessing non-existent property '${String(name)}' of module exports inside circular dependency`);
  }

  // Stands behind the exports of a module that is not finished, and tells of names that are not there yet.
  const cycleProxy = new Proxy({}, {
    __proto__: null,
    get(target, name) {
      if (name in target || name === '__esModule') return target[name];
      warnOfCycle(name);
      return undefined;
    },
    getOwnPropertyDescriptor(target, name) {
      if (ObjectPrototypeHasOwnProperty(target, name) || name === '__esModule') return ReflectGetOwnPropertyDescriptor(target, name);
      warnOfCycle(name);
      return undefined;
    },
  });

  function isPlain(exports, prototype) {
    return exports !== null && typeof exports === 'object' && native.proxyDetails(exports) === undefined && ObjectGetPrototypeOf(exports) === prototype;
  }

  function unfinishedExports(module) {
    if (module[kIsEsModule] === true) {
      const parent = module[kParent];
      throw nodeError(Error, 'ERR_REQUIRE_CYCLE_MODULE',
        `Cannot require() ES Module ${module.id} in a cycle.${parent ? ` (from ${parent.filename})` : ''}`, unfinishedExports);
    }
    const { exports } = module;
    if (isPlain(exports, ObjectPrototype) && !exports.__esModule) ObjectSetPrototypeOf(exports, cycleProxy);
    return exports;
  }

  // --- Loading ---

  function load(request, parent, isMain) {
    let asked;
    if (parent) {
      asked = `${parent.path}\0${request}`;
      const cached = found[asked] === undefined ? undefined : Module._cache[found[asked]];
      if (cached !== undefined) return cachedExports(cached, parent);
    }
    if (StringPrototypeStartsWith(request, 'node:')) return internal.builtin(request);
    const filename = Module._resolveFilename(request, parent, isMain);
    const cached = Module._cache[filename];
    if (cached !== undefined) {
      if (cached.loaded || cached[kIsPlaced] !== true || cached[kIsVisited] === true) return cachedExports(cached, parent);
      // It is there because an import has been linked, and runs now.
      updateChildren(parent, cached, true);
      define(cached, kIsVisited, true, false);
    }
    if (internal.isBuiltin(filename)) return internal.builtin(filename);
    const module = cached ?? makeModule(filename, parent, isMain === true);
    if (asked !== undefined) found[asked] = filename;
    let isLoaded = false;
    try {
      module.load(filename);
      isLoaded = true;
    } finally {
      if (!isLoaded) forget(module, filename, parent);
    }
    if (isPlain(module.exports, cycleProxy)) ObjectSetPrototypeOf(module.exports, ObjectPrototype);
    return module.exports;
  }

  function makeModule(filename, parent, isMain) {
    const module = new Module(filename, parent);
    if (isMain) {
      define(internal.process, 'mainModule', module, true);
      define(module.require, 'main', module, true);
      module.id = '.';
    }
    define(module, kIsMain, isMain, true);
    Module._cache[filename] = module;
    define(module, kIsPlaced, false, true);
    return module;
  }

  function cachedExports(module, parent) {
    updateChildren(parent, module, true);
    return module.loaded ? module.exports : unfinishedExports(module);
  }

  // A module that threw is loaded anew the next time.
  function forget(module, filename, parent) {
    delete Module._cache[filename];
    const children = parent?.children;
    const index = ArrayIsArray(children) ? ArrayPrototypeIndexOf(children, module) : -1;
    if (index !== -1) removeAt(children, index);
  }

  // The longest extension that has a loader: `.js` for all that have none.
  function extensionOf(filename) {
    const name = StringPrototypeSlice(filename, StringPrototypeLastIndexOf(filename, '/') + 1);
    for (let at = StringPrototypeIndexOf(name, '.'); at !== -1; at = StringPrototypeIndexOf(name, '.', at + 1)) {
      if (at === 0) continue;
      const extension = StringPrototypeSlice(name, at);
      if (Module._extensions[extension]) return extension;
    }
    return '.js';
  }

  // --- Compiling ---

  let isWrapped = false;
  const parts = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
  let wrap = (script) => Module.wrapper[0] + script + Module.wrapper[1];
  let wrapper = new Proxy(parts, {
    __proto__: null,
    set(target, key, value, receiver) {
      isWrapped = true;
      return ReflectSet(target, key, value, receiver);
    },
    defineProperty(target, key, descriptor) {
      isWrapped = true;
      return ReflectDefineProperty(target, key, descriptor);
    },
  });

  function run(module, compiled, filename) {
    const require = makeRequire(module);
    const { exports } = module;
    define(module, kIsRunning, true, true);
    const result = ReflectApply(compiled, exports, [exports, require, module, filename, internal.path.dirname(filename)]);
    module[kIsRunning] = false;
    return result;
  }

  function compile(content, filename, format) {
    if (format === 'module') {
      loadEsModule(this, filename, content);
      return undefined;
    }
    const compiled = isWrapped ? native.runScript(Module.wrap(content), filename) : native.compileText(content, filename, format !== 'commonjs');
    if (compiled === undefined) {
      loadEsModule(this, filename, content);
      return undefined;
    }
    return run(this, compiled, filename);
  }

  function loadEsModule(module, filename, source) {
    define(module, kIsEsModule, true, false);
    const namespace = native.requireModule(filename, module[kParent]?.filename, source);
    // A module may say what `require` gives, by an export of this name.
    if (ObjectPrototypeHasOwnProperty(namespace, 'module.exports')) module.exports = namespace['module.exports'];
    else if (!ObjectPrototypeHasOwnProperty(namespace, 'default') || ObjectPrototypeHasOwnProperty(namespace, '__esModule')) module.exports = namespace;
    else module.exports = native.moduleFacade(filename);
  }

  function loadScript(module, filename) {
    const format = cjsResolve.formatOf(filename);
    const isPatched = isWrapped || module._compile !== compile;
    if (isPatched) {
      module._compile(native.readText(filename), filename, format);
      return;
    }
    // The text stays outside of the realm.
    const compiled = format === 'module' ? undefined : native.compileFile(filename, format !== 'commonjs');
    if (compiled === undefined) loadEsModule(module, filename);
    else run(module, compiled, filename);
  }

  function parseJson(text, filename) {
    try {
      return JSONParse(StringPrototypeCharCodeAt(text, 0) === 0xfeff ? StringPrototypeSlice(text, 1) : text);
    } catch (error) {
      // The engine says line and column too, which Node's does not.
      const end = StringPrototypeIndexOf(error.message, ' (line ');
      error.message = `${filename}: ${end === -1 ? error.message : StringPrototypeSlice(error.message, 0, end)}`;
      throw error;
    }
  }

  const extensions = {
    __proto__: null,
    '.js': function (module, filename) {
      loadScript(module, filename);
    },
    '.json': function (module, filename) {
      define(module, 'exports', parseJson(native.readText(filename), filename), true);
    },
    '.node': function (module, filename) {
      throw nodeError(Error, 'ERR_DLOPEN_DISABLED', 'Cannot load native addon because loading addons is disabled.');
    },
  };
  for (const name in extensions) define(extensions[name], 'name', '', false);

  // --- What the guest sees ---

  // The longest name that the resolver takes. A longer one is not looked at: to compare it would copy it.
  const MAX_NAME = 8192;

  function validateName(request, name) {
    validateString(request, name);
    if (request.length > MAX_NAME) throw outOfRange(`${name}.length`, `<= ${MAX_NAME}`, request.length);
  }

  function makeRequire(module) {
    const require = function require(path) {
      return module.require(path);
    };
    function resolve(request, options) {
      validateName(request, 'request');
      return Module._resolveFilename(request, module, false, options);
    }
    function paths(request) {
      validateName(request, 'request');
      return Module._resolveLookupPaths(request, module);
    }
    define(require, 'resolve', resolve, true);
    define(resolve, 'paths', paths, true);
    define(require, 'main', internal.process.mainModule, true);
    define(require, 'extensions', Module._extensions, true);
    define(require, 'cache', Module._cache, true);
    return require;
  }

  function requireMethod(id) {
    validateName(id, 'id');
    if (id === '') throw argumentValue('id', id, 'must be a non-empty string');
    return Module._load(id, this, false);
  }
  function loadMethod(filename) {
    this.filename = filename;
    define(this, 'paths', Module._nodeModulePaths(internal.path.dirname(filename)), true);
    Module._extensions[extensionOf(filename)](this, filename);
    this.loaded = true;
    define(this, kLoadedExports, this.exports, false);
  }
  define(requireMethod, 'name', '', false);
  define(loadMethod, 'name', '', false);
  define(compile, 'name', '', false);
  define(proto, 'load', loadMethod, true);
  define(proto, 'require', requireMethod, true);
  define(proto, '_compile', compile, true);
  ObjectDefineProperty(proto, 'isPreloading', { __proto__: null, get: () => false });
  ObjectDefineProperty(proto, 'parent', {
    __proto__: null,
    get() {
      return this[kParent];
    },
    set(value) {
      define(this, kParent, value, false);
    },
  });
  ObjectDefineProperty(proto, 'constructor', { __proto__: null, get: () => Module, enumerable: false, configurable: false });

  const kinds = 'must be a file URL object, file URL string, or absolute path string';
  function createRequire(filename) {
    let path = filename;
    const isUrl = typeof path === 'object' && path !== null && Boolean(path.href && path.protocol);
    if (isUrl || (typeof path === 'string' && path[0] !== '/')) {
      try {
        path = internal.builtin('url').fileURLToPath(path);
      } catch {
        throw argumentValue('filename', filename, kinds);
      }
    } else if (typeof path !== 'string') throw argumentValue('filename', filename, kinds);
    // A trailing slash names a directory: `require` starts in it.
    const module = new Module(StringPrototypeEndsWith(path, '/') ? `${path}noop.js` : path);
    module.filename = module.id;
    define(module, 'paths', Module._nodeModulePaths(module.path), true);
    return makeRequire(module);
  }

  function denied(name) {
    return () => {
      throw nodeError(Error, 'ERR_ACCESS_DENIED', `module.${name} is not available in a session`);
    };
  }

  internal.defineAll(Module, {
    _cache: { __proto__: null }, _pathCache: { __proto__: null }, _extensions: extensions, globalPaths: [],
    _debug() {}, isBuiltin: internal.isBuiltin, _findPath: cjsResolve.findPath, _nodeModulePaths: cjsResolve.nodeModulePaths,
    _resolveLookupPaths: cjsResolve.lookupPaths, _load: load, _resolveFilename: cjsResolve.resolveFilename, createRequire,
    _initPaths() {}, _preloadModules() {}, syncBuiltinESMExports: () => native.syncBuiltins(), Module, runMain() {}, register: denied('register'),
    registerHooks: denied('registerHooks'), findSourceMap: () => undefined, enableCompileCache: () => ({ status: 3 }),
    getCompileCacheDir: () => undefined, stripTypeScriptTypes: denied('stripTypeScriptTypes'), builtinModules: undefined,
  });
  ObjectDefineProperty(Module, 'wrap', {
    __proto__: null,
    get: () => wrap,
    set(value) {
      isWrapped = true;
      wrap = value;
    },
  });
  ObjectDefineProperty(Module, 'wrapper', {
    __proto__: null,
    get: () => wrapper,
    set(value) {
      isWrapped = true;
      wrapper = value;
    },
  });
  internal.builtins.module = () => {
    Module.builtinModules ??= ObjectFreeze(allNames());
    return Module;
  };

  function allNames() {
    const names = internal.hooks.builtinNames();
    pushAll(names, internal.hooks.refusedNames());
    return ArrayPrototypeSort(filterList(names, internal.isBuiltin));
  }

  // --- For the runtime ---

  internal.hooks.requireMain = (path) => Module._load(path, null, true);
  internal.hooks.isRunning = (path) => Module._cache[path]?.[kIsRunning] === true;
  internal.cjsLoader = { __proto__: null, kIsPlaced, kLoadedExports, parseJson };
})
