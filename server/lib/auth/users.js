'use strict'

const { parseAdmin, formatAdmin, hashPassword, verifyPassword, fromUserDocument } = require('./password')

const PREFIX = 'org.couchdb.user:'

/**
 * Who there is: the administrators of the ini file and the documents of `_users`.
 *
 * @typedef {object} UserRecord
 * @property {string} name
 * @property {string[]} roles `_admin` for administrators
 * @property {import('./password').PasswordHash} hash
 */
class Users {
  #config
  #databases

  /**
   * @param {import('../config').Config} config
   * @param {import('../databases').ServerDatabases} databases
   */
  constructor (config, databases) {
    this.#config = config
    this.#databases = databases
  }

  get hasAdmins () {
    return Object.keys(this.#config.section('admins')).length > 0
  }

  /** Plain passwords in `[admins]` give way to their hashes. */
  async hashPlainAdmins () {
    for (const [name, line] of Object.entries(this.#config.section('admins'))) {
      if (parseAdmin(line) === null) await this.setAdmin(name, line)
    }
  }

  /** The same password keeps its hash, and with it the sessions. */
  async ensureAdmin (name, password) {
    const hash = parseAdmin(this.#config.get('admins', name))
    if (hash === null || !await verifyPassword(password, hash)) await this.setAdmin(name, password)
  }

  async setAdmin (name, password) {
    this.#config.set('admins', name, formatAdmin(await hashPassword(password, this.iterations)))
  }

  get iterations () { return this.#config.integer('chttpd_auth', 'iterations') }

  /**
   * @param {string} name
   * @returns {Promise<UserRecord | null>}
   */
  async find (name) {
    const doc = await this.#document(name)
    const docRoles = Array.isArray(doc?.roles) ? doc.roles.filter(role => typeof role === 'string' && !role.startsWith('_')) : []
    const admin = this.#config.section('admins')
    if (Object.hasOwn(admin, name)) {
      const hash = parseAdmin(admin[name])
      return hash && { name, roles: ['_admin', ...docRoles], hash }
    }
    const hash = doc && fromUserDocument(doc)
    return hash ? { name, roles: docRoles, hash } : null
  }

  async #document (name) {
    try {
      const users = await this.#databases.get('_users')
      return JSON.parse((await users.get(PREFIX + name)).body)
    } catch (error) {
      if (error.status === 404) return null
      throw error
    }
  }
}

module.exports = { Users, PREFIX }
