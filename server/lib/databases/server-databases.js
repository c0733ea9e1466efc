'use strict'

const { Databases, DistantReader, illegalName, isLegalName, isShard } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { ADMINS_ONLY, ReadSecurity } = require('./read-security')
const { STORE_OPTIONS } = require('./store-options')
const { AUTH_DESIGN, hasDesign } = require('../users/auth-design')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

const SYSTEM = ['_replicator', '_users']

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
  /** Listeners by the name of a database. @type {Map<string, Set<(security: any) => void>>} */
  #onSecurity = new Map()
  #readSecurity = new ReadSecurity()
  /** Whether they are the application's, which closes them. */
  #isLent = false
  /** The servers that share them; null: they are this one's alone. @type {import('../cluster/cluster').Cluster | null} */
  cluster = null

  /**
   * @param {import('@potoroo/document-store').Databases} users
   * @param {import('../config/config').Config} config
   */
  constructor (users, config, isShared = false) {
    this.users = users
    this.#config = config
    /** Whether other servers have databases of the same storage. */
    this.isShared = isShared
  }

  /**
   * @param {any} level an open abstract-level
   * @param {import('../config/config').Config} config
   * @param {Partial<import('@potoroo/document-store').StoreOptions> & { sharing?: import('@potoroo/document-store').Sharing }} [storeOptions]
   */
  static async open (level, config, storeOptions = {}) {
    const maxPartitionSize = () => config.integer('couchdb', 'max_partition_size') || Infinity
    const users = await Databases.open(level, { ...STORE_OPTIONS, gather: 'round', maxPartitionSize, ...storeOptions })
    const databases = new ServerDatabases(users, config, storeOptions.sharing !== undefined)
    if (storeOptions.sharing === undefined) await databases.prepare()
    return databases
  }

  /**
   * Serves databases that the application has open, and closes.
   *
   * @param {Databases} users
   * @param {import('../config/config').Config} config
   */
  static async over (users, config) {
    const databases = new ServerDatabases(users, config)
    databases.#isLent = true
    await databases.prepare()
    return databases
  }

  /** Makes what every server has. */
  async prepare () {
    for (const name of SYSTEM) if (!this.has(name)) await this.create(name)
    if (this.cluster === null) await this.#requireAuthDesign()
  }

  list () { return this.users.list() }

  /** @param {string} name @throws not_found */
  get (name) { return this.users.get(name) }

  /** @param {string} name */
  has (name) { return this.users.has(name) }

  /** Waits for the end of a deletion that goes on. @param {string} name */
  settled (name) { return this.users.settled(name) }

  /** The shards of a database that has several. @param {string} name */
  sharded (name) { return this.users.sharded(name) }

  /** Returns the databases in use: what goes on goes on in them. */
  opened () { return this.users.opened() }

  /**
   * Makes a database of some shards: `[cluster] q` unless it is said. The server's own have one.
   *
   * @param {string} name
   * @param {{ partitioned?: boolean, access?: boolean, q?: number }} [options] access: by document, and in one shard
   * @throws illegal_database_name, file_exists; not_implemented for access by document in several shards
   */
  async make (name, { partitioned = false, access = false, q = access ? 1 : this.#config.integer('cluster', 'q') } = {}) {
    if (access && q > 1) throw createError('NOT_IMPLEMENTED', { reason: 'A database with access by document has one shard: `q` must be 1' })
    if (!(q > 1) || isSystem(name) || name === this.#config.get('chttpd_auth', 'authentication_db')) await this.create(name, { partitioned, access })
    else if (!isLegalName(name)) throw illegalName(name)
    else await this.users.createSharded(name, q, { meta: { security: this.#standardSecurity(name) }, partitioned })
    if (this.cluster?.ownsCatalogue) await this.cluster.spreadName(name)
  }

  /** A writer of replications has the server ask others: nobody gets that by a setting for all databases. @param {string} name */
  #standardSecurity (name) {
    return name === '_replicator' ? ADMINS_ONLY : DEFAULT_SECURITY[this.#config.get('couchdb', 'default_security')] ?? ADMINS_ONLY
  }

  /** @param {string} name @param {{ partitioned?: boolean, access?: boolean }} [options] @throws illegal_database_name, file_exists */
  async create (name, { partitioned = false, access = false } = {}) {
    if (!isLegalName(name)) throw illegalName(name)
    if (partitioned && isSystem(name)) throw badRequest('Cannot partition a system database')
    if (access && (isSystem(name) || name.endsWith('_replicator') || name === this.#config.get('chttpd_auth', 'authentication_db'))) throw badRequest('A system database has no access by document')
    if (this.cluster !== null && !this.cluster.ownsCatalogue) return this.#ask('PUT', name, `?partitioned=${partitioned}&access=${access}&q=1`)
    const database = await this.users.create(name, { meta: { security: this.#standardSecurity(name) }, partitioned, access })
    if (name === '_users') await this.#designUsers(database ?? await this.take(name))
    return database
  }

  /** Returns a database that has become this server's, wherever it was. @param {string} name @throws not_found */
  async take (name) {
    await this.cluster?.own(name)
    return this.users.get(name)
  }

  /**
   * Writes a document, whichever server has its database.
   *
   * @param {string} name
   * @param {any} doc
   */
  async put (name, doc) {
    if (this.cluster === null) return (await this.get(name)).put(doc)
    const { status, body } = await this.cluster.ask({ method: 'PUT', url: `/${encodeURIComponent(name)}/${encodeURIComponent(doc._id)}`, body: doc })
    if (status === 409 || status === 503) throw createError(status === 409 ? 'CONFLICT' : 'UNAVAILABLE', body)
    if (status >= 300) throw createError('PEER_FAILED', { ...body, status })
  }

  /** For reading, whichever server writes it. @param {string} name @throws not_found */
  readable (name) { return this.isShared ? this.users.reader(name) : this.users.get(name) }

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
    const other = await this.take(name)
    if (!await hasDesign(other)) await other.put(AUTH_DESIGN)
  }

  /** Deletes a database, and its indexes with it. @param {string} name */
  async destroy (name) {
    if (isShard(name)) throw createError('NO_DATABASE')
    if (this.cluster !== null && !this.cluster.ownsCatalogue) await this.#ask('DELETE', name, '')
    else {
      await this.users.destroy(name)
      await this.cluster?.spreadName(name)
    }
  }

  /**
   * Has the server that has the catalogue do it.
   *
   * @param {'PUT' | 'DELETE'} method
   * @param {string} name
   * @param {string} search
   * @throws its refusal
   */
  async #ask (method, name, search) {
    const { status, body } = await /** @type {import('../cluster/cluster').Cluster} */ (this.cluster).ask({ method, url: `/${encodeURIComponent(name)}${search}` })
    if (status < 300) return null
    const code = status === 412 ? 'DATABASE_EXISTS' : status === 404 ? 'NO_DATABASE' : 'UNAVAILABLE'
    throw createError(code, body)
  }

  /**
   * @param {DocumentStore | DistantReader} database itself, not as a user sees it
   * @returns {any | Promise<any>} the object itself once it is known
   */
  security (database) {
    if (database instanceof DistantReader) return this.#readSecurity.of(database)
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
    for (const listener of this.#onSecurity.get(name) ?? []) listener(security)
  }

  /**
   * Calls `listener` with each new security object of a database.
   *
   * @param {string} name
   * @param {(security: any) => void} listener
   * @returns {() => void} ends that
   */
  onSecurity (name, listener) {
    const listeners = this.#onSecurity.get(name) ?? new Set()
    this.#onSecurity.set(name, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#onSecurity.get(name) === listeners) this.#onSecurity.delete(name)
    }
  }

  async close () {
    if (!this.#isLent) await this.users.close()
  }
}

/** Databases that are the server's own, or end in such a name. @param {string} name */
function isSystem (name) { return /(^|\/)(_users|_replicator|_global_changes)$/.test(name) }

module.exports = { ServerDatabases, SYSTEM }
