// Classes of `fs`: what describes a file, and streams that find out that they may not open one.
(function (native, internal) {
  'use strict';

  const { Date, Number, ObjectDefineProperty, ReflectApply, ReflectConstruct } = internal.primordials;
  const { define } = internal;
  const { denial, members } = internal.denied;
  const { Readable, Writable } = internal.stream;

  const kinds = { __proto__: null, isDirectory: 0o040000, isFile: 0o100000, isBlockDevice: 0o060000, isCharacterDevice: 0o020000, isSymbolicLink: 0o120000, isFIFO: 0o010000, isSocket: 0o140000 };
  // Of a directory entry, libuv's number for each.
  const entryTypes = { __proto__: null, isFile: 1, isDirectory: 2, isSymbolicLink: 3, isFIFO: 4, isSocket: 5, isCharacterDevice: 6, isBlockDevice: 7 };

  function Stats(dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs) {
    internal.defineAll(this, {
      dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs,
      atime: new Date(Number(atimeMs)), mtime: new Date(Number(mtimeMs)), ctime: new Date(Number(ctimeMs)), birthtime: new Date(Number(birthtimeMs)),
    });
  }
  for (const name in kinds) {
    define(Stats.prototype, name, function is() {
      return (Number(this.mode) & 0o170000) === kinds[name];
    }, true);
  }

  class Dirent {
    #type;
    constructor(name, type, path, filepath = path) {
      define(this, 'name', name, true);
      define(this, 'parentPath', path, true);
      define(this, 'path', filepath, true);
      this.#type = type;
    }
    static {
      for (const name in entryTypes) {
        define(Dirent.prototype, name, function is() {
          return this.#type === entryTypes[name];
        }, false);
      }
    }
  }

  const { Dir } = members('fs', 'FileSystemRead', { classes: 'Dir' });

  // Both can be called without `new`, and extended by a function: graceful-fs does.
  function fileStream(name, Base, permission, event) {
    function Stream(path, options) {
      if (!(this instanceof Stream)) return ReflectConstruct(Stream, [path, options]);
      const settings = typeof options === 'string' ? { encoding: options } : { ...options };
      ReflectApply(Base, this, [{ ...settings, emitClose: settings.emitClose ?? true, autoDestroy: settings.autoClose ?? true }]);
      internal.defineAll(this, { path, fd: settings.fd ?? null, flags: settings.flags ?? event.flags, mode: settings.mode ?? 0o666, start: settings.start, pos: undefined, [event.count]: 0 });
      if (Base === Readable) define(this, 'end', settings.end ?? Infinity, true);
      return undefined;
    }
    Stream.prototype = ObjectDefineProperty({ __proto__: Base.prototype }, 'constructor', { __proto__: null, value: Stream, writable: true, configurable: true });
    internal.denied.named(Stream, name);
    define(Stream, '__proto__', Base, false);
    define(Stream.prototype, '_construct', function construct(callback) {
      callback(denial(`the file '${this.path}' (fs.${event.maker})`, permission, this.path));
    }, false);
    define(Stream.prototype, 'close', function close(callback) {
      if (typeof callback === 'function') this.once('close', callback);
      this.destroy();
    }, false);
    ObjectDefineProperty(Stream.prototype, 'pending', {
      __proto__: null,
      get() {
        return this.fd === null;
      },
      configurable: true,
    });
    return Stream;
  }

  const ReadStream = fileStream('ReadStream', Readable, 'FileSystemRead', { flags: 'r', count: 'bytesRead', maker: 'createReadStream' });
  define(ReadStream.prototype, '_read', function read() {}, false);
  const WriteStream = fileStream('WriteStream', Writable, 'FileSystemWrite', { flags: 'w', count: 'bytesWritten', maker: 'createWriteStream' });
  define(WriteStream.prototype, '_write', function write(chunk, encoding, callback) {
    callback(denial(`the file '${this.path}' (fs.createWriteStream)`, 'FileSystemWrite', this.path));
  }, false);

  internal.fsClasses = { __proto__: null, Stats, Dirent, Dir, ReadStream, WriteStream };
})
