// What a session adds to `fetch` and its classes, and how it refuses the network.
(function (native, internal) {
  'use strict';

  const { Error, ErrorCaptureStackTrace, PromisePrototypeThen } = internal.primordials;
  const { nodeError } = internal.errors;
  const { define } = internal;

  // The error of Node's permission model, for a way out that the host has not opened.
  function networkDenied(resource) {
    const error = nodeError(Error, 'ERR_ACCESS_DENIED',
      `Access to '${resource}' is denied: the host has not permitted network access`, networkDenied);
    define(error, 'permission', 'NetworkAccess', true);
    define(error, 'resource', resource, true);
    return error;
  }

  function finishFetch({ fetch: request, FormData, Headers, Request, Response }) {
    function fetch(input, init = undefined) {
      return PromisePrototypeThen(request(input, init), undefined, (error) => {
        if (error !== null && typeof error === 'object') ErrorCaptureStackTrace(error);
        throw error;
      });
    }
    const { globals } = internal;
    globals.fetch = fetch;
    globals.FormData = FormData;
    globals.Headers = Headers;
    globals.Request = Request;
    globals.Response = Response;
  }

  internal.finishFetch = finishFetch;
  internal.networkDenied = networkDenied;
})
