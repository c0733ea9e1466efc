'use strict'

const crypto = require('node:crypto')
const { setMaxListeners } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { AdaptiveIndexes, Mango, Views } = require('@potoroo/indexes')
const { adaptiveSettings } = require('./adaptive-settings')
const { compressionLevel } = require('./attachment-compression')
const { AuthSettings } = require('../auth/auth-settings')
const { readBanner } = require('./banner')
const { Authenticator } = require('../auth/authenticator')
const { KeyDerivation } = require('../auth/key-derivation')
const { Batches } = require('../documents/batches')
const { Users } = require('../auth/users')
const { JSON_LIMIT } = require('../http/body')
const { Config } = require('../config/config')
const { Cors } = require('../http/cors')
const { DatabaseUpdates } = require('../databases/database-updates')
const { refuseOther, storagesIn } = require('../commands/data-folder')
const { ServerDatabases } = require('../databases/server-databases')
const { Log } = require('../log/log')
const { PerUserDatabases } = require('../databases/per-user-databases')
const { logSettings } = require('../log/log-settings')
const { removeDrafts } = require('./drafts')
const { MemoryRelease } = require('./memory-release')
const { makeFolder, removeEmpty } = require('./make-folder')
const { openQueryServer, reduceLimits } = require('./query-server')
const { keepIndexed } = require('./background-indexing')
const { createReplicator } = require('../replication/create-replicator')
const { ReplicatorDatabases } = require('../replication/replicator-databases')
const { RequestIds } = require('../http/request-ids')
const { SecurityHeaders } = require('../safety/security-headers')
const { Scrub } = require('./scrub')
const { describeInWords, openStorage } = require('./storage')
const { countWrites } = require('../stats/measures')
const { Statistics } = require('../stats/statistics')
const { Uuids } = require('./uuids')
const { VirtualHosts } = require('../dispatch/virtual-hosts')

/**
 * Holds what all requests share: configuration, log, databases, users. It opens by itself;
 * `ready` says when, and with what error if it cannot.
 */
class Service {
  #closing = new AbortController()
  /** @type {number | undefined} */
  #requestLimit
  #requestIds = new RequestIds()
  /** Told of each password that was wrong. */
  onWrongPassword = () => {}
  /** Set with `ready`. @type {ServerDatabases} */
  databases = /** @type {any} */ (null)
  /** @type {Views} */
  views = /** @type {any} */ (null)
  /** @type {ReturnType<typeof keepIndexed> | undefined} */
  indexer = undefined
  /** @type {Mango} */
  mango = /** @type {any} */ (null)
  /** @type {Users} */
  users = /** @type {any} */ (null)
  /** @type {Authenticator} */
  authenticator = /** @type {any} */ (null)
  /** @type {import('./storage').OpenStorage} */
  storage = /** @type {any} */ (null)
  /** Only where the addon of pools is. @type {MemoryRelease | undefined} */
  #memoryRelease
  /** @type {Scrub} */
  scrub = /** @type {any} */ (null)
  /** Addresses at which it can be reached, as far as they are known. @type {() => import('node:net').AddressInfo[]} */
  listening = () => []
  /** @type {PerUserDatabases | undefined} */
  perUserDatabases = undefined
  /** @type {DatabaseUpdates | undefined} */
  updates = undefined
  opened = false
  /**
   * Routes a request again, as another one of the same user: set by the dispatcher.
   * @type {(req: any, res: any, to: import('../dispatch/reroute').Change) => Promise<void>}
   */
  forward = /** @type {any} */ (null)
  /** @type {Promise<void> | undefined} */
  closed = undefined

