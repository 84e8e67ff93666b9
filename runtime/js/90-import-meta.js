// `import.meta` of an ES module: url, filename, dirname, resolve and main, as in Node.
(function (native, internal) {
  'use strict';

  const { defineProperty, create } = Object;
  const slice = Function.prototype.call.bind(String.prototype.slice);
  const lastIndexOf = Function.prototype.call.bind(String.prototype.lastIndexOf);
  const search = Function.prototype.call.bind(String.prototype.search);
  const decode = decodeURIComponent;

  function define(meta, name, value) {
    const descriptor = create(null);
    descriptor.value = value;
    descriptor.writable = true;
    descriptor.enumerable = true;
    descriptor.configurable = true;
    defineProperty(meta, name, descriptor);
  }

  function initImportMeta(meta, url, isMain) {
    if (slice(url, 0, 8) === 'file:///') {
      const end = search(url, /[?#]/);
      const path = decode(slice(url, 7, end < 0 ? undefined : end));
      const cut = lastIndexOf(path, '/');
      define(meta, 'dirname', cut > 0 ? slice(path, 0, cut) : '/');
      define(meta, 'filename', path);
    }
    define(meta, 'main', isMain);
    define(meta, 'resolve', function resolve(specifier) {
      return native.resolve(`${specifier}`, url, 0)[2];
    });
    define(meta, 'url', url);
  }

  internal.hooks ??= create(null);
  internal.hooks.initImportMeta = initImportMeta;
})
