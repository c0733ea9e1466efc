'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { parseAdmin, formatAdmin, hashPassword, verifyPassword, fromUserDocument, toUserDocument } = require('./password')
const { requireStrong } = require('./password-rules')
const { numberOf } = require('../stats/metrics')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

const HITS = numberOf('couchdb.auth_cache_hits')
const MISSES = numberOf('couchdb.auth_cache_misses')

const PREFIX = 'org.couchdb.user:'

/**
 * The users: the administrators of the ini file and the documents of the users' database. A user
 * who was read is kept at hand until that very user changes.
 *
 * @typedef {object} UserRecord
 * @property {string} name
 * @property {readonly string[]} roles `_admin` for administrators
 * @property {import('./password').PasswordHash} hash
 * @property {any} [document] where the hash is from, if it is from a document
 * @property {any} [totp] of the document: what one-time passwords are made of
 * @property {boolean} hasConflicts
 */
class Users {
  #config
  #settings
  #databases
  #derivation
  #log
  #counts
  /** From the one read first. A name that does not exist is not kept: there are more of them than memory. @type {Map<string, UserRecord | Promise<UserRecord | null>>} */
  #records = new Map()
  #listeners = new Set()
  /** Listeners of one user. @type {Map<string, Set<() => void>>} */
  #ofUser = new Map()
  /** Stores whose changes are listened to. */
  #followed = new WeakSet()

