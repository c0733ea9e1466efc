'use strict'

const { serverErrors } = require('./server-errors')

/**
 * Every error that a client can meet: code → CouchDB's wire form (`status`, `error`, `reason`)
 * and, where PouchDB words it otherwise, PouchDB's (`name`, `message`). The status of a code is always the same, unless it
 * `isGiven` by somebody else: a function of a design document, or another server.
 *
 * @see https://docs.couchdb.org/en/stable/api/basics.html#http-status-codes
 * @see https://pouchdb.com/errors.html
 * @typedef {Record<string, { status: number, error: string, reason: string, name?: string, message?: string, isGiven?: boolean }>} Table
 * @type {Table}
 */
const table = {
  MISSING: { status: 404, error: 'not_found', reason: 'missing', message: 'missing' },
  DELETED: { status: 404, error: 'not_found', reason: 'deleted', message: 'missing' },
  MISSING_ATTACHMENT: { status: 404, error: 'not_found', reason: 'Document is missing attachment', message: 'missing' },
  NO_DATABASE: { status: 404, error: 'not_found', reason: 'Database does not exist.', message: 'Database not found' },
  CONFLICT: { status: 409, error: 'conflict', reason: 'Document update conflict.', message: 'Document update conflict' },
  DATABASE_EXISTS: { status: 412, error: 'file_exists', reason: 'The database could not be created, the file already exists.' },
  MISSING_STUB: { status: 412, error: 'missing_stub', reason: 'Invalid attachment stub', message: 'A pre-existing attachment stub wasn\'t found' },
  ILLEGAL_DATABASE_NAME: { status: 400, error: 'illegal_database_name', reason: 'Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.' },
  ILLEGAL_DOCID: { status: 400, error: 'illegal_docid', reason: 'Only reserved document ids may start with underscore.', name: 'bad_request', message: 'Only reserved document ids may start with underscore.' },
  ILLEGAL_PARTITION: { status: 400, error: 'illegal_partition', reason: 'Partition must not be empty' },
  PARTITION_FULL: { status: 403, error: 'partition_overflow', reason: 'Partition limit exceeded' },
  MISSING_ID: { status: 412, error: 'missing_id', reason: '_id is required for puts' },
  INVALID_ID: { status: 400, error: 'illegal_docid', reason: 'Document id must be a string', name: 'bad_request', message: '_id field must contain a string' },
  DOC_VALIDATION: { status: 400, error: 'doc_validation', reason: 'Bad special document member', message: 'Bad special document member' },
  NOT_AN_OBJECT: { status: 400, error: 'bad_request', reason: 'Document must be a JSON object' },
  INVALID_REV: { status: 400, error: 'bad_request', reason: 'Invalid rev format' },
  BAD_ARGUMENT: { status: 400, error: 'badarg', reason: 'Some query argument is invalid', name: 'bad_arg' },
  BAD_REQUEST: { status: 400, error: 'bad_request', reason: 'Bad request' },
  CONTENT_MD5_MISMATCH: { status: 400, error: 'content_md5_mismatch', reason: 'Possible message corruption.' },
  INVALID_JSON: { status: 400, error: 'bad_request', reason: 'invalid UTF-8 JSON' },
  COMPILATION_ERROR: { status: 400, error: 'compilation_error', reason: 'A function of the design document could not be compiled' },
  QUERY_PARSE_ERROR: { status: 400, error: 'query_parse_error', reason: 'Invalid value for a query parameter' },
  UNAUTHORIZED: { status: 401, error: 'unauthorized', reason: 'You are not authorized to access this db.', message: 'Name or password is incorrect.' },
  FORBIDDEN: { status: 403, error: 'forbidden', reason: 'You are not allowed to access this db.', message: 'Forbidden by design doc validate_doc_update function' },
  NOT_ACCEPTABLE: { status: 406, error: 'not_acceptable', reason: 'Not acceptable' },
  NOT_RETAINED: { status: 410, error: 'gone', reason: 'That moment is not in the history that the database keeps' },
  TOO_LARGE: { status: 413, error: 'too_large', reason: 'the request entity is too large' },
  DOCUMENT_TOO_LARGE: { status: 413, error: 'document_too_large', reason: 'The document is too large' },
  NOT_ALL: { status: 417, error: 'expectation_failed', reason: 'Nothing was written: another document of the same write was refused.' },
  TOO_MANY_LIVE_DOCUMENTS: { status: 413, error: 'too_large', reason: 'The result of a live query has too many documents' },
  FUNCTION_ERROR: { status: 500, error: 'compilation_error', reason: 'The function could not be compiled', isGiven: true },
  FUNCTION_CRASHED: { status: 500, error: 'os_process_error', reason: 'The function crashed its sandbox' },
  FUNCTION_TIMEOUT: { status: 500, error: 'os_process_error', reason: 'OS process timed out.' },
  TIMEOUT: { status: 500, error: 'timeout', reason: 'The request could not be processed in a reasonable amount of time.' },
  UNAVAILABLE: { status: 503, error: 'service_unavailable', reason: 'The storage cannot be reached' },
  NOT_OWNER: { status: 503, error: 'service_unavailable', reason: 'Another server has this database now' },
  NO_SPACE: { status: 507, error: 'insufficient_storage', reason: 'The storage is full' },
  CLOSED: { status: 412, error: 'precondition_failed', reason: 'database is closed' },
  INTERNAL: { status: 500, error: 'internal_server_error', reason: 'Internal server error' },
  NOT_IMPLEMENTED: { status: 501, error: 'not_implemented', reason: 'This feature is not implemented' },
  ...serverErrors
}

module.exports = { table }
