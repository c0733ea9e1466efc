'use strict'

const { NotPreparedError } = require('../workers/owner-only-error')
const { DatabaseView, VERBS } = require('./database-view')

/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/** Verbs that only the owner has. */
const OWNERS = ['putAttachment', 'removeAttachment', ...VERBS.localWrites, ...VERBS.administration]

/**
 * A database that another thread owns. Documents that are written are prepared here; its owner checks what design documents
 * say, and commits them. Design documents themselves, and whatever cannot be prepared, are for the owner alone.
 */
class PreparedPolicy extends DatabaseView {
  static {
    for (const verb of OWNERS) Object.defineProperty(this.prototype, verb, { value () { throw new NotPreparedError() } })
    Object.defineProperty(this.prototype, 'liveSource', { get () { throw new NotPreparedError() } })
    this.letPass([...VERBS.facts, ...VERBS.reads, ...VERBS.localReads])
  }

  /** The user who writes, for the store. @type {Pick<WriteOptions, 'user'>} */
  #author

  /** @param {any} below @param {import('../auth/authenticator').User} user */
  constructor (below, user) {
    super(below)
    this.#author = Object.freeze({ user: Object.freeze({ name: user.name, roles: user.roles }) })
  }

  // The reader below takes documents apart.
  get takesBare () { return true }

  /** @param {any[]} docs @param {WriteOptions} [options] @throws NotPreparedError, with nothing written */
  async write (docs, options) {
    // The part that a member sees is no reader, and has writes of its own.
    if (this.below.byDocument || docs.some(isDesign)) throw new NotPreparedError()
    const results = await this.below.write(docs, { ...options, ...this.#author })
    if (results === null) throw new NotPreparedError()
    return results
  }

  /** @param {any} doc @param {WriteOptions} [options] @throws NotPreparedError, with nothing written */
  async put (doc, options) {
    const [result] = await this.write([doc], options)
    if (result instanceof Error) throw result
    return result
  }
}

/** @param {any} doc */
function isDesign (doc) { return typeof doc?._id === 'string' && doc._id.startsWith('_design/') }

module.exports = { PreparedPolicy }
