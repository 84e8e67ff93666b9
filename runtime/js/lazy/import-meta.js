// `import.meta` of an ES module: url, filename, dirname, resolve and main, as in Node.
(function (native, internal) {
  'use strict';

  const {
    RegExpPrototypeExec, StringPrototypeLastIndexOf, StringPrototypeSlice, StringPrototypeStartsWith, decodeURIComponent,
  } = internal.primordials;
  const { define } = internal;

  internal.hooks.initImportMeta = (meta, url, isMain) => {
    if (StringPrototypeStartsWith(url, 'file:///')) {
      const end = RegExpPrototypeExec(/[?#]/, url)?.index;
      const path = decodeURIComponent(StringPrototypeSlice(url, 7, end));
      const cut = StringPrototypeLastIndexOf(path, '/');
      define(meta, 'dirname', cut > 0 ? StringPrototypeSlice(path, 0, cut) : '/', true);
      define(meta, 'filename', path, true);
    }
    define(meta, 'main', isMain, true);
    define(meta, 'resolve', function resolve(specifier) {
      return native.locate(`${specifier}`, url);
    }, true);
    define(meta, 'url', url, true);
  };
})
