'use strict';

// Where a request leaves: nowhere. What the host does not permit is refused as the permission model of Node refuses it.
module.exports = {
  getGlobalDispatcher: () => ({
    __proto__: null,
    dispatch(options, handler) {
      handler.onConnect(() => {});
      handler.onError(internal.networkDenied(`${options.origin}`));
      return false;
    },
  }),
};
