// Members of built-in modules that a session does not have. They are there, so that a package which only looks at them
// loads, and say why they do nothing when they are called: ERR_ACCESS_DENIED where it is the host that has not permitted
// it, ERR_METHOD_NOT_IMPLEMENTED where the runtime lacks it.
(function (native, internal) {
  'use strict';

  const { Error, ObjectDefineProperty, ObjectKeys, PromiseReject, ReflectApply, StringPrototypeSplit, SymbolFor } = internal.primordials;
  const { nodeError } = internal.errors;
  const customPromisify = SymbolFor('nodejs.util.promisify.custom');

  // Node's names of permissions, and what each is about.
  const permissions = {
    __proto__: null, FileSystemRead: 'the file system', FileSystemWrite: 'the file system', ChildProcess: 'other programs',
    WorkerThreads: 'threads', Inspector: 'the inspector', Net: 'the network',
  };

  function denial(what, permission, resource = '', hidden = denial) {
    const error = nodeError(Error, 'ERR_ACCESS_DENIED',
      `Access to ${what} is denied: the host of this session has not permitted ${permissions[permission]}. It can offer a host function instead.`, hidden);
    internal.define(error, 'permission', permission, true);
    internal.define(error, 'resource', `${resource}`, true);
    return error;
  }

  function missing(what, hidden = missing) {
    return nodeError(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `${what} is not implemented in this runtime`, hidden);
  }

  function named(fn, name) {
    return ObjectDefineProperty(fn, 'name', { __proto__: null, value: name, configurable: true });
  }

  // `permission` undefined: the runtime lacks it.
  function failure(what, permission, args, hidden) {
    const resource = args !== undefined && typeof args[0] === 'string' ? args[0] : '';
    return permission === undefined ? missing(what, hidden) : denial(what, permission, resource, hidden);
  }

  // The source text of these functions says `refuses`; docs/NODE.md is made by it.
  function method(what, name, permission) {
    return named(function (...args) {
      const refuses = failure(what, permission, args, undefined);
      throw refuses;
    }, name);
  }

  function asyncMethod(what, name, permission) {
    return named(function (...args) {
      const refuses = failure(what, permission, args, undefined);
      return PromiseReject(refuses);
    }, name);
  }

  // Its last argument is a callback, which is called later; without one it throws.
  function callbackMethod(what, name, permission) {
    const fn = named(function (...args) {
      const callback = args[args.length - 1];
      const refuses = failure(what, permission, args, undefined);
      if (typeof callback !== 'function') throw refuses;
      internal.nextTick(() => ReflectApply(callback, undefined, [refuses]));
    }, name);
    internal.define(fn, customPromisify, asyncMethod(what, name, permission), false);
    return fn;
  }

  function construct(what, name, permission, Base = undefined) {
    const Class = Base === undefined
      ? class {
        constructor(...args) {
          const refuses = failure(what, permission, args, undefined);
          throw refuses;
        }
      }
      : class extends Base {
        constructor(...args) {
          const refuses = failure(what, permission, args, undefined);
          super();
          throw refuses;
        }
      };
    return named(Class, name);
  }

  const makers = { __proto__: null, functions: method, promised: asyncMethod, callbacks: callbackMethod, classes: construct };

  // The members that `shape` names, by the way in which they refuse.
  function members(module, permission, shape) {
    const all = {};
    const kinds = ObjectKeys(shape);
    for (let i = 0; i < kinds.length; i++) {
      const names = StringPrototypeSplit(shape[kinds[i]], ' ');
      for (let j = 0; j < names.length; j++) {
        internal.define(all, names[j], makers[kinds[i]](`${module}.${names[j]}`, names[j], permission), true);
      }
    }
    return all;
  }

  internal.denied = { __proto__: null, denial, missing, members, named };
})