  /**
   * @param {import('../config/config').Config} config
   * @param {import('../auth/auth-settings').AuthSettings} settings
   * @param {import('../databases/server-databases').ServerDatabases} databases
   * @param {import('./key-derivation').KeyDerivation} derivation
   * @param {(level: 'error', text: string) => void} log
   * @param {import('../stats/statistics').Statistics} [counts]
   */
  constructor (config, settings, databases, derivation, log, counts) {
    this.#counts = counts
    this.#log = log
    this.#config = config
    this.#settings = settings
    this.#databases = databases
    this.#derivation = derivation
    config.on('change', (section, key) => this.#onConfig(section, key))
    databases.users.on('opened', store => this.#follow(store))
    databases.users.on('deleted', name => { if (name === this.database) this.forgetAll() })
  }

  /** @param {string} section @param {string | null} key */
  #onConfig (section, key) {
    if (section === 'admins') return typeof key === 'string' ? this.forget(key) : this.forgetAll()
    if ((section !== 'chttpd_auth' && section !== 'couch_httpd_auth') || !(key === null || TELLING.has(key))) return
    this.forgetAll()
    this.#databases.opened().then(stores => stores.forEach(store => this.#follow(store)))
  }

  /** From here on what changes is noticed. */
  async open () {
    for (const store of await this.#databases.opened()) this.#follow(store)
    this.#config.on('change', section => { if (section === 'admins') this.#hashLater() })
  }

  /** Somebody may have written a plain password into the file. */
  #hashLater () {
    this.hashPlainAdmins().catch(error => this.#log('error', `[admins] could not be hashed: ${error.message}`))
  }

  /** @param {DocumentStore} store */
  #follow (store) {
    if (store.name !== this.database || this.#followed.has(store)) return
    this.#followed.add(store)
    store.on('written', written => this.forgetDocuments(written.map((/** @type {{ id: string }} */ { id }) => id)))
  }

  /** Whether this is what would be found now, without reading. @param {UserRecord} record */
  isKnown (record) { return this.#records.get(record.name) === record }

  /**
   * @param {UserRecord} record
   * @throws unauthorized where its document has conflicts: who knows which password is the right one?
   */
  requireResolved ({ hasConflicts }) {
    if (!hasConflicts || this.#settings.now.allowConflicts) return
    throw createError('UNAUTHORIZED', { reason: 'User document conflicts must be resolved before the document is used for authentication purposes.' })
  }

  /** The name of the database that users are in. */
  get database () { return this.#settings.now.database }

  /** Whether documents of this database are users': CouchDB goes by the end of the name. @param {string} name */
  isUsersDatabase (name) { return isUsersDatabase(name, this.#settings.now) }

  get settings () { return this.#settings.now }

  /** `listener` is told the name of each user that changed, or null: all may have. @param {(name: string | null) => void} listener */
  onForget (listener) { this.#listeners.add(listener) }

  /**
   * Calls `listener` each time that a user may have changed.
   *
   * @param {string} name
   * @param {() => void} listener
   * @returns {() => void} ends that
   */
  onChange (name, listener) {
    const listeners = this.#ofUser.get(name) ?? new Set()
    this.#ofUser.set(name, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#ofUser.get(name) === listeners) this.#ofUser.delete(name)
    }
  }

  /** @param {string} name */
  forget (name) {
    this.#records.delete(name)
    for (const listener of this.#listeners) listener(name)
    for (const listener of this.#ofUser.get(name) ?? []) listener()
  }

  forgetAll () {
    this.#records.clear()
    for (const listener of this.#listeners) listener(null)
    for (const listeners of this.#ofUser.values()) for (const listener of listeners) listener()
  }

  /** These documents of the users' database changed. @param {string[]} ids */
  forgetDocuments (ids) {
    for (const id of ids) if (id.startsWith(PREFIX)) this.forget(id.slice(PREFIX.length))
  }

  get hasAdmins () {
    return Object.keys(this.#config.texts('admins')).length > 0
  }

  /** Plain passwords in `[admins]` give way to their hashes. */
  async hashPlainAdmins () {
    if (!this.#config.isOurs) return
    for (const [name, line] of Object.entries(this.#config.texts('admins'))) {
      if (parseAdmin(line) !== null || line === '') continue
      const hashed = formatAdmin(await hashPassword(line, this.#settings.now.hashing, this.#derivation))
      // Meanwhile somebody may have changed it.
      if (this.#config.get('admins', name) === line) this.#config.set('admins', name, hashed)
    }
  }

  /** The same password keeps its hash, and with it the sessions. @param {string} name @param {string} password */
  async ensureAdmin (name, password) {
    const hash = parseAdmin(this.#config.get('admins', name))
    if (hash === null || !await verifyPassword(password, hash, this.#derivation)) await this.setAdmin(name, password)
  }

  /** @param {string} name @param {string} password @param {{ persist?: boolean }} [options] as of `Config.set` */
  async setAdmin (name, password, options) {
    this.#config.set('admins', name, formatAdmin(await hashPassword(password, this.#settings.now.hashing, this.#derivation)), options)
  }

  /**
   * A new password as members of a user document.
   *
   * @param {string} password
   * @param {{ salt?: string, client?: string }} [options] a salt to be kept
   * @returns {Promise<Record<string, any>>}
   * @throws bad_request where it is not as `password_regexp` says
   */
  async hash (password, { salt, client } = {}) {
    requireStrong(password, this.#settings.now.passwordRules)
    return toUserDocument(await hashPassword(password, { ...this.#settings.now.hashing, ...(salt !== undefined && { salt }) }, this.#derivation, client))
  }

  /**
   * @param {string} name
   * @returns {UserRecord | null | Promise<UserRecord | null>} at once where it is known
   */
  find (name) {
    const known = this.#records.get(name)
    this.#counts?.count(known === undefined ? MISSES : HITS)
    return known ?? this.#load(name)
  }

  /** @param {string} name */
  #load (name) {
    const loading = this.#read(name)
    this.#records.set(name, loading)
    // A user who was forgotten meanwhile has changed: what was read is not kept.
    /** @param {UserRecord | null} record */
    const keep = record => {
      if (this.#records.get(name) !== loading) return
      this.#records.delete(name)
      if (record === null) return
      for (const oldest of this.#records.keys()) {
        if (this.#records.size < this.#settings.now.cacheSize) break
        this.#records.delete(oldest)
      }
      this.#records.set(name, record)
    }
    loading.then(keep, () => keep(null))
    return loading
  }

  /** @param {string} name @returns {Promise<UserRecord | null>} */
  async #read (name) {
    const { document = null, hasConflicts = false } = await this.#document(name)
    const docRoles = Array.isArray(document?.roles) ? document.roles.filter(isGrantable) : []
    const admins = this.#config.texts('admins')
    if (Object.hasOwn(admins, name)) {
      const hash = parseAdmin(admins[name])
      // Documents, which strangers may be let make, keep no administrator out.
      return hash && { name, roles: Object.freeze(['_admin', ...docRoles]), hash, hasConflicts: false }
    }
    const hash = document && fromUserDocument(document)
    return hash ? { name, roles: Object.freeze(docRoles), hash, document, totp: document.totp, hasConflicts } : null
  }

  /** @param {string} name */
  async #document (name) {
    try {
      const users = await this.#databases.readable(this.database)
      const found = await users.get(PREFIX + name, { conflicts: true })
      return { document: await toObjectInTurns(found), hasConflicts: found.conflicts !== undefined }
    } catch (error) {
      if (error.status === 404) return {}
      throw error
    }
  }

  /**
   * Keeps the hash that a password has by today's settings; a document that changed meanwhile stays as it is.
   *
   * @param {UserRecord} record
   * @param {string} password
   */
  async upgrade ({ document }, password) {
    const { _conflicts, ...rest } = document
    const hash = await hashPassword(password, { ...this.#settings.now.hashing, salt: document.salt }, this.#derivation, 'upgrade')
    await this.#databases.put(this.database, { ...withoutHash(rest), ...toUserDocument(hash) })
    this.forget(document.name)
  }
}

/** Settings after which hashes have to be made again at the next login, or are in another database. */
const TELLING = new Set(['authentication_db', 'iterations', 'password_scheme', 'pbkdf2_prf', 'upgrade_hash_on_auth'])

/** A document may give no rights on the server but to read its figures. @param {any} role */
function isGrantable (role) {
  return typeof role === 'string' && (!role.startsWith('_') || role === '_metrics')
}

const HASH_MEMBERS = new Set(['derived_key', 'iterations', 'password', 'password_scheme', 'password_sha', 'preserve_salt', 'pbkdf2_prf', 'salt'])

/** A user document without its password's hash. @param {Record<string, any>} doc */
function withoutHash (doc) {
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !isOfHash(name)))
}

/** @param {string} name */
function isOfHash (name) { return HASH_MEMBERS.has(name) }

/** @param {string} name @param {{ database: string, usersSuffix: string }} settings */
function isUsersDatabase (name, { database, usersSuffix }) {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return last === '_users' || name === database || (usersSuffix !== '' && last === usersSuffix)
}

module.exports = { isUsersDatabase, Users, PREFIX, isOfHash, withoutHash }
