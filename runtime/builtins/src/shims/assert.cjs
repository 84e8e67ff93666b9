'use strict';

// The module is made when an assertion fails.
module.exports = function assert(value, message) {
  if (!value) internal.builtin('assert').ok(value, message);
};
module.exports.strictEqual = (a, b) => internal.builtin('assert').strictEqual(a, b);
