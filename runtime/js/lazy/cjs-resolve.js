// How `require` finds a file. The rules are the runtime's; what packages patch or add, further extensions and
// `module.paths`, is looked after here.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeJoin, ArrayPrototypePush, Error, ObjectKeys, StringPrototypeEndsWith,
    StringPrototypeSlice, StringPrototypeStartsWith, pushAll,
  } = internal.primordials;
  const { argumentValue, validateString } = internal.errors;
  const { Module, define } = internal;
  const MAX_STACK = 100;

  // What is known of files: 'module', 'commonjs', 'json', 'wasm', or undefined where nothing says.
  const formats = { __proto__: null };

  function isRelative(request) {
    return request === '.' || request === '..' || StringPrototypeStartsWith(request, './') || StringPrototypeStartsWith(request, '../');
  }

  // The `node_modules` directories from `from` up, as `module.paths` lists them.
  function nodeModulePaths(from) {
    const paths = [];
    for (let at = internal.path.resolve(from); ; at = internal.path.dirname(at)) {
      if (!StringPrototypeEndsWith(at, '/node_modules')) ArrayPrototypePush(paths, at === '/' ? '/node_modules' : `${at}/node_modules`);
      if (at === '/') return paths;
    }
  }

  function lookupPaths(request, parent) {
    if (internal.isBuiltin(request)) return null;
    if (isRelative(request)) return [parent?.filename ? internal.path.dirname(parent.filename) : '.'];
    const paths = [];
    if (parent?.paths?.length) pushAll(paths, parent.paths);
    return paths;
  }

  // --- Errors ---

  // The chain of modules that led to a failed `require`, nearest first.
  function requireStack(parent) {
    const stack = [];
    for (let at = parent; at && stack.length < MAX_STACK; at = at.parent) ArrayPrototypePush(stack, at.filename || at.id);
    return stack;
  }

  function notFound(request, parent) {
    const stack = requireStack(parent);
    const shown = stack.length === 0 ? '' : `\nRequire stack:\n- ${ArrayPrototypeJoin(stack, '\n- ')}`;
    const error = new Error(`Cannot find module '${request}'${shown}`);
    define(error, 'code', 'MODULE_NOT_FOUND', true);
    define(error, 'requireStack', stack, true);
    return error;
  }

  // Whether nothing was found at all, and no package had something to say about it.
  function isMissing(error, request) {
    return native.isKind(error) === 'Error' && error.code === 'MODULE_NOT_FOUND'
      && StringPrototypeStartsWith(error.message, `Cannot find module '${request}'\nRequire stack:`);
  }

  // --- Finding ---

  function find(request, base) {
    const found = native.findRequired(request, base);
    const target = found[1];
    if (found[0] === 'builtin') return `node:${target}`;
    formats[target] = found[3];
    return target;
  }

  // `undefined` where there is nothing; what a package says is thrown.
  function tryFind(request, base) {
    try {
      return find(request, base);
    } catch (error) {
      if (!isMissing(error, request)) throw error;
      return undefined;
    }
  }

  // Files with an extension that a guest has added.
  function withAddedExtensions(path) {
    const names = ObjectKeys(Module._extensions);
    for (let i = 0; i < names.length; i++) {
      if (names[i] === '.js' || names[i] === '.json' || names[i] === '.node') continue;
      const filename = tryFind(`${path}${names[i]}`, '/noop.js');
      if (filename !== undefined) return filename;
    }
    return undefined;
  }

  // In one directory of `module.paths`, or in the one that a relative request starts from.
  function findIn(directory, request) {
    const at = internal.path.resolve(directory);
    if (isRelative(request) || request[0] === '/') {
      return tryFind(request, `${at}/noop.js`) ?? withAddedExtensions(internal.path.resolve(at, request));
    }
    const isPackages = StringPrototypeEndsWith(at, '/node_modules');
    const above = isPackages ? tryFind(request, `${StringPrototypeSlice(at, 0, -13)}/noop.js`) : undefined;
    const path = `${at}/${request}`;
    return above ?? tryFind(path, '/noop.js') ?? withAddedExtensions(path);
  }

  function findPath(request, paths) {
    if (request[0] === '/') return findIn('/', request) ?? false;
    if (!ArrayIsArray(paths)) return false;
    for (let i = 0; i < paths.length; i++) {
      const filename = findIn(paths[i], request);
      if (filename !== undefined) return filename;
    }
    return false;
  }

  function pathsOf(request, options) {
    if (!ArrayIsArray(options)) throw argumentValue('options.paths', options);
    if (isRelative(request)) return options;
    const paths = [];
    for (let i = 0; i < options.length; i++) {
      const some = Module._nodeModulePaths(options[i]);
      for (let j = 0; j < some.length; j++) if (!ArrayPrototypeIncludes(paths, some[j])) ArrayPrototypePush(paths, some[j]);
    }
    return paths;
  }

  function resolveFilename(request, parent, isMain, options) {
    if (internal.isBuiltin(request)) return request;
    validateString(request, 'request');
    const given = typeof options === 'object' && options !== null ? options.paths : undefined;
    if (given !== undefined) {
      const filename = Module._findPath(request, pathsOf(request, given), isMain);
      if (filename) return filename;
      throw notFound(request, parent);
    }
    const base = parent?.filename || `${internal.cwd()}/[eval]`;
    const filename = tryFind(request, base) ?? findElsewhere(request, parent, base);
    if (filename !== undefined) return filename;
    throw notFound(request, parent);
  }

  // Where only what a guest has changed can lead to something.
  function findElsewhere(request, parent, base) {
    const directory = internal.path.dirname(base);
    if (isRelative(request) || request[0] === '/') return withAddedExtensions(internal.path.resolve(directory, request));
    const usual = nodeModulePaths(directory);
    const paths = parent?.paths;
    if (!ArrayIsArray(paths)) return undefined;
    for (let i = 0; i < paths.length; i++) {
      const filename = ArrayPrototypeIncludes(usual, paths[i]) ? withAddedExtensions(`${paths[i]}/${request}`) : findIn(paths[i], request);
      if (filename !== undefined) return filename;
    }
    return undefined;
  }

  // --- Formats ---

  function formatOf(filename) {
    if (formats[filename] === undefined) {
      try {
        find(filename, '/noop.js');
      } catch {
        // The file is read next, which says what is wrong.
      }
    }
    const format = formats[filename];
    return format === 'module' || format === 'commonjs' ? format : undefined;
  }

  internal.cjsResolve = { findPath, formatOf, lookupPaths, nodeModulePaths, resolveFilename };
})
