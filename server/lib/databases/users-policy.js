'use strict'

const { parseText } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { hasDesign } = require('../users/auth-design')
const { PREFIX } = require('../users/users')
const { lookedAt, prepareUser, validateUser } = require('../users/user-document')
const { DatabaseView, VERBS } = require('./database-view')

/** @typedef {import('./database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('../service/request-service').RequestUsers} RequestUsers */
/** @typedef {import('../auth/authenticator').User} User */
/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').GetOptions} GetOptions */
/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/**
 * A database of users: passwords are hashed on their way in, and documents have the form that logging
 * in needs.
 * @see https://docs.couchdb.org/en/stable/intro/security.html#authentication-database
 */
class UsersPolicy extends DatabaseView {
  static { this.letPass([...VERBS.facts, ...VERBS.live, ...VERBS.reads, ...VERBS.localReads, 'compact', 'setRevsLimit', 'setPurgedInfosLimit', 'setRetention']) }

  #writes
  #users

  /**
   * @param {AnyDatabase} below
   * @param {import('../auth/authenticator').User} user
   * @param {import('../service/request-service').RequestUsers} users
   * @param {boolean} [isAdmin] of the server or of this database
   */
  constructor (below, user, users, isAdmin = true) {
    super(below)
    this.#users = users
    this.#writes = new UserWrites(below, user, isAdmin, users)
  }

