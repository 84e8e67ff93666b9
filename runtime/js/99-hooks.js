// The rest of what the runtime calls. The hooks are: `restore`, `runTimer`, `runTicks`, `requireForImport`,
// `requireMain`, `builtin`, `builtinNames`, `refusedNames`, `setInput`, `emitProcessEvent`, `exitEvent`,
// `initImportMeta` and `domException`.
(function (native, internal) {
  'use strict';

  const { ReflectDefineProperty, ReflectDeleteProperty, SymbolToStringTag } = internal.primordials;
  const { hooks } = internal;
  const { DOMException } = internal.errors;

  // Re-makes the world of the session: in a realm fresh from its snapshot, and in one that a snapshot is made of.
  hooks.restore = function restore(config) {
    internal.restoreProcess(config);
    internal.restoreHost(config.functions);
    internal.restorePerformance?.();
    internal.resetConsole();
    setInput(config.input);
  };

  function setInput(value) {
    if (value === undefined) ReflectDeleteProperty(globalThis, 'input');
    else ReflectDefineProperty(globalThis, 'input', { __proto__: null, value, enumerable: true, writable: true, configurable: true });
  }

  hooks.setInput = setInput;
  hooks.builtin = internal.builtin;
  hooks.builtinNames = internal.builtinNames;
  hooks.refusedNames = internal.refusedNames;
  hooks.domException = (message, name) => new DOMException(message, name);

  internal.defineGlobal('global', globalThis);
  internal.define(globalThis, SymbolToStringTag, 'global', false);
})
