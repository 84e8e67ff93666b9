// `fs` and `fs/promises`. No file is there for a session yet: each call is checked as Node would and then denied. The
// two outputs can be written to by their numbers, which is how some programs print.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, Error, Number, ObjectAssign, ObjectDefineProperty, Promise, PromiseReject,
    ReflectApply, StringPrototypeIncludes, StringPrototypeSplit, SymbolFor,
  } = internal.primordials;
  const { argumentType, argumentValue, validateFunction, validateInteger } = internal.errors;
  const { define } = internal;
  const { denial, named } = internal.denied;
  const customPromisify = SymbolFor('nodejs.util.promisify.custom');

  const constants = {
    __proto__: null, UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, UV_DIRENT_UNKNOWN: 0,
    UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5, UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7,
    EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1,
    S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFCHR: 8192, S_IFBLK: 24576, S_IFIFO: 4096, S_IFLNK: 40960, S_IFSOCK: 49152,
    O_CREAT: 64, O_EXCL: 128, UV_FS_O_FILEMAP: 0, O_NOCTTY: 256, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536, O_NOATIME: 262144,
    O_NOFOLLOW: 131072, O_SYNC: 1052672, O_DSYNC: 4096, O_DIRECT: 16384, O_NONBLOCK: 2048, S_IRWXU: 448, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64,
    S_IRWXG: 56, S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8, S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1,
    UV_FS_COPYFILE_EXCL: 1, COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4, COPYFILE_FICLONE_FORCE: 4,
  };

  // --- Arguments ---

  function checkPath(path, name) {
    const isUrl = typeof path === 'object' && path !== null && typeof path.href === 'string';
    if (typeof path !== 'string' && !isUrl && !ArrayBufferIsView(path)) throw argumentType(name, ['string', 'Buffer', 'URL'], path);
    if (isUrl) return internal.builtin('url').fileURLToPath(path);
    if (typeof path === 'string' && StringPrototypeIncludes(path, '\0')) {
      throw argumentValue(name, path, 'must be a string, Uint8Array, or URL without null bytes');
    }
    return `${path}`;
  }

  function badDescriptor(syscall) {
    return ObjectAssign(new Error(`EBADF: bad file descriptor, ${syscall}`), { errno: -9, code: 'EBADF', syscall });
  }

  // --- The functions that take a path: name, what they want, and the name of the path in messages ---

  const reading = 'access exists lstat open opendir readFile readdir readlink realpath stat statfs watch watchFile openAsBlob';
  const writing = 'appendFile chmod chown copyFile cp lchmod lchown link lutimes mkdir mkdtemp rename rm rmdir symlink truncate unlink utimes writeFile';
  const onDescriptors = 'close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev';

  function permissionOf(name) {
    return StringPrototypeIncludes(` ${reading} `, ` ${name} `) ? 'FileSystemRead' : 'FileSystemWrite';
  }

  function refuse(name, path, given) {
    if (typeof path === 'number' && (name === 'readFile' || name === 'writeFile' || name === 'appendFile')) return badDescriptor(name);
    const checked = checkPath(path, name === 'mkdtemp' ? 'prefix' : 'path');
    return denial(`the file '${checked}' (fs.${given})`, permissionOf(name), checked);
  }

  // What is answered all the same: something only while a snapshot is made.
  function answered(name, path, options) {
    return internal.buildFiles === undefined ? undefined : internal.buildFiles(name, checkPath(path, 'path'), options);
  }

  function syncPath(name) {
    const given = `${name}Sync`;
    return named((path, options) => {
      const answer = answered(name, path, options);
      if (answer !== undefined) return answer.value;
      const refuses = refuse(name, path, given);
      throw refuses;
    }, given);
  }

  function callbackPath(name) {
    return named((...args) => {
      const callback = args[args.length - 1];
      validateFunction(callback, 'cb');
      if (internal.buildFiles !== undefined) {
        answerLater(name, args, callback);
        return;
      }
      const refuses = refuse(name, args[0], name);
      internal.nextTick(() => ReflectApply(callback, undefined, [refuses]));
    }, name);
  }

  function answerLater(name, args, callback) {
    let failure = null;
    let answer;
    try {
      answer = answered(name, args[0], args.length > 2 ? args[1] : undefined);
      if (answer === undefined) failure = refuse(name, args[0], name);
    } catch (error) {
      failure = error;
    }
    internal.nextTick(() => ReflectApply(callback, undefined, failure === null ? [null, answer.value] : [failure]));
  }

  function promisedPath(name) {
    return named(async (path, options) => {
      const answer = answered(name, path, options);
      if (answer !== undefined) return answer.value;
      const refuses = refuse(name, path, `promises.${name}`);
      throw refuses;
    }, name);
  }

  // --- The functions on descriptors: only those of the outputs are there ---

  function print(fd, data, options) {
    if (fd !== 1 && fd !== 2) throw badDescriptor('write');
    const isText = typeof data === 'string';
    if (!isText && !ArrayBufferIsView(data)) throw argumentType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    let bytes = isText ? internal.Buffer.from(data, typeof options[1] === 'string' ? options[1] : 'utf8') : internal.Buffer.from(internal.bytesOf(data, 'buffer'));
    if (!isText) {
      const range = options[0] !== null && typeof options[0] === 'object' ? [options[0].offset, options[0].length] : options;
      const offset = range[0] ?? 0;
      bytes = bytes.subarray(offset, offset + (range[1] ?? bytes.length - offset));
    }
    native.print(fd, 0, new internal.TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    return bytes.length;
  }

  function onDescriptor(name, args) {
    validateInteger(args[0], 'fd', 0, 2147483647);
    if (name === 'write') {
      const rest = [args[1]];
      for (let i = 2; i < args.length && typeof args[i] !== 'function'; i++) rest[i - 1] = args[i];
      return print(args[0], args[1], [rest[1], rest[2]]);
    }
    if (name === 'writev') {
      let written = 0;
      for (let i = 0; i < args[1].length; i++) written += print(args[0], args[1][i], []);
      return written;
    }
    if ((name === 'fsync' || name === 'fdatasync') && (args[0] === 1 || args[0] === 2)) return undefined;
    throw badDescriptor(name);
  }

  function syncDescriptor(name) {
    return named((...args) => onDescriptor(name, args), `${name}Sync`);
  }

  function callbackDescriptor(name) {
    return named((...args) => {
      const callback = args[args.length - 1];
      if (name !== 'close' || callback !== undefined) validateFunction(callback, 'cb');
      let failure = null;
      let value;
      try {
        value = onDescriptor(name, args);
      } catch (error) {
        if (error.code !== 'EBADF') throw error;
        failure = error;
      }
      internal.nextTick(() => ReflectApply(callback ?? (() => {}), undefined, [failure, value, args[1]]));
    }, name);
  }

  // --- The modules ---

  const fs = {};
  const promises = {};

  function each(names, add) {
    const list = StringPrototypeSplit(names, ' ');
    for (let i = 0; i < list.length; i++) add(list[i]);
  }
  function addPath(name) {
    define(fs, name, callbackPath(name), true);
    define(fs, `${name}Sync`, syncPath(name), true);
    define(promises, name, promisedPath(name), true);
  }
  each(reading, addPath);
  each(writing, addPath);
  each(onDescriptors, (name) => {
    define(fs, name, callbackDescriptor(name), true);
    define(fs, `${name}Sync`, syncDescriptor(name), true);
  });
  // Those that Node has in fewer forms, or not on this platform.
  each('watchSync watchFileSync openAsBlobSync', (name) => delete fs[name]);
  each('exists watchFile openAsBlob', (name) => delete promises[name]);
  each('lchmod lchmodSync', (name) => {
    define(fs, name, undefined, true);
  });

  // Whether a file is there is nothing that the guest may know, and no question that can fail.
  function exists(path, callback) {
    validateFunction(callback, 'cb');
    internal.nextTick(() => callback(isThere(path)));
  }
  function isThere(path) {
    try {
      return answered('exists', path)?.value === true;
    } catch {
      return false;
    }
  }
  define(exists, customPromisify, named(async (path) => isThere(path), 'exists'), false);
  define(fs, 'exists', exists, true);
  define(fs, 'existsSync', function existsSync(path) {
    return isThere(path);
  }, true);
  define(fs, 'openAsBlob', named((path) => {
    const refuses = refuse('openAsBlob', path, 'openAsBlob');
    return PromiseReject(refuses);
  }, 'openAsBlob'), true);
  each('watch watchFile', (name) => {
    define(fs, name, named((path) => {
      const refuses = refuse(name, path, name);
      throw refuses;
    }, name), true);
  });
  // An iterator in Node, which fails when it is asked for the first event.
  define(promises, 'watch', named(async function* (path) {
    const refuses = refuse('watch', path, 'promises.watch');
    throw refuses;
  }, 'watch'), true);
  define(fs, 'unwatchFile', function unwatchFile() {}, true);
  define(fs.realpath, 'native', callbackPath('realpath'), true);
  define(fs.realpathSync, 'native', syncPath('realpath'), true);
  each('read write', (name) => {
    define(fs[name], customPromisify, named((...args) => new Promise((resolve, reject) => {
      args[args.length] = (error, count, buffer) => (error ? reject(error) : resolve({ [name === 'read' ? 'bytesRead' : 'bytesWritten']: count, buffer }));
      ReflectApply(fs[name], undefined, args);
    }), name), false);
  });
  define(fs, '_toUnixTimestamp', function toUnixTimestamp(time) {
    if (typeof time === 'number' && time >= 0) return time;
    if (typeof time === 'string' && +time === Number(time)) return +time;
    if (internal.types.isDate(time)) return time.getTime() / 1000;
    throw argumentType('time', ['Date', 'Time in seconds'], time);
  }, true);
  define(fs, 'createReadStream', function createReadStream(path, options) {
    checkPath(path, 'path');
    return new fs.ReadStream(path, options);
  }, true);
  define(fs, 'createWriteStream', function createWriteStream(path, options) {
    checkPath(path, 'path');
    return new fs.WriteStream(path, options);
  }, true);

  // Classes come with the streams they stand on, which are many scripts: when they are asked for.
  function lazyClass(name, from) {
    ObjectDefineProperty(fs, name, {
      __proto__: null,
      get: () => internal.fsClasses[from],
      set: (value) => define(fs, name, value, true),
      enumerable: true,
      configurable: true,
    });
  }
  each('Dirent Stats ReadStream WriteStream Dir', (name) => lazyClass(name, name));
  lazyClass('FileReadStream', 'ReadStream');
  lazyClass('FileWriteStream', 'WriteStream');
  each('F_OK R_OK W_OK X_OK', (name) => {
    define(fs, name, constants[name], true);
  });
  define(fs, 'constants', constants, true);
  define(fs, 'promises', promises, true);
  define(promises, 'constants', constants, true);

  internal.builtins.fs = () => fs;
  internal.builtins['fs/promises'] = () => promises;
})
