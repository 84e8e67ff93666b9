'use strict';

// Made when a stream first decodes.
module.exports = {
  get StringDecoder() {
    return internal.builtin('string_decoder').StringDecoder;
  },
};
