'use strict'

const { Databases } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { AUTH_DESIGN, hasDesign } = require('../auth/auth-design')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

const SYSTEM = ['_replicator', '_users']

const ADMINS_ONLY = Object.freeze({ members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } })

/** The security object of a database that has none of its own, by `[couchdb] default_security`. @type {Record<string, any>} */
const DEFAULT_SECURITY = {
  admin_only: ADMINS_ONLY,
  admin_local: {},
  everyone: {}
}

/**
 * The databases of a server in one level. Security objects are kept at hand, so that a request
 * reads none.
 */
class ServerDatabases {
  #config
  #security = new WeakMap()

  /**
   * @param {import('@potoroo/document-store').Databases} users
   * @param {import('../config/config').Config} config
   */
  constructor (users, config) {
    this.users = users
    this.#config = config
  }

  /**
   * @param {any} level an open abstract-level
   * @param {import('../config/config').Config} config
   * @param {Partial<import('@potoroo/document-store').StoreOptions>} [storeOptions]
   */
  static async open (level, config, storeOptions = {}) {
    const maxPartitionSize = () => config.integer('couchdb', 'max_partition_size') || Infinity
    const users = await Databases.open(level, { prefix: 'databases/', gather: 'round', deterministicRevs: 'couchdb', maxPartitionSize, ...storeOptions })
    const databases = new ServerDatabases(users, config)
    for (const name of SYSTEM) if (!users.has(name)) await databases.create(name)
    await databases.#requireAuthDesign()
    return databases
  }

  list () { return this.users.list() }

  /** @param {string} name @throws not_found */
  get (name) { return this.users.get(name) }

  /** @param {string} name */
  has (name) { return this.users.has(name) }

  /** Returns the databases in use: what goes on goes on in them. */
  opened () { return this.users.opened() }

  /** @param {string} name @param {{ partitioned?: boolean }} [options] @throws illegal_database_name, file_exists */
  async create (name, { partitioned = false } = {}) {
    if (!isLegalName(name)) throw illegalName(name)
    if (partitioned && isSystem(name)) throw createError('BAD_REQUEST', { reason: 'Cannot partition a system database' })
    // A writer of replications has the server ask others: nobody gets that by a setting for all databases.
    const standard = name === '_replicator' ? ADMINS_ONLY : DEFAULT_SECURITY[this.#config.get('couchdb', 'default_security')] ?? ADMINS_ONLY
    const database = await this.users.create(name, { meta: { security: standard }, partitioned })
    if (name === '_users') await this.#designUsers(database)
    return database
  }

  /** As CouchDB does at its start. The rules of the design document are checked without it, too, so a full disk is no reason not to start. */
  async #requireAuthDesign () {
    const database = await this.get('_users')
    if (!await hasDesign(database)) await database.put(AUTH_DESIGN).catch(() => {})
  }

  /**
   * Gives `_users` its design document, and to the database of users that is set in its place, if that has none: as in
   * CouchDB, which begins to use that one when `_users` is made again.
   *
   * @param {DocumentStore} database
   */
  async #designUsers (database) {
    await database.put(AUTH_DESIGN)
    const name = this.#config.get('chttpd_auth', 'authentication_db') || '_users'
    if (name === '_users' || !this.users.has(name)) return
    const other = await this.users.get(name)
    if (!await hasDesign(other)) await other.put(AUTH_DESIGN)
  }

  /** Deletes a database, and its indexes with it. @param {string} name */
  async destroy (name) {
    await this.users.destroy(name)
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database itself, not as a user sees it
   * @returns {any | Promise<any>} the object itself once it is known
   */
  security (database) {
    return this.#security.get(database) ?? this.#loadSecurity(database)
  }

  /** @param {DocumentStore} database */
  async #loadSecurity (database) {
    const security = await database.getMeta('security') ?? ADMINS_ONLY
    if (!this.#security.has(database)) this.#security.set(database, security)
    return this.#security.get(database)
  }

  /** @param {string} name @param {any} security @throws not_found */
  async setSecurity (name, security) {
    const database = await this.get(name)
    await database.setMeta('security', security)
    this.#security.set(database, security)
  }

  async close () {
    await this.users.close()
  }
}

/** Databases that are the server's own, or end in such a name. @param {string} name */
function isSystem (name) { return /(^|\/)(_users|_replicator|_global_changes)$/.test(name) }

/** @param {string} name */
function isLegalName (name) {
  return SYSTEM.includes(name) || name === '_global_changes' || (/^[a-z][a-z0-9_$()+/-]*$/.test(name) && name.length <= 238)
}

/** CouchDB's words. @param {string} name */
function illegalName (name) {
  return createError('ILLEGAL_DATABASE_NAME', {
    reason: `Name: '${name}'. Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are allowed. Must begin with a letter.`
  })
}

module.exports = { ServerDatabases, isLegalName, illegalName, ADMINS_ONLY, SYSTEM }
