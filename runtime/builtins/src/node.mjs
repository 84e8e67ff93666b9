// Makes `stream.js` of `readable-stream` and `punycode.js` of `punycode`. They have the form of the files in `js/lazy/`, and what the packages need of a
// platform comes from `shims/`, so from the session's own built-in modules and its untouched primordials.
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const shims = new Map([
  [/^(\.\.?\/)+ours\/primordials$|^\.\/primordials$/, 'primordials'],
  [/^(\.\.?\/)+ours\/util$/, 'util'],
  [/^(\.\.?\/)+ours\/errors$|^\.\/errors$/, 'errors'],
  [/^(\.\.?\/)+shims\/process$|^process\/?$/, 'process'],
  [/^buffer$/, 'buffer'],
  [/^events$/, 'events'],
  [/^string_decoder\/?$/, 'string_decoder'],
  [/^abort-controller$/, 'abort-controller'],
]);

const replace = {
  name: 'shims',
  setup(setup) {
    for (const [filter, name] of shims) setup.onResolve({ filter }, () => ({ path: join(here, 'shims', `${name}.cjs`) }));
  },
};

export async function bundleNode(outdir) {
  const result = await build({
    absWorkingDir: dirname(here),
    entryPoints: { punycode: 'src/punycode.cjs', stream: 'src/stream.cjs' },
    outdir,
    bundle: true,
    // A body of a function, without an import or export.
    format: 'iife',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
    // What the package takes from globals and a guest may have replaced.
    define: {
      'globalThis.AbortController': 'internal.AbortController', 'globalThis.AbortSignal': 'internal.AbortSignal', 'globalThis.Blob': 'internal.globals.Blob',
      'Array.isArray': 'p.ArrayIsArray', 'Object.defineProperties': 'p.ObjectDefineProperties', 'Object.defineProperty': 'p.ObjectDefineProperty', 'Promise.resolve': 'p.PromiseResolve',
      'Symbol.for': 'p.SymbolFor',
    },
    plugins: [replace],
    // The classes as they were, too.
    banner: {
      js: `(function (native, internal) {
const p = internal.primordials;
const { Array, ArrayBuffer, Error, Map, Number, Object, Promise, Proxy, Set, String, Symbol, TypeError, Uint8Array } = p;`,
    },
    footer: { js: '})' },
  });

  for (const input of Object.keys(result.metafile.inputs)) {
    if (/node_modules\/(?!(readable-stream|punycode)\/)/.test(input)) throw new Error(`${input} would be bundled, which a shim should stand for`);
  }
}
