'use strict'

/**
 * The errors of table.js that only a server gives: a page does without them.
 *
 * @type {import('./table').Table}
 */
const serverErrors = {
  NO_ROUTE: { status: 404, error: 'not_found', reason: 'missing' },
  METHOD_NOT_ALLOWED: { status: 405, error: 'method_not_allowed', reason: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, error: 'request_timeout', reason: 'The request body did not come in time' },
  NO_TEMPORARY_VIEWS: { status: 410, error: 'gone', reason: 'Temporary views are not supported in CouchDB' },
  ATTACHMENT_TOO_LARGE: { status: 413, error: 'attachment_too_large', reason: 'The attachment is too large' },
  URI_TOO_LONG: { status: 414, error: 'too_long', reason: 'the request uri is too long' },
  BAD_CONTENT_TYPE: { status: 415, error: 'bad_content_type', reason: 'Content-Type must be application/json' },
  RANGE_NOT_SATISFIABLE: { status: 416, error: 'requested_range_not_satisfiable', reason: 'Requested range not satisfiable' },
  TOO_MANY_LIVE_QUERIES: { status: 429, error: 'too_many_requests', reason: 'There are as many live queries as there may be' },
  TOO_MANY_HEADERS: { status: 431, error: 'too_many_headers', reason: 'The request has too many headers' },
  BODY_ALREADY_READ: { status: 500, error: 'body_already_read', reason: 'A body parser has read this request before Potoroo' },
  BAD_INDEX_RANGE: { status: 500, error: 'invalid_list_index_params', reason: 'Index parameter ranges: limit > 1, skip > 0' },
  PEER_FAILED: { status: 500, error: 'internal_server_error', reason: 'Another server, or a shard, failed', isGiven: true },
  BUSY: { status: 503, error: 'service_unavailable', reason: 'The server has too much to do' },
  TOO_MANY_CONNECTIONS: { status: 503, error: 'service_unavailable', reason: 'The server has as many connections as it may' },
  PRECONDITION_FAILED: { status: 412, error: 'precondition_failed', reason: 'A precondition of the request does not hold' }
}

module.exports = { serverErrors }
