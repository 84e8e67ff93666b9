// The `require` of scripts: it resolves as from a file in the working directory.
(function (native, internal) {
  'use strict';

  const { createRequire } = internal.builtin('module');
  const cwd = internal.cwd();

  internal.globals.require = createRequire(cwd === '/' ? '/[eval]' : `${cwd}/[eval]`);
})