  /** @param {import('../..').PotorooOptions} options */
  constructor (options = {}) {
    this.options = options
    // Every live feed listens.
    setMaxListeners(0, this.#closing.signal)
    this.folder = options.level === undefined ? path.resolve(options.path ?? 'potoroo-data') : options.path && path.resolve(options.path)
    if (options.storage === 'memory' && options.path === undefined) this.folder = undefined
    if (this.folder !== undefined && fs.existsSync(this.folder)) refuseOther(this.folder)
    const made = this.folder === undefined ? [] : makeFolder(this.folder)
    this.config = new Config(this.folder === undefined ? null : path.join(this.folder, 'potoroo.ini'), options.config)
    this.log = new Log({ ...logSettings(this.config, this.folder), write: options.log })
    this.config.on('change', section => { if (section === 'log') this.log.configure(logSettings(this.config, this.folder)) })
    this.authSettings = new AuthSettings(this.config)
    this.cors = new Cors(this.config)
    this.vhosts = new VirtualHosts(this.config)
    this.uuids = new Uuids(this.config)
    /** Counters of this thread, and of all of them. */
    this.counts = new Statistics()
    this.statistics = [this.counts]
    this.securityHeaders = new SecurityHeaders(this.config)
    this.config.on('change', section => { if (section === 'chttpd') this.#requestLimit = undefined })
    this.startedAt = Date.now()
    this.queryServer = openQueryServer(this.config, this.log)
    this.batches = new Batches(this.log)
    this.adaptive = new AdaptiveIndexes({
      isDefault: () => this.config.boolean('mango', 'adaptive_indexes'),
      settings: adaptiveSettings(this.config),
      onError: error => this.log.line('error', `Adaptive indexes: ${error.stack}`)
    })
    this.replicatorDatabases = new ReplicatorDatabases(this)
    this.replicator = createReplicator(this)
    this.ready = this.#open(made)
    // Callers that await it learn of it; the others are answered 500.
    this.ready.catch(() => {})
  }

  /** Fires when the service closes: feeds end. @returns {AbortSignal} */
  get closing () { return this.#closing.signal }

  /** Bytes of JSON that a request may bring. */
  get jsonLimit () { return Math.min(this.requestLimit, JSON_LIMIT) }

  /** Bytes that a request may bring. */
  get requestLimit () {
    this.#requestLimit ??= this.config.integer('chttpd', 'max_http_request_size')
    return this.#requestLimit
  }

  nextRequestId () { return this.#requestIds.next() }

  /** @param {string[]} made folders that were made for it */
  async #open (made) {
    try {
      this.storage = await openStorage({ ...this.options, folder: this.folder, keyFile: this.config.get('storage', 'key_file') })
    } catch (error) {
      removeEmpty(made)
      throw error
    }
    if (this.folder !== undefined) {
      this.#warnOfOpenFolder(this.folder)
      this.#warnOfOtherFolders(this.folder)
      this.#warnOfOtherStorage(this.folder)
      removeDrafts(this.folder)
    }
    this.log.line('notice', `Potoroo ${readBanner().version}, ${describeInWords(this.storage.describe()).map(line => line.trim()).join('; ')}`)
    this.databases = await ServerDatabases.open(this.storage.level, this.config, { compressionLevel: compressionLevel(this.config) })
    this.updates = new DatabaseUpdates(this.storage.level, this.databases.users, this.config, error => this.log.line('error', `Updates of databases could not be saved: ${error.stack}`))
    await this.updates.open()
    countWrites(this.counts, this.databases.users)
    this.databases.users.on('opened', store => this.#follow(store))
    this.config.on('change', async section => { if (section === 'mango') for (const store of await this.databases.opened()) this.#follow(store) })
    this.views = new Views({
      queryServer: this.queryServer,
      reduceLimits: () => reduceLimits(this.config),
      log: message => this.log.quote('info', `reduce_overflow_error: ${message}`)
    })
    this.indexer = keepIndexed(this)
    this.mango = new Mango({
      adaptive: this.adaptive,
      defaultLimit: () => this.config.integer('mango', 'default_limit'),
      warnAbove: () => this.config.integer('mango', 'index_scan_warning_threshold')
    })
    const derivation = new KeyDerivation()
    this.users = new Users(this.config, this.authSettings, this.databases, derivation, (level, text) => this.log.quote(level, text))
    this.authenticator = new Authenticator(this.users, this.config, this.authSettings, derivation, {
      log: this.log, adminParty: this.options.adminParty, onWrongPassword: () => this.onWrongPassword(), closing: this.closing
    })
    await this.#prepareConfig()
    await this.users.open()
    this.replicatorDatabases.open()
    this.perUserDatabases = new PerUserDatabases(this)
    this.perUserDatabases.open()
    this.scrub = new Scrub(this)
    this.scrub.schedule()
    if (this.storage.isPool) this.#memoryRelease = new MemoryRelease()
    this.opened = true
  }

  /** The databases' own folder is closed; what else is put beside it may not be. */
  #warnOfOpenFolder (folder) {
    const mode = fs.statSync(folder).mode & 0o777
    if (process.platform === 'win32' || (mode & 0o077) === 0) return
    this.log.line('warning', `Other users of this machine may enter the data folder ${folder}: its mode is ${mode.toString(8)}; 700 keeps them out`)
  }

  /** CouchDB's configuration may have come along, and say where the databases were there. */
  #warnOfOtherFolders (folder) {
    for (const key of ['database_dir', 'view_index_dir']) {
      const other = this.config.get('couchdb', key)
      if (other === '' || path.resolve(folder, other) === folder) continue
      this.log.line('warning', `[couchdb] ${key} says ${other}, and is not heard: databases and indexes are in the data folder ${folder}, which --data names`)
    }
  }

  /** Each storage has databases of its own, also where the folder is one. */
  #warnOfOtherStorage (folder) {
    const { storage } = this.storage.describe()
    for (const other of storagesIn(folder).filter(name => name !== storage)) {
      this.log.line('warning', `The data folder ${folder} has databases in the storage ${other}, too, which are not served: --storage ${other} serves those`)
    }
  }

  /** Keeps up to date what it has learned, before anybody asks. */
  async #follow (store) {
    try {
      await this.adaptive.follow(store)
    } catch (error) {
      if (!store.closed) this.log.line('error', `Adaptive indexes of ${store.name}: ${error.stack}`)
    }
  }

  async #prepareConfig () {
    const { config, users } = this
    if (config.get('couchdb', 'uuid') === '') config.set('couchdb', 'uuid', crypto.randomBytes(16).toString('hex'))
    if (config.get('chttpd_auth', 'secret') === '') config.set('chttpd_auth', 'secret', crypto.randomBytes(16).toString('hex'))
    for (const [name, password] of Object.entries(this.options.admins ?? {})) await users.ensureAdmin(name, password)
    await users.hashPlainAdmins()
    if (users.hasAdmins || this.options.adminParty) return
    const [name, password] = ['admin', crypto.randomBytes(12).toString('base64url')]
    await users.setAdmin(name, password)
    const { onFirstAdmin = admin => this.#tell(admin) } = this.options
    onFirstAdmin({ name, password })
  }

  #tell ({ name, password }) {
    // The log is kept; this is not to be.
    process.stderr.write(`No administrator was configured, so one was made. It is told only now: name ${name}, password ${password}\n`)
  }

  endFeeds () { this.#closing.abort() }

  /** Ends feeds, then closes databases and storage. */
  close () {
    this.endFeeds()
    this.closed ??= this.#close()
    return this.closed
  }

  async #close () {
    await this.ready.catch(() => {})
    this.log.line('notice', 'Closing')
    this.indexer?.stop()
    this.#memoryRelease?.stop()
    await this.scrub?.close()
    await this.replicator.close()
    await this.perUserDatabases?.close()
    await this.batches.settled()
    await this.queryServer.close()
    await this.databases?.close()
    await this.updates?.close()
    await this.storage?.close()
    this.log.line('notice', 'Closed')
    await this.log.close()
  }
}

module.exports = { Service }
