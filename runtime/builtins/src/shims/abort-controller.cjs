'use strict';

module.exports = { AbortController: internal.AbortController, AbortSignal: internal.AbortSignal };
