// `structuredClone`.
(function (native, internal) {
  'use strict';

  const { ArrayPrototypePush, TypeError } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;

  function structuredClone(value, options = undefined) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified', structuredClone);
    const transfer = [];
    if (options !== undefined && options !== null && options.transfer !== undefined) {
      for (const item of options.transfer) ArrayPrototypePush(transfer, item);
    }
    try {
      return native.structuredClone(value, transfer);
    } catch (error) {
      // What the engine refuses is a `DataCloneError`; what a getter of the guest throws passes as it is.
      if (native.isKind(error) === 'Error' && internal.inspectBase.ownData(error, 'code') === 'ERR_DATA_CLONE') {
        throw new DOMException(internal.inspectBase.ownData(error, 'message'), 'DataCloneError');
      }
      throw error;
    }
  }
  internal.globals.structuredClone = structuredClone;
})
