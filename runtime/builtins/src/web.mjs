// Makes `web-streams.js` and `fetch.js`: the classes of the Web that come from packages.
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editWebStreams, facades } from './web-streams-edits.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const packages = ['undici', 'web-streams-polyfill'];

// What the code of the packages finds under the names of globals: what the session had before its guest came.
const forFetch = [
  'AggregateError', 'Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'DataView', 'Date', 'Error', 'Function', 'Map', 'Number',
  'Object', 'Promise', 'Proxy', 'RangeError', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError', 'Uint8Array',
  'WeakMap', 'WeakRef', 'decodeURIComponent', 'encodeURIComponent',
];
const forFetchToo = `const process = { env: {}, version: 'v20.20.2', versions: { node: '20.20.2' }, emitWarning: (...args) => internal.emitWarning(...args) };
const performance = { now: native.now, markResourceTiming() {} };`;
const forStreams = [
  'ArrayBufferIsView', 'ArrayBufferPrototypeGetDetached', 'ArrayBufferPrototypeSlice', 'ArrayBufferPrototypeTransfer', 'Boolean',
  'DataView', 'Error', 'MathCeil', 'MathFloor', 'MathMin', 'MathTrunc', 'NumberIsFinite', 'NumberIsNaN', 'ObjectCreate',
  'ObjectDefineProperty', 'ObjectPrototypeHasOwnProperty', 'Promise', 'PromiseAll', 'PromisePrototypeThen', 'PromiseReject',
  'PromiseResolve', 'RangeError', 'ReflectApply', 'ReflectOwnKeys', 'String', 'Symbol', 'TypeError', 'TypedArrayPrototypeSet',
  'Uint8Array', 'copyList',
];
const later = {
  AbortController: 'internal.AbortController', AbortSignal: 'internal.AbortSignal', Buffer: 'internal.Buffer',
  DOMException: 'internal.errors.DOMException', Event: 'internal.Event', EventTarget: 'internal.EventTarget',
  File: 'internal.File', Blob: 'internal.Blob', ReadableStream: 'internal.ReadableStream', TextDecoder: 'internal.TextDecoder',
  TextEncoder: 'internal.TextEncoder', TransformStream: 'internal.TransformStream', URL: 'internal.URL',
  URLSearchParams: 'internal.URLSearchParams', queueMicrotask: 'internal.queueTask',
  'globalThis.File': 'internal.File',
  'globalThis.FinalizationRegistry': 'undefined',
};

const resolve = {
  name: 'platform',
  setup(setup) {
    const shim = (name) => ({ path: join(here, 'shims', `${name}.cjs`) });
    setup.onResolve({ filter: /^node:assert$/ }, () => shim('assert'));
    setup.onResolve({ filter: /^\.\.\/\.\.\/global$/ }, () => shim('dispatcher'));
    setup.onResolve({ filter: /^node:/ }, ({ path }) => ({ path: path.slice(5), namespace: 'platform' }));
    setup.onLoad({ filter: /./, namespace: 'platform' }, ({ path }) => ({
      contents: `module.exports = require('./shims/platform.cjs').modules[${JSON.stringify(path)}];`, resolveDir: here,
    }));
    setup.onResolve({ filter: /dispatcher-weakref$/ }, () => ({ path: 'weakref', namespace: 'weakref' }));
    setup.onLoad({ filter: /./, namespace: 'weakref' }, () => ({
      contents: 'class FinalizationRegistry { register() {} unregister() {} }; module.exports = () => ({ WeakRef, FinalizationRegistry });',
    }));
    setup.onLoad({ filter: /web-streams-polyfill.dist.ponyfill\.mjs$/ }, async ({ path }) => ({
      contents: editWebStreams(await readFile(path, 'utf8')),
    }));
  },
};

async function bundle(outdir, entryPoints, names, more, keepNames) {
  const result = await build({
    absWorkingDir: here,
    entryPoints,
    outdir,
    bundle: true,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'eof',
    logLevel: 'warning',
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames,
    metafile: true,
    write: false,
    define: later,
    plugins: [resolve],
    banner: { js: `(function (native, internal) {\nconst { ${names.join(', ')} } = internal.primordials;\n${more}` },
    footer: { js: '})' },
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const name = /node_modules\/([^/]+)/.exec(input)?.[1];
    if (name !== undefined && !packages.includes(name)) throw new Error(`${input} would be bundled, which is not meant`);
  }
  for (const { path, text } of result.outputFiles) {
    // What is left after esbuild stands in a comment or a regular expression.
    await writeFile(path, text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`));
  }
}

/** Writes the scripts into the directory `outdir`. */
export async function bundleWeb(outdir) {
  await bundle(outdir, { 'web-streams': 'web-streams.mjs' }, forStreams, facades, false);
  await bundle(outdir, { fetch: 'fetch.cjs' }, forFetch, forFetchToo, true);
}
