'use strict';

const { ObjectFreeze, Promise, ReflectApply, SymbolFor } = internal.primordials;
const { validateFunction } = internal.errors;
const { SymbolDispose } = require('./primordials.cjs');

function promisify() {}
promisify.custom = SymbolFor('nodejs.util.promisify.custom');

module.exports = {
  kEmptyObject: ObjectFreeze({}),
  once(callback) {
    let called = false;
    return function once(...args) {
      if (called) return;
      called = true;
      ReflectApply(callback, this, args);
    };
  },
  createDeferredPromise() {
    let resolve;
    let reject;
    const promise = new Promise((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    return { promise, resolve, reject };
  },
  promisify,
  debuglog: () => () => {},
  format: (...args) => internal.format(...args),
  inspect: (value, options) => internal.inspect(value, options),
  types: { isAsyncFunction: internal.types.isAsyncFunction, isArrayBufferView: internal.primordials.ArrayBufferIsView },
  isBlob: (value) => internal.globals.Blob !== undefined && value instanceof internal.globals.Blob,
  deprecate: (fn) => fn,
  addAbortListener(signal, listener) {
    validateFunction(listener, 'listener');
    let remove;
    if (signal.aborted) {
      internal.queueTask(() => listener());
    } else {
      signal.addEventListener('abort', listener, { __proto__: null, once: true });
      remove = () => signal.removeEventListener('abort', listener);
    }
    return {
      __proto__: null,
      [SymbolDispose]() {
        remove?.();
      },
    };
  },
  AbortSignalAny: (signals) => internal.AbortSignal.any(signals),
};
