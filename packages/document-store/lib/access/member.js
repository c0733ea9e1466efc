'use strict'

const { isWellFormed } = require('../commit/storable')
const { accessOf } = require('../media/record')
const { EVERYONE, encodeAccess, ofRole, ofUser, readersOf, writersOf } = require('./access-list')

/**
 * A user of a database with access by document who does not administer it: what they may see and write.
 *
 * @typedef {{ name: string | null, roles: readonly string[] }} UserContext CouchDB's
 */
class Member {
  #alone

  /** @param {UserContext} user */
  constructor ({ name, roles }) {
    /** The user's own principal; null of one without a name. @type {string | null} */
    this.own = name !== null && isWellFormed(name) ? ofUser(name) : null
    /** @type {string[]} */
    this.roles = [...new Set(roles)].filter(isWellFormed).map(ofRole).sort()
    /** All principals that they are. @type {Set<string>} */
    this.principals = new Set([EVERYONE, ...(this.own === null ? [] : [this.own]), ...this.roles])
    /** The most common list: it names them alone. */
    this.#alone = this.own === null ? null : encodeAccess([this.own], [])
  }

  /** The space of their local documents: all who have no name share one. */
  get space () { return this.own ?? EVERYONE }

  /** @param {string} principal */
  is (principal) { return this.principals.has(principal) }

  /** @param {string} id @param {string} access as stored */
  reads (id, access) { return access === this.#alone || readersOf(id, access).some(principal => this.is(principal)) }

  /** @param {string} access as stored */
  writes (access) { return writersOf(access).some(principal => this.is(principal)) }

  /** @param {string} id @param {string} payload */
  readsPayload (id, payload) { return this.reads(id, accessOf(payload)) }

  /** Whether a list names nobody else. @param {string} access as stored, of no design document */
  isAlone (access) { return readersOf('', access).every(principal => this.is(principal)) }
}

module.exports = { Member }
