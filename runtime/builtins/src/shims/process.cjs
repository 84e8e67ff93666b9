'use strict';

// Reading a standard stream makes it, so that is left to whoever compares with one.
module.exports = {
  nextTick: internal.nextTick,
  get stdout() {
    return internal.process.stdout;
  },
  get stderr() {
    return internal.process.stderr;
  },
};
