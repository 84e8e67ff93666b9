// `punycode`, which Node has kept for old packages.
'use strict';

const punycode = require('punycode/punycode.js');

internal.builtins.punycode = () => punycode;
