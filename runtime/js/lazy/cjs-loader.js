// The CommonJS loader: `require`, `module`, and the `module` built-in. Finding, reading and compiling a file is the
// runtime's; what is loaded, in which order, and what cycles see, is decided here.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeIndexOf, ArrayPrototypePush, Error, JSONParse, ObjectAssign, ObjectCreate,
    ObjectPrototypeHasOwnProperty, ReflectApply, StringPrototypeCharCodeAt, StringPrototypeEndsWith,
    StringPrototypeLastIndexOf, StringPrototypeSlice, StringPrototypeStartsWith, pushAll, removeAt,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError, validateString } = internal.errors;
  const REQUIRE = 1;
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

  // Loaded modules by real path. Guests may delete entries to load a file anew.
  const cache = ObjectCreate(null);
  const extensions = ObjectCreate(null);
  const pathCache = ObjectCreate(null);
  // The module that ran first, for `require.main`.
  let mainModule;

  function Module(id = '', parent = undefined) {
    this.id = id;
    this.path = internal.path.dirname(id);
    internal.define(this, 'exports', {}, true);
    internal.define(this, 'parent', parent, false);
    if (parent?.children !== undefined) ArrayPrototypePush(parent.children, this);
    this.filename = null;
    this.loaded = false;
    this.children = [];
  }

  // The `node_modules` directories from `from` up, as `module.paths` lists them.
  function nodeModulePaths(from) {
    const directory = internal.path.resolve(from);
    const paths = [];
    for (let at = directory; ; at = internal.path.dirname(at)) {
      if (!StringPrototypeEndsWith(at, '/node_modules')) ArrayPrototypePush(paths, at === '/' ? '/node_modules' : `${at}/node_modules`);
      if (at === '/') return paths;
    }
  }

  // --- Resolving ---

  // The chain of modules that led to a failed `require`, nearest first.
  function requireStack(parent) {
    const stack = [];
    for (let at = parent; at && stack.length < 100; at = at.parent) ArrayPrototypePush(stack, at.filename || at.id);
    return stack;
  }

  function withStack(error, parent, request) {
    if (native.isKind(error) !== 'Error' || error.code !== 'MODULE_NOT_FOUND') return error;
    const stack = requireStack(parent);
    let message = `Cannot find module '${request}'`;
    for (let i = 0; i < stack.length; i++) message += `${i === 0 ? '\nRequire stack:' : ''}\n- ${stack[i]}`;
    const named = new Error(message);
    named.code = 'MODULE_NOT_FOUND';
    named.requireStack = stack;
    return named;
  }

  function locate(request, parent) {
    const base = parent?.filename ?? `${internal.cwd()}/[eval]`;
    try {
      return native.resolve(request, base, REQUIRE);
    } catch (error) {
      throw withStack(error, parent, request);
    }
  }

  function checkRequest(request, name) {
    validateString(request, name);
    if (request === '') throw argumentValue(name, request, 'must be a non-empty string');
  }

  function resolveFilename(request, parent, isMain, options) {
    checkRequest(request, 'request');
    if (internal.isBuiltin(request)) return request;
    const paths = options?.paths;
    if (paths === undefined) {
      const found = locate(request, parent);
      return found[0] === 'builtin' ? `node:${found[1]}` : found[1];
    }
    for (let i = 0; i < paths.length; i++) {
      try {
        return native.resolve(request, `${internal.path.resolve(paths[i])}/noop.js`, REQUIRE)[1];
      } catch (error) {
        if (i === paths.length - 1) throw withStack(error, parent, request);
      }
    }
    throw withStack(ObjectAssign(new Error(''), { code: 'MODULE_NOT_FOUND' }), parent, request);
  }

  // --- Loading ---

  function stripMark(text) {
    return StringPrototypeCharCodeAt(text, 0) === 0xfeff ? StringPrototypeSlice(text, 1) : text;
  }

  // A first line `#!...` becomes a comment: lines and columns of the rest stay.
  function stripHashbang(text) {
    return StringPrototypeStartsWith(text, '#!') ? `//${text}` : text;
  }

  function compile(module, source, filename) {
    const text = stripHashbang(stripMark(source));
    return run(module, native.compileFunction(text, filename, parameters), filename);
  }

  function compileFile(module, filename) {
    return run(module, native.compileWrapper(filename), filename);
  }

  function run(module, wrapper, filename) {
    const { exports } = module;
    return ReflectApply(wrapper, exports, [exports, makeRequire(module), module, filename, internal.path.dirname(filename)]);
  }

  function loadJson(module, filename) {
    const text = stripMark(native.readText(filename));
    try {
      module.exports = JSONParse(text);
    } catch (error) {
      error.message = `${filename}: ${error.message}`;
      throw error;
    }
  }

  function loadFile(module, filename, format) {
    module.filename = filename;
    module.paths = nodeModulePaths(module.path);
    const custom = customLoader(filename);
    if (custom !== undefined) custom(module, filename);
    else if (format === 'json') loadJson(module, filename);
    else if (format === 'module') loadEsModule(module, filename);
    else if (format === 'wasm' || StringPrototypeEndsWith(filename, '.node')) {
      throw nodeError(Error, 'ERR_UNKNOWN_FILE_EXTENSION', `Cannot require '${filename}': its kind is not supported`, loadFile);
    } else compileFile(module, filename);
    module.loaded = true;
  }

  function loadEsModule(module, filename) {
    const namespace = native.requireModule(filename);
    // A module may say what `require` gives, by an export of this name.
    module.exports = ObjectPrototypeHasOwnProperty(namespace, 'module.exports') ? namespace['module.exports'] : namespace;
  }

  // What a guest has put into `require.extensions` itself.
  function customLoader(filename) {
    const dot = StringPrototypeLastIndexOf(filename, '.');
    const loader = dot === -1 ? undefined : extensions[StringPrototypeSlice(filename, dot)];
    return loader === undefined || loader === plainLoaders[StringPrototypeSlice(filename, dot)] ? undefined : loader;
  }

  function formatOf(filename) {
    return native.resolve(filename, filename, REQUIRE)[3];
  }

  const plainLoaders = {
    __proto__: null,
    '.js': (module, filename) => (formatOf(filename) === 'module' ? loadEsModule(module, filename) : compileFile(module, filename)),
    '.json': loadJson,
    '.node': (module, filename) => {
      throw nodeError(Error, 'ERR_DLOPEN_DISABLED', `Cannot load native addon '${filename}': native code is disabled`);
    },
  };
  for (const name in plainLoaders) extensions[name] = plainLoaders[name];

  function loadPath(filename, format, parent, isMain) {
    const cached = cache[filename];
    if (cached !== undefined) {
      if (parent !== undefined && ArrayPrototypeIndexOf(parent.children, cached) === -1) ArrayPrototypePush(parent.children, cached);
      return cached.exports;
    }
    const module = new Module(filename, isMain ? null : parent);
    if (isMain) {
      mainModule = module;
      internal.process.mainModule = module;
      module.id = '.';
    }
    cache[filename] = module;
    let loaded = false;
    try {
      loadFile(module, filename, format);
      loaded = true;
    } finally {
      if (!loaded) forget(module, filename, parent);
    }
    return module.exports;
  }

  // A module that threw is loaded anew the next time.
  function forget(module, filename, parent) {
    if (cache[filename] === module) delete cache[filename];
    const index = parent === undefined ? -1 : ArrayPrototypeIndexOf(parent.children, module);
    if (index !== -1) removeAt(parent.children, index);
  }

  function load(request, parent, isMain) {
    if (internal.isBuiltin(request) || StringPrototypeStartsWith(request, 'node:')) return internal.builtin(request);
    const found = locate(request, parent);
    if (found[0] === 'builtin') return internal.builtin(found[1]);
    return loadPath(found[1], found[3], parent, isMain);
  }

  // --- What the guest sees ---

  function makeRequire(module) {
    const require = function require(id) {
      return module.require(id);
    };
    require.resolve = function resolve(request, options) {
      return Module._resolveFilename(request, module, false, options);
    };
    require.resolve.paths = function paths(request) {
      validateString(request, 'request');
      if (internal.isBuiltin(request)) return null;
      const relative = request === '.' || request === '..' || StringPrototypeStartsWith(request, './') || StringPrototypeStartsWith(request, '../');
      return relative ? [module.path] : nodeModulePaths(module.path);
    };
    require.main = mainModule;
    require.extensions = extensions;
    require.cache = cache;
    return require;
  }

  internal.define(Module.prototype, 'require', function (id) {
    checkRequest(id, 'id');
    return Module._load(id, this, false);
  }, true);
  internal.define(Module.prototype, 'load', function (filename) {
    loadFile(this, filename, formatOf(filename));
  }, true);
  internal.define(Module.prototype, '_compile', function (content, filename) {
    return compile(this, content, filename);
  }, true);

  function createRequire(filename) {
    let path = filename;
    if (typeof path === 'object' && path !== null && typeof path.href === 'string') path = path.href;
    if (typeof path !== 'string') throw argumentType('filename', ['string', 'URL'], filename);
    if (StringPrototypeStartsWith(path, 'file:')) path = internal.builtin('url').fileURLToPath(path);
    else if (path[0] !== '/') throw argumentValue('filename', filename, 'must be a file URL object, file URL string, or absolute path string');
    // A trailing slash names a directory: `require` starts in it.
    const module = new Module(StringPrototypeEndsWith(path, '/') ? `${path}noop.js` : path);
    module.filename = module.id;
    module.paths = nodeModulePaths(module.path);
    return makeRequire(module);
  }

  function denied(name) {
    return () => {
      throw nodeError(Error, 'ERR_ACCESS_DENIED', `module.${name} is not available in a session`);
    };
  }

  const wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
  internal.defineAll(Module, {
    Module, _cache: cache, _pathCache: pathCache, _extensions: extensions, globalPaths: [], _load: load,
    _resolveFilename: resolveFilename, _nodeModulePaths: nodeModulePaths, createRequire, isBuiltin: internal.isBuiltin,
    wrapper, wrap: (script) => wrapper[0] + script + wrapper[1], syncBuiltinESMExports() {},
    register: denied('register'), registerHooks: denied('registerHooks'), findSourceMap: () => undefined,
    enableCompileCache: () => ({ status: 3 }), getCompileCacheDir: () => undefined, _initPaths() {}, runMain() {},
    stripTypeScriptTypes: denied('stripTypeScriptTypes'), builtinModules: undefined,
  });
  internal.builtins.module = () => {
    Module.builtinModules ??= allNames();
    return Module;
  };

  function allNames() {
    const names = internal.hooks.builtinNames();
    pushAll(names, internal.hooks.refusedNames());
    return names;
  }

  // --- For the runtime ---

  internal.hooks.requireForImport = (path, format) => loadPath(path, format, undefined, false);
  internal.hooks.requireMain = (path) => loadPath(path, native.resolve(path, path, REQUIRE)[3], undefined, true);
})
