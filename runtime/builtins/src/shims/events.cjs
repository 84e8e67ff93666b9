'use strict';

module.exports = { EventEmitter: internal.EventEmitter };
