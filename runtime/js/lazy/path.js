// The `path` module. Guests live in a POSIX world; `path.win32` has what is asked for most, without drive letters.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePop, ArrayPrototypePush, ReflectApply, StringPrototypeCharCodeAt,
    StringPrototypeEndsWith, StringPrototypeLastIndexOf, StringPrototypeSlice, StringPrototypeSplit,
  } = internal.primordials;
  const { validateObject, validateString } = internal.errors;
  const SLASH = 47;

  // Resolves `.` and `..`. A path that may climb keeps the `..` that it cannot resolve.
  function clean(path, mayClimb) {
    const kept = [];
    const parts = StringPrototypeSplit(path, '/');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === '' || part === '.') continue;
      if (part !== '..') ArrayPrototypePush(kept, part);
      else if (kept.length > 0 && kept[kept.length - 1] !== '..') ArrayPrototypePop(kept);
      else if (mayClimb) ArrayPrototypePush(kept, part);
    }
    return ArrayPrototypeJoin(kept, '/');
  }

  function isAbsolute(path) {
    validateString(path, 'path');
    return path.length > 0 && StringPrototypeCharCodeAt(path, 0) === SLASH;
  }

  function resolve(...paths) {
    let result = '';
    for (let i = paths.length - 1; i >= 0 && result[0] !== '/'; i--) {
      validateString(paths[i], `paths[${i}]`);
      if (paths[i] !== '') result = result === '' ? paths[i] : `${paths[i]}/${result}`;
    }
    if (result[0] !== '/') result = result === '' ? internal.cwd() : `${internal.cwd()}/${result}`;
    return `/${clean(result, false)}`;
  }

  function normalize(path) {
    validateString(path, 'path');
    if (path === '') return '.';
    const absolute = path[0] === '/';
    let result = clean(path, !absolute);
    if (result === '') return absolute ? '/' : StringPrototypeEndsWith(path, '/') ? './' : '.';
    if (StringPrototypeEndsWith(path, '/')) result += '/';
    return absolute ? `/${result}` : result;
  }

  function join(...paths) {
    let joined = '';
    for (let i = 0; i < paths.length; i++) {
      validateString(paths[i], 'path');
      if (paths[i] !== '') joined = joined === '' ? paths[i] : `${joined}/${paths[i]}`;
    }
    return joined === '' ? '.' : normalize(joined);
  }

  function relative(from, to) {
    validateString(from, 'from');
    validateString(to, 'to');
    if (from === to) return '';
    const start = StringPrototypeSplit(StringPrototypeSlice(resolve(from), 1), '/');
    const end = StringPrototypeSplit(StringPrototypeSlice(resolve(to), 1), '/');
    if (start[0] === '') ArrayPrototypePop(start);
    if (end[0] === '') ArrayPrototypePop(end);
    let same = 0;
    while (same < start.length && same < end.length && start[same] === end[same]) same++;
    const parts = [];
    for (let i = same; i < start.length; i++) ArrayPrototypePush(parts, '..');
    for (let i = same; i < end.length; i++) ArrayPrototypePush(parts, end[i]);
    return ArrayPrototypeJoin(parts, '/');
  }

  // Where the last part of the path ends, leaving out the slashes behind it.
  function endOf(path) {
    let end = path.length;
    while (end > 1 && StringPrototypeCharCodeAt(path, end - 1) === SLASH) end--;
    return end;
  }

  function dirname(path) {
    validateString(path, 'path');
    if (path === '') return '.';
    const trimmed = StringPrototypeSlice(path, 0, endOf(path));
    const slash = StringPrototypeLastIndexOf(trimmed, '/');
    if (slash === -1) return '.';
    if (slash === 0) return '/';
    // One slash of `//a` is the root, the other is kept, as POSIX allows.
    if (slash === 1 && path[0] === '/') return '//';
    return StringPrototypeSlice(trimmed, 0, slash);
  }

  function basename(path, suffix) {
    if (suffix !== undefined) validateString(suffix, 'suffix');
    validateString(path, 'path');
    const trimmed = StringPrototypeSlice(path, 0, endOf(path));
    const base = trimmed === '/' ? '' : StringPrototypeSlice(trimmed, StringPrototypeLastIndexOf(trimmed, '/') + 1);
    if (suffix === undefined || suffix === '') return base;
    if (base === '') return path.length < suffix.length ? base : path;
    if (base === suffix) return path === suffix ? '' : base;
    return StringPrototypeEndsWith(base, suffix) ? StringPrototypeSlice(base, 0, -suffix.length) : base;
  }

  function extname(path) {
    const base = basename(path);
    const dot = StringPrototypeLastIndexOf(base, '.');
    return dot <= 0 || base === '..' ? '' : StringPrototypeSlice(base, dot);
  }

  function parse(path) {
    validateString(path, 'path');
    const base = basename(path);
    const ext = extname(path);
    const root = path[0] === '/' ? '/' : '';
    const trimmed = StringPrototypeSlice(path, 0, endOf(path));
    const slash = StringPrototypeLastIndexOf(trimmed, '/');
    const dir = slash > 0 ? StringPrototypeSlice(trimmed, 0, slash) : root;
    return { root, dir, base, ext, name: ext === '' ? base : StringPrototypeSlice(base, 0, -ext.length) };
  }

  function format(object) {
    validateObject(object, 'pathObject');
    const dir = object.dir || object.root;
    const ext = object.ext ? `${object.ext[0] === '.' ? '' : '.'}${object.ext}` : '';
    const base = object.base || `${object.name || ''}${ext}`;
    if (!dir) return base;
    return dir === object.root ? `${dir}${base}` : `${dir}/${base}`;
  }

  // A small subset of shell patterns: `*`, `**`, `?` and `[...]`.
  function matchesGlob(path, pattern) {
    validateString(path, 'path');
    validateString(pattern, 'pattern');
    return matchFrom(path, 0, pattern, 0);
  }

  function matchFrom(path, at, pattern, from) {
    if (from === pattern.length) return at === path.length;
    const char = pattern[from];
    if (char === '*') {
      const deep = pattern[from + 1] === '*';
      let next = from + (deep ? 2 : 1);
      if (deep && pattern[next] === '/') next++;
      for (let i = at; ; i++) {
        if (matchFrom(path, i, pattern, next)) return true;
        if (i >= path.length || (!deep && path[i] === '/')) return false;
      }
    }
    if (at >= path.length) return false;
    if (char === '?') return path[at] !== '/' && matchFrom(path, at + 1, pattern, from + 1);
    return path[at] === char && matchFrom(path, at + 1, pattern, from + 1);
  }

  const posix = {
    resolve, normalize, isAbsolute, join, relative, toNamespacedPath: (path) => path, dirname, basename, extname, format,
    parse, matchesGlob, sep: '/', delimiter: ':', win32: null, posix: null,
  };

  // Both kinds of slash part a path here; results have the backslash.
  const forward = (path) => (typeof path === 'string' ? ArrayPrototypeJoin(StringPrototypeSplit(path, '\\'), '/') : path);
  const back = (path) => ArrayPrototypeJoin(StringPrototypeSplit(path, '/'), '\\');
  function onForward(fn, toBack) {
    return (...paths) => {
      const given = [];
      for (let i = 0; i < paths.length; i++) ArrayPrototypePush(given, forward(paths[i]));
      const result = ReflectApply(fn, undefined, given);
      return toBack ? back(result) : result;
    };
  }
  const win32 = {
    resolve: onForward(resolve, true), normalize: onForward(normalize, true), isAbsolute: onForward(isAbsolute, false),
    join: onForward(join, true), relative: onForward(relative, true), toNamespacedPath: (path) => path,
    dirname: onForward(dirname, true), basename: onForward(basename, false), extname: onForward(extname, false),
    format: (object) => back(format(object)), parse: onForward(parse, false), matchesGlob: onForward(matchesGlob, false),
    sep: '\\', delimiter: ';', win32: null, posix: null,
  };

  internal.define(posix, '_makeLong', posix.toNamespacedPath, true);
  internal.define(win32, '_makeLong', win32.toNamespacedPath, true);
  posix.posix = win32.posix = posix;
  posix.win32 = win32.win32 = win32;
  internal.path = posix;
  internal.builtins.path = () => posix;
  internal.builtins['path/posix'] = () => posix;
  internal.builtins['path/win32'] = () => win32;
})
