'use strict'

const { table } = require('./table')

/** An error with a stable `code` and both wire forms: CouchDB's and PouchDB's. */
class CouchError extends Error {
  /**
   * @param {string} code a key of the table
   * @param {import('..').ErrorDetails} [details] `reason` and `error` replace the table's words, and
   *   `status` its status where that is given by somebody else; `id` and `rev` say which document; `conflicts` which ones
   *   a transaction found changed.
   */
  constructor (code, details = {}) {
    const entry = table[code]
    if (entry === undefined) throw new TypeError(`No such error code: ${code}`)
    if (details.status !== undefined && !entry.isGiven) throw new TypeError(`The status of ${code} is ${entry.status}`)
    super(details.reason ?? entry.reason, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? entry.status
    this.error = details.error ?? entry.error
    this.reason = details.reason ?? entry.reason
    if (details.id !== undefined) this.id = details.id
    if (details.rev !== undefined) this.rev = details.rev
    if (details.conflicts !== undefined) this.conflicts = details.conflicts
  }

  get name () { return 'CouchError' }

  /** `{ error, reason }`, as CouchDB answers; of a transaction with `conflicts`. */
  toJSON () {
    const { error, reason, conflicts } = this
    return conflicts === undefined ? { error, reason } : { error, reason, conflicts }
  }

  /** @param {string} code @param {import('..').ErrorDetails} [details] */
  static create (code, details) { return new CouchError(code, details) }
}

/**
 * A 400 `bad_request`, as CouchDB answers to a request that makes no sense.
 *
 * @param {string} reason
 */
function badRequest (reason) { return new CouchError('BAD_REQUEST', { reason }) }

module.exports = { CouchError, badRequest }
