// `SharedArrayBuffer` while a snapshot is made. The engine gives it to restored realms only; SDKs look at it while they
// are loaded, and none of its objects can be in a snapshot.
(function (native, internal) {
  'use strict';

  const { Error, Proxy, ReflectConstruct, ReflectDefineProperty, ReflectDeleteProperty, ReflectGetOwnPropertyDescriptor } = internal.primordials;
  const { nodeError } = internal.errors;
  const Native = native.sharedBuffer()?.constructor;
  if (Native === undefined || ReflectGetOwnPropertyDescriptor(globalThis, 'SharedArrayBuffer') !== undefined) return;

  let isBuilding = true;
  const own = new Proxy(Native, {
    __proto__: null,
    construct(_, args, newTarget) {
      if (!isBuilding) return ReflectConstruct(Native, args, newTarget === own ? Native : newTarget);
      const refuses = nodeError(Error, 'ERR_NOT_IN_SNAPSHOT', 'A SharedArrayBuffer cannot be in a snapshot: make it when it is first used');
      throw refuses;
    },
  });
  ReflectDefineProperty(globalThis, 'SharedArrayBuffer', { __proto__: null, value: own, writable: true, configurable: true });
  const { prototype } = Native;
  const constructor = ReflectGetOwnPropertyDescriptor(prototype, 'constructor');
  ReflectDefineProperty(prototype, 'constructor', { ...constructor, value: own, __proto__: null });

  // The engine defines these globals when it restores the realm, so they must not be there. What an SDK has put in
  // their place, or that it has deleted one, holds in each session.
  function withdraw(name, given) {
    const now = ReflectGetOwnPropertyDescriptor(globalThis, name);
    if (now?.value === given) {
      ReflectDeleteProperty(globalThis, name);
      return;
    }
    if (now !== undefined && !ReflectDeleteProperty(globalThis, name)) return;
    internal.restorers[name] = () => {
      if (now === undefined) ReflectDeleteProperty(globalThis, name);
      else ReflectDefineProperty(globalThis, name, { ...now, __proto__: null });
    };
  }
  internal.endShared = () => {
    isBuilding = false;
    withdraw('SharedArrayBuffer', own);
    withdraw('WebAssembly', undefined);
    ReflectDefineProperty(prototype, 'constructor', { ...constructor, __proto__: null });
  };
})