  /** @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) { return this.#writes.write(docs, options) }
  /** @param {any} doc @param {WriteOptions} [options] */
  async put (doc, options) { return this.#writes.put(doc, options) }
  /** @param {string} id @param {string} name @param {any} attachment @param {any} [options] */
  async putAttachment (id, name, attachment, options) { return this.#writes.changed(id, () => this.below.putAttachment(id, name, attachment, options)) }
  /** @param {string} id @param {string} name @param {any} [options] */
  async removeAttachment (id, name, options) { return this.#writes.changed(id, () => this.below.removeAttachment(id, name, options)) }
  /** @param {any} doc @param {any} [options] */
  async putLocal (doc, options) { return this.#writes.local(() => this.below.putLocal(doc, options)) }
  /** @param {any} doc @param {any} [options] */
  async removeLocal (doc, options) { return this.#writes.local(() => this.below.removeLocal(doc, options)) }

  /** @param {Record<string, string[]>} revs @param {any} [options] */
  async purge (revs, options) {
    const result = await this.below.purge(revs, options)
    if (this.name === this.#users.database) this.#users.forgetDocuments(Object.keys(revs))
    return result
  }
}

/**
 * Somebody who is no administrator reads and writes their own document alone, and of others' what
 * `public_fields` lists; somebody without a name may make a new one. That is, where the security object lets them
 * come here at all: by default it does not.
 */
class OwnUserPolicy extends UsersPolicy {
  static { this.letPass([...VERBS.facts, ...VERBS.localReads, ...VERBS.writes, ...VERBS.localWrites, 'compact', 'setRevsLimit', 'setPurgedInfosLimit', 'setRetention']) }

  #user
  #users

  /** @param {AnyDatabase} below @param {User} user @param {RequestUsers} users */
  constructor (below, user, users) {
    super(below, user, users, false)
    this.#user = user
    this.#users = users
  }

  /** Only a document that may be seen may be said to be as it was read. @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) {
    for (const { id } of options?.reads ?? []) requireOwn(id, this.#user)
    return super.write(docs, options)
  }

  /** @param {Document} document */
  #see (document) { return visible(document, this.#user, this.#users.settings.publicFields) }

  /** @param {string} id @param {GetOptions} [options] */
  async get (id, options) {
    refuseDesign(id)
    const document = this.#see(await this.below.get(id, options))
    if (document === null) throw createError('MISSING')
    return document
  }

  /** @param {string} id @param {any} revs @param {any} [options] */
  async openRevs (id, revs, options) {
    refuseDesign(id)
    const found = await this.below.openRevs(id, revs, options)
    return /** @type {any[]} */ (found.map(each => 'ok' in each ? { ok: this.#see(each.ok) } : each)).filter(each => !('ok' in each) || each.ok !== null)
  }

  /** @param {any[]} requests @param {any} [options] */
  async bulkGet (requests, options) {
    requests.forEach(({ id }) => refuseDesign(id))
    const found = await this.below.bulkGet(requests, options)
    return found.map(each => {
      if (!('ok' in each)) return each
      const [ok, ...others] = [each.ok, ...each.others ?? []].map(document => this.#see(document)).filter(document => document !== null)
      return ok === undefined ? { error: createError('MISSING') } : { ok, others }
    })
  }

  /** @param {string} id */
  async getRevisionTree (id) {
    requireOwn(id, this.#user)
    return this.below.getRevisionTree(id)
  }

  /** @param {string} id @param {string} name @param {any} [options] */
  async getAttachment (id, name, options) {
    requireOwn(id, this.#user)
    return this.below.getAttachment(id, name, options)
  }

  /** @returns {never} */
  get liveSource () { throw adminsOnly() }
  /** @returns {Promise<never>} */
  async allDocs () { throw adminsOnly() }
  /** @returns {Promise<never>} */
  async purges () { throw adminsOnly() }
  /** @returns {Promise<never>} */
  async purge () { throw adminsOnly() }
  /** @returns {Promise<never>} */
  async revsDiff () { throw adminsOnly() }
  /** @returns {never} */
  changes () { throw adminsOnly() }
  /** @returns {never} */
  follow () { throw adminsOnly() }
  /** @returns {never} */
  history () { throw adminsOnly() }
}

/** Writes as one user may make them. Whoever they change is forgotten before the answer. */
class UserWrites {
  #store
  #user
  #isAdmin
  #users

  /** @param {AnyDatabase} store @param {User} user @param {boolean} isAdmin @param {RequestUsers} users */
  constructor (store, user, isAdmin, users) {
    this.#store = store
    this.#user = user
    this.#isAdmin = isAdmin
    this.#users = users
  }

  /** @param {any} doc @param {WriteOptions} [options] */
  async put (doc, options) {
    const [result] = await this.write([doc], options)
    if (result instanceof Error) throw result
    return result
  }

  /** @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) {
    // One after another: hashing a list of passwords at once would leave none of its queue to others.
    const prepared = []
    for (const doc of docs) prepared.push(await this.#prepare(doc, options?.newEdits !== false))
    const results = await this.#store.write(prepared, options)
    this.#forget(results.filter(result => !(result instanceof Error)).map(({ id }) => /** @type {string} */ (id)))
    return results
  }

  /** A refusal stands in the document's place; to meddle with another's document is one of them all. @param {any} doc @param {boolean} newEdits */
  async #prepare (doc, newEdits) {
    if (doc instanceof Error || typeof doc !== 'object' || doc === null) return doc
    const id = doc._id
    this.#requireOwn(id)
    const before = typeof id === 'string' && !id.startsWith('_') ? await current(this.#store, id) : null
    try {
      if (typeof id === 'string' && id.startsWith('_')) return this.#system(doc)
      const isStale = newEdits && before !== null && doc._rev !== before.rev
      const type = await this.#defaultType(doc)
      return await prepareUser(doc, given => this.#validate({ ...type, ...given }, before?.body ?? null, isStale), this.#users, `user:${this.#user.name}`)
    } catch (error) {
      if (error.status === undefined) throw error
      return Object.assign(error, { id, rev: doc._rev })
    }
  }

  /** The design document asks for a type: before it is there, administrators may bring users without one. @param {any} doc */
  async #defaultType ({ type, _deleted: deleted }) {
    if (type !== undefined || deleted === true || !this.#isAdmin || await hasDesign(this.#store)) return undefined
    return { type: 'user' }
  }

  /** Tells as a conflict what would be one anyway. @param {any} doc @param {any} before @param {boolean} isStale */
  #validate (doc, before, isStale) {
    try {
      validateUser(doc, before, this.#user, this.#isAdmin)
    } catch (error) {
      throw isStale ? createError('CONFLICT') : error
    }
  }

  /** A user with a name writes nothing but their own document. @param {string | undefined} id */
  #requireOwn (id) {
    if (!this.#isAdmin && this.#user.name !== null && id !== PREFIX + this.#user.name) throw createError('MISSING')
  }

  /** @param {any} doc */
  #system (doc) {
    if (doc._id.startsWith('_design/') && !this.#isAdmin) throw createError('UNAUTHORIZED', { reason: 'You are not a db or server admin.' })
    return doc
  }

  /**
   * An attachment comes to a user's document, or goes.
   *
   * @template T
   * @param {string} id
   * @param {() => Promise<T>} write
   * @returns {Promise<T>}
   */
  async changed (id, write) {
    this.#requireOwn(id)
    if (!this.#isAdmin && this.#user.name === null) throw createError('UNAUTHORIZED', { reason: 'You are not a db or server admin.' })
    if (!id.startsWith('_')) {
      const body = (await current(this.#store, id))?.body ?? null
      validateUser({ ...lookedAt(body ?? {}), _id: id }, body, this.#user, this.#isAdmin)
    }
    const result = await write()
    this.#forget([id])
    return result
  }

  /** @template T @param {() => Promise<T>} write @returns {Promise<T>} */
  async local (write) {
    this.#requireOwn(undefined)
    return write()
  }

  /** @param {string[]} ids */
  #forget (ids) {
    if (this.#store.name === this.#users.database) this.#users.forgetDocuments(ids)
  }
}

/**
 * A document as it may be seen; null where nothing of it may.
 *
 * @param {Document} document
 * @param {User} user
 * @param {Set<string>} publicFields
 */
function visible (document, user, publicFields) {
  if (user.name !== null && document.id === PREFIX + user.name) return document
  if (publicFields.size === 0) return null
  const members = Object.entries(JSON.parse(document.body)).filter(([name]) => publicFields.has(name))
  if (members.length === 0) return null
  return { ...document, body: JSON.stringify(Object.fromEntries(members)), attachments: null }
}

/** @param {string} id @param {{ name: string | null }} given */
function requireOwn (id, { name }) {
  refuseDesign(id)
  if (name === null || id !== PREFIX + name) throw createError('MISSING')
}

/** @param {string} id */
function refuseDesign (id) {
  if (id.startsWith('_design/')) throw createError('FORBIDDEN', { reason: 'Only administrators can view design docs in the users database.' })
}

function adminsOnly () {
  return createError('UNAUTHORIZED', { reason: 'You are not a server admin.' })
}

/**
 * @param {AnyDatabase} store
 * @param {string} id
 * @returns {Promise<{ rev: string, body: any } | null>}
 */
async function current (store, id) {
  try {
    const { rev, body } = await store.get(id)
    return { rev, body: await parseText(body) }
  } catch (error) {
    if (error.status === 404 || error.status === 400) return null
    throw error
  }
}

module.exports = { OwnUserPolicy, UsersPolicy }
