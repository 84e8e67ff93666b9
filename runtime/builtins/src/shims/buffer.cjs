'use strict';

module.exports = { Buffer: internal.Buffer };
