// `structuredClone`, and the clones of messages.
(function (native, internal) {
  'use strict';

  const { ArrayPrototypePush, Map, MapPrototypeGet, MapPrototypeHas, MapPrototypeSet, ReflectOwnKeys, TypeError, listOf } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;

  // How instances of our own classes are cloned or moved, if their classes have been used: what is a plain object to the
  // engine. Each entry of `internal.cloners` says whether an object `is` of its kind, and has `clone` or `move`.
  function clonerOf(object) {
    for (const kind in internal.cloners) if (internal.cloners[kind].is(object)) return internal.cloners[kind];
    return undefined;
  }

  function untransferred() {
    return nodeError(TypeError, 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST',
      'Object that needs transfer was found in message but not listed in transferList', untransferred);
  }

  function sortTransfer(transfer) {
    const buffers = [];
    const moving = new Map();
    for (let i = 0; i < transfer.length; i++) {
      const object = transfer[i];
      const cloner = typeof object === 'object' && object !== null ? clonerOf(object) : undefined;
      if (cloner === undefined) {
        ArrayPrototypePush(buffers, object);
        continue;
      }
      if (cloner.move === undefined) throw new DOMException('Value not transferable', 'DataCloneError');
      if (MapPrototypeHas(moving, object)) throw new DOMException('Transfer list contains duplicate object', 'DataCloneError');
      MapPrototypeSet(moving, object, undefined);
    }
    return { __proto__: null, buffers, moving };
  }

  // The clone of `value`, and the new ports of those that moved with it.
  function cloneMessage(value, transfer) {
    const { buffers, moving } = sortTransfer(transfer);
    const isOurs = (object) => {
      const cloner = clonerOf(object);
      if (cloner !== undefined && cloner.clone === undefined && !MapPrototypeHas(moving, object)) throw untransferred();
      return cloner !== undefined;
    };
    // Runs when all of the value has been written, so that a value which cannot be cloned moves nothing.
    const copy = (object) => {
      if (!MapPrototypeHas(moving, object)) return clonerOf(object).clone(object);
      let moved = MapPrototypeGet(moving, object);
      if (moved === undefined) MapPrototypeSet(moving, object, (moved = clonerOf(object).move(object)));
      return moved;
    };
    const hasOurs = ReflectOwnKeys(internal.cloners).length !== 0;
    const data = guarded(() => (hasOurs ? native.structuredClone(value, buffers, isOurs, copy) : native.structuredClone(value, buffers)));
    const ports = [];
    for (let i = 0; i < transfer.length; i++) {
      if (MapPrototypeHas(moving, transfer[i])) ArrayPrototypePush(ports, copy(transfer[i]));
    }
    return { __proto__: null, data, ports };
  }

  function guarded(clone) {
    try {
      return clone();
    } catch (error) {
      // What the engine refuses is a `DataCloneError`; what a getter of the guest throws passes as it is.
      if (native.isKind(error) === 'Error' && internal.inspectBase.ownData(error, 'code') === 'ERR_DATA_CLONE') {
        throw new DOMException(internal.inspectBase.ownData(error, 'message'), 'DataCloneError');
      }
      throw error;
    }
  }

  function structuredClone(value, options = undefined) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified', structuredClone);
    const transfer = options?.transfer === undefined ? [] : listOf(options.transfer);
    return cloneMessage(value, transfer).data;
  }
  internal.globals.structuredClone = structuredClone;
  internal.cloneMessage = cloneMessage;
})
