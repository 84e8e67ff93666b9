// `fs` while a snapshot is made: the files of the directories that modules are loaded from can be read, since SDKs read
// their own `package.json` and data beside their code. In a session `fs` is what it always is.
(function (native, internal) {
  'use strict';

  const { Error, ObjectAssign } = internal.primordials;

  function missing(syscall, path) {
    const error = new Error(`ENOENT: no such file or directory, ${syscall} '${path}'`);
    return ObjectAssign(error, { errno: -2, code: 'ENOENT', syscall, path });
  }

  function isDirectory(syscall) {
    return ObjectAssign(new Error(`EISDIR: illegal operation on a directory, ${syscall}`), { errno: -21, code: 'EISDIR', syscall });
  }

  // What an operation gives that only reads, as `{ value }`; nothing for the others.
  internal.buildFiles = (name, given, options) => {
    const path = internal.builtin('path').resolve(given);
    switch (name) {
      case 'exists': return { __proto__: null, value: native.lentFile(path, false) !== undefined };
      case 'access': case 'lstat': case 'readFile': case 'realpath': case 'stat': break;
      default: return undefined;
    }
    const syscall = name === 'readFile' ? 'open' : name;
    const found = native.lentFile(path, name === 'readFile');
    if (found === undefined) {
      if (options?.throwIfNoEntry === false) return { __proto__: null, value: undefined };
      const error = missing(syscall, path);
      throw error;
    }
    return { __proto__: null, value: answer(name, found, options) };
  };

  function answer(name, found, options) {
    const { 0: kind, 1: realPath, 2: size, 3: bytes } = found;
    switch (name) {
      case 'access': return undefined;
      case 'realpath': return realPath;
      case 'readFile': {
        if (kind !== 'file') {
          const error = isDirectory('read');
          throw error;
        }
        const encoding = typeof options === 'string' ? options : options?.encoding;
        const buffer = internal.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        return encoding === undefined || encoding === null || encoding === 'buffer' ? buffer : buffer.toString(encoding);
      }
      default: {
        const { Stats } = internal.fsClasses;
        const mode = kind === 'file' ? 0o100444 : 0o40555;
        return new Stats(0, mode, 1, 1000, 1000, 0, 4096, 0, size, 0, 0, 0, 0, 0);
      }
    }
  }
})
