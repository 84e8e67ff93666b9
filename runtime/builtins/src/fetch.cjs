// `fetch` and its classes, which are those of Node's own release of `undici`. What would go to the network goes to
// `shims/dispatcher.cjs`.
'use strict';

const { fetch } = require('undici/lib/web/fetch/index.js');
const { FormData } = require('undici/lib/web/fetch/formdata.js');
const { Headers } = require('undici/lib/web/fetch/headers.js');
const { Request } = require('undici/lib/web/fetch/request.js');
const { Response } = require('undici/lib/web/fetch/response.js');

internal.finishFetch({ __proto__: null, fetch, FormData, Headers, Request, Response });
