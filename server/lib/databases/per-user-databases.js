'use strict'

const { isLegalName } = require('@potoroo/document-store')
const { PREFIX } = require('../users/users')

/** @typedef {import('@potoroo/document-store').Change} Change */
/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */

/** The key, among the users' database's own values, of how far this went. */
const CHECKPOINT = 'couch_peruser'

/**
 * A database for each user, `userdb-{hex of the name}`, of which that user alone is member and
 * admin. It follows the users' database: those who are there when it is switched on get theirs, too,
 * and after a restart it goes on where it was.
 *
 * @see https://docs.couchdb.org/en/stable/config/couch-peruser.html
 */
class PerUserDatabases {
  #config
  #databases
  #users
  #log
  /** Ends what runs. */
  #stop = new AbortController()
  /** Resolves when that has ended. */
  #ended = Promise.resolve()
  #closed = false

  /** @param {Pick<import('../service/service').Service, 'config' | 'databases' | 'users' | 'log'>} service open except for this */
  constructor ({ config, databases, users, log }) {
    this.#config = config
    this.#databases = databases
    this.#users = users
    this.#log = log
  }

  open () {
    this.#config.on('change', (section, key) => {
      if (section === 'couch_peruser' || (section === 'chttpd_auth' && (key === 'authentication_db' || key === null))) this.#restart()
    })
    const { users } = this.#databases
    users.on('created', name => { if (name === this.#users.database) this.#restart() })
    // The owner of the users' database does it, of several servers.
    users.on('opened', store => { if (this.#databases.cluster !== null && store.name === this.#users.database) this.#restart() })
    this.#restart()
  }

  /** Resolves when nothing is under way any more. */
  close () {
    this.#closed = true
    this.#stop.abort()
    return this.#ended
  }

  #restart () {
    if (this.#closed) return
    this.#stop.abort()
    const { signal } = this.#stop = new AbortController()
    this.#ended = this.#ended.then(() => this.#run(signal)).catch(error => this.#log.quote('error', `couch_peruser: ${error.stack}`))
  }

  /** @param {AbortSignal} signal */
  async #run (signal) {
    const prefix = this.#config.get('couch_peruser', 'database_prefix')
    if (signal.aborted || !this.#config.boolean('couch_peruser', 'enable')) return
    if (!isLegalName(prefix)) return this.#log.quote('error', `couch_peruser: no database can begin with ${prefix}`)
    if (!this.#databases.has(this.#users.database)) return this.#log.quote('warning', `couch_peruser: there is no database ${this.#users.database}`)
    if (this.#databases.cluster?.owns(this.#users.database) === false) return
    const store = await this.#databases.get(this.#users.database)
    const last = await store.getMeta(CHECKPOINT)
    // Changes that were handled before are only checked: their databases are still there.
    const done = last?.prefix === prefix ? last.seq : 0
    await this.#follow(store, { prefix, done, signal })
  }

  /** @param {DocumentStore} store @param {{ prefix: string, done: number, signal: AbortSignal }} following */
  async #follow (store, { prefix, done, signal }) {
    const changes = store.follow({ since: 0, pending: false, signal })
    let complete = true
    for await (const page of changes) {
      for (const change of page) {
        if (signal.aborted) return
        if (!await this.#handle(change, prefix, change.seq <= done)) complete = false
      }
      // A change that failed is tried again after a restart.
      if (complete && changes.lastSeq > done && !store.closed) await store.setMeta(CHECKPOINT, { prefix, seq: changes.lastSeq })
    }
  }

  /**
   * @param {Change} change
   * @param {string} prefix
   * @param {boolean} isDone
   * @returns {Promise<boolean>} whether it is over: done, or never to be; what could not be done is in the log
   */
  async #handle ({ id, deleted }, prefix, isDone) {
    if (!id.startsWith(PREFIX)) return true
    const user = id.slice(PREFIX.length)
    const name = prefix + Buffer.from(user).toString('hex')
    try {
      if (deleted) {
        if (!isDone) await this.#leave(name, user)
      } else if (!isDone || !this.#databases.has(name)) await this.#provide(name, user)
      return true
    } catch (error) {
      this.#log.quote('error', `couch_peruser: ${name}: ${error.message}`)
      // No restart makes a name shorter; what came after it is not to be done again, deletions least of all.
      return error.code === 'ILLEGAL_DATABASE_NAME'
    }
  }

  /** @param {string} name @param {string} user their name */
  async #provide (name, user) {
    if (!this.#databases.has(name)) await this.#databases.create(name).catch(unlessExists)
    await this.#change(name, (/** @type {string[]} */ names) => names.includes(user) ? names : [user, ...names])
  }

  /** @param {string} name @param {string} user their name */
  async #leave (name, user) {
    if (!this.#databases.has(name)) return
    if (this.#config.boolean('couch_peruser', 'delete_dbs')) await this.#databases.destroy(name)
    else await this.#change(name, (/** @type {string[]} */ names) => names.filter(each => each !== user))
  }

  /**
   * Changes who is named in the security object, as admins and as members, if that is a change.
   *
   * @param {string} name
   * @param {(names: string[]) => string[]} edit
   */
  async #change (name, edit) {
    const database = await this.#databases.take(name)
    const security = await this.#databases.security(database)
    const changed = { ...security }
    for (const group of ['admins', 'members']) {
      const names = security[group]?.names ?? []
      const edited = edit(names)
      if (edited.length !== names.length) changed[group] = { ...security[group], names: edited }
    }
    if (changed.admins !== security.admins || changed.members !== security.members) await this.#databases.setSecurity(database.name, changed)
  }
}

/** Somebody else was first. @param {any} error */
function unlessExists (error) {
  if (error.code !== 'DATABASE_EXISTS') throw error
}

module.exports = { PerUserDatabases }
