// `host`: the functions that the host lends to the guest, one property each. A dotted name, `db.get`, is also reached
// as `host.db.get`.
(function (native, internal) {
  'use strict';

  const {
    ObjectCreate, ObjectDefineProperty, ObjectPrototypeHasOwnProperty, Proxy, ReflectDeleteProperty, ReflectOwnKeys,
    StringPrototypeSplit, SymbolToStringTag,
  } = internal.primordials;

  // Guests see it through a proxy that takes no changes, so that a snapshot cannot hold a frozen or altered one.
  const host = ObjectCreate(null);
  const refuse = () => false;
  const guestHost = new Proxy(host, {
    __proto__: null, defineProperty: refuse, deleteProperty: refuse, preventExtensions: refuse, set: refuse,
    setPrototypeOf: refuse,
  });

  function put(target, key, value, enumerable) {
    ObjectDefineProperty(target, key, { __proto__: null, value, enumerable, writable: false, configurable: true });
  }

  // A call goes to the host by the position of the function in the session's list.
  function hostFunction(index, name) {
    const call = (...args) => native.hostCall(index, args);
    ObjectDefineProperty(call, 'name', { __proto__: null, value: name, configurable: true });
    return call;
  }

  function putDotted(parts, call) {
    let target = host;
    for (let i = 0; i < parts.length - 1; i++) {
      if (!ObjectPrototypeHasOwnProperty(target, parts[i])) put(target, parts[i], ObjectCreate(null), true);
      target = target[parts[i]];
    }
    put(target, parts[parts.length - 1], call, true);
  }

  function restore({ functions }) {
    const old = ReflectOwnKeys(host);
    for (let i = 0; i < old.length; i++) ReflectDeleteProperty(host, old[i]);
    put(host, SymbolToStringTag, 'host', false);
    for (let i = 0; i < functions.length; i++) {
      const { name } = functions[i];
      const call = hostFunction(i, name);
      const parts = StringPrototypeSplit(name, '.');
      if (parts.length > 1) putDotted(parts, call);
      if (parts.length === 1 && ObjectPrototypeHasOwnProperty(host, name)) adopt(host[name], call);
      put(host, name, call, parts.length === 1);
    }
  }

  // A function that takes the place of a group, `a` after `a.b`, keeps what the group holds.
  function adopt(group, call) {
    const names = ReflectOwnKeys(group);
    for (let i = 0; i < names.length; i++) put(call, names[i], group[names[i]], true);
  }

  if (internal.config !== undefined) restore(internal.config);
  internal.restorers.host = restore;
  internal.globals.host = guestHost;
})
