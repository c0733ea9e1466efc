'use strict'

const { createError } = require('@potoroo/errors')
const { DatabaseView, VERBS } = require('./database-view')

/** @typedef {import('../auth/authenticator').User} User */
/** @typedef {import('./database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/** Members who are no admins of the database write no design documents. */
class MembersPolicy extends DatabaseView {
  static { this.letPass([...VERBS.facts, ...VERBS.live, ...VERBS.reads, ...VERBS.localReads, ...VERBS.localWrites, ...VERBS.administration]) }

  #admit

  /** @param {AnyDatabase} below @param {import('../auth/authenticator').User} user */
  constructor (below, user) {
    super(below)
    // With access by document they write those that say who may see them, which do nothing here.
    this.#admit = (/** @type {any} */ id) => { if (!below.byDocument && typeof id === 'string' && id.startsWith('_design/')) throw notAdmin(user) }
  }

  get takesBare () { return /** @type {DatabaseView} */ (this.below).takesBare }

  /** @param {any} doc @param {WriteOptions} [options] */
  async put (doc, options) {
    this.#admit(doc?._id)
    return this.below.put(doc, options)
  }

  /** @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) { return this.below.write(docs.map(doc => refusedOr(doc, this.#admit)), options) }

  /** @param {string} id @param {string} name @param {any} attachment @param {any} [options] */
  async putAttachment (id, name, attachment, options) {
    this.#admit(id)
    return this.below.putAttachment(id, name, attachment, options)
  }

  /** @param {string} id @param {string} name @param {any} [options] */
  async removeAttachment (id, name, options) {
    this.#admit(id)
    return this.below.removeAttachment(id, name, options)
  }
}

/** A refusal stands in the document's place: see DocumentStore's `write`. @param {any} doc @param {(id: any) => void} admit */
function refusedOr (doc, admit) {
  try {
    admit(doc?._id)
    return doc
  } catch (error) {
    return Object.assign(error, { id: doc._id })
  }
}

/** @param {User} user */
function notAdmin (user) {
  return createError(user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason: 'You are not a db or server admin.' })
}

module.exports = { MembersPolicy }
