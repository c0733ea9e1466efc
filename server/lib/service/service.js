'use strict'

const crypto = require('node:crypto')
const { Mango, Searches, Views } = require('@potoroo/indexes')
const { compressionLevel } = require('./attachment-compression')
const { readBanner } = require('./banner')
const { Foundation } = require('./foundation')
const { MemoryRelease } = require('./memory-release')
const { Scrub } = require('./scrub')
const { keepIndexed } = require('../indexes/background-indexing')
const { mangoSettings } = require('../indexes/mango-settings')
const { Moments } = require('../indexes/moments')
const { reduceLimits } = require('../indexes/reduce-limits')
const { UnindexedLog } = require('../indexes/unindexed-log')
const { warnOfDatabases, warnOfFolder, warnOfLayout, warnOfSandbox, warnOfSettings } = require('../start/warnings')
const { removeDrafts } = require('../storage/drafts')
const { removeEmpty } = require('../storage/make-folder')
const { describeInWords, openStorage } = require('../storage/open-storage')
const { Authenticator } = require('../auth/authenticator')
const { KeyDerivation } = require('../users/key-derivation')
const { Users } = require('../users/users')
const { LiveFinds } = require('../live/live-finds')
const { Cluster } = require('../cluster/cluster')
const { DatabaseUpdates } = require('../databases/database-updates')
const { PerUserDatabases } = require('../databases/per-user-databases')
const { ServerDatabases } = require('../databases/server-databases')
const { createReplicator } = require('../replication/create-replicator')
const { ReplicatorDatabases } = require('../replication/replicator-databases')
const { countWrites } = require('../stats/measures')
const { numberOf } = require('../stats/metrics')

/** @typedef {import('./request-service').RequestService} RequestService */

const PASSWORDS = numberOf('couchdb.password_hashing_slow')

/**
 * Holds what all requests share: configuration, log, databases, users. `Service.open` makes one.
 *
 * @implements {RequestService}
 */
class Service {
  #foundation
  /** Only where the addon of pools is. @type {MemoryRelease | undefined} */
  #memoryRelease
  /** Told of each password that was wrong. @type {(key: string) => void} */
  onWrongPassword = () => {}
  /** Addresses at which it can be reached, as far as they are known. @type {() => import('node:net').AddressInfo[]} */
  listening = () => []

  /**
   * @param {Foundation} foundation
   * @param {{ storage: import('../storage/open-storage').OpenStorage, databases: ServerDatabases, updates: DatabaseUpdates, cluster: Cluster | null }} opened
   *   updates: with a cluster, those of the server that has the catalogue
   */
  constructor (foundation, { storage, databases, updates, cluster }) {
    this.#foundation = foundation
    this.options = foundation.options
    this.folder = foundation.folder
    this.config = foundation.config
    this.log = foundation.log
    this.tracing = foundation.tracing
    this.authSettings = foundation.authSettings
    this.cors = foundation.cors
    this.vhosts = foundation.vhosts
    this.uuids = foundation.uuids
    this.counts = foundation.counts
    this.statistics = foundation.statistics
    this.securityHeaders = foundation.securityHeaders
    this.startedAt = foundation.startedAt
    this.queryServer = foundation.queryServer
    this.batches = foundation.batches
    this.adaptive = foundation.adaptive
    this.storage = storage
    this.databases = databases
    this.updates = updates
    /** The servers that share the storage; null: it is this one's alone. */
    this.cluster = cluster
    countWrites(this.counts, databases.users)
    this.#learnIndexes()
    const unindexed = new UnindexedLog(this.log)
    databases.users.on('opened', store => unindexed.follow(store))
    this.views = createViews(foundation)
    this.searches = new Searches(foundation)
    this.indexer = keepIndexed(this)
    this.mango = createMango(foundation)
    this.moments = new Moments(this.config)
    const derivation = new KeyDerivation({ onBegin: () => this.counts.count(PASSWORDS) })
    this.users = new Users(this.config, this.authSettings, databases, derivation, (level, text) => this.log.quote(level, text), this.counts)
    this.live = new LiveFinds(this.config, this.mango, this.users)
    this.authenticator = new Authenticator(this.users, this.config, this.authSettings, derivation, {
      log: this.log, adminParty: this.options.adminParty, onWrongPassword: key => this.onWrongPassword(key), closing: this.closing
    })
    this.replicatorDatabases = new ReplicatorDatabases(this)
    this.replicator = createReplicator(this)
    this.perUserDatabases = new PerUserDatabases(this)
    this.scrub = new Scrub(this)
  }

  /** Answers any request, as those of clients are. */
  get handle () { return this.#foundation.handle }

  /**
   * Opens the storage, and all that stands on it.
   *
   * @param {import('../..').PotorooOptions} [options]
   * @returns {Promise<Service>}
   * @throws what is wrong with configuration, data folder or storage; nothing is left open then
   */
  static async open (options) {
    const foundation = new Foundation(options)
    try {
      return await Service.on(foundation)
    } catch (error) {
      await foundation.close()
      throw error
    }
  }

  /**
   * The same on a foundation that is there.
   *
   * @param {Foundation} foundation is still there where this fails, for its owner to close
   * @returns {Promise<Service>}
   */
  static async on (foundation) {
    const { config, folder, log, made, options } = foundation
    /** Closes what was opened, where the rest cannot be. @type {Array<() => unknown>} */
    const undo = [() => removeEmpty(made)]
    try {
      warnOfSettings(foundation)
      warnOfSandbox(foundation)
      if (folder !== undefined) await warnOfLayout(foundation, folder)
      const storage = await openStorage({ ...options, folder, writer: true, keyFile: config.get('storage', 'key_file') })
      undo[0] = () => storage.close()
      if (folder !== undefined) {
        warnOfFolder(foundation, folder, storage)
        removeDrafts(folder)
      }
      await warnOfDatabases(log, storage)
      log.line('notice', `Potoroo ${readBanner().version}, ${describeInWords(storage.describe()).map(line => line.trim()).join('; ')}`)
      const cluster = storage.level.leases === undefined ? null : new Cluster(foundation, storage.level)
      const databases = await openDatabases(foundation, storage.level, cluster)
      undo.push(() => databases.close())
      const updates = cluster !== null ? NO_UPDATES : new DatabaseUpdates(storage.level, databases.users, config, error => log.line('error', `Updates of databases could not be saved: ${error.stack}`))
      // Events of databases that close are saved, too.
      undo.splice(1, 0, () => updates.close())
      await updates.open()
      const service = new Service(foundation, { storage, databases, updates, cluster })
      undo.push(() => cluster?.close(), () => service.#stop())
      await service.#begin()
      return service
    } catch (error) {
      for (const step of undo.reverse()) await step()
      throw error
    }
  }

  /** Fires when the service closes: feeds end. @returns {AbortSignal} */
  get closing () { return this.#foundation.closing }

  /** Bytes of JSON that a request may bring. */
  get jsonLimit () { return this.#foundation.jsonLimit }

  /** Bytes that a request may bring. */
  get requestLimit () { return this.#foundation.requestLimit }

  nextRequestId () { return this.#foundation.nextRequestId() }

  async #begin () {
    if (this.cluster === null) await this.prepareConfig()
    else await this.cluster.open(this)
    await this.users.open()
    this.replicatorDatabases.open()
    this.perUserDatabases.open()
    this.scrub.schedule()
    if (this.storage.isPool) this.#memoryRelease = new MemoryRelease()
  }

  /** Follows databases as they open, and all open ones again when the settings change. */
  #learnIndexes () {
    const { config, databases } = this
    databases.users.on('opened', store => this.#follow(store))
    config.on('change', async section => { if (section === 'mango') for (const store of await databases.opened()) this.#follow(store) })
  }

  /** Keeps learned indexes up to date, before anybody asks. @param {import('@potoroo/document-store').DocumentStore} store */
  async #follow (store) {
    try {
      await this.adaptive.follow(store)
    } catch (error) {
      if (!store.closed) this.log.line('error', `Adaptive indexes of ${store.name}: ${error.stack}`)
    }
  }

  /** Makes what the configuration has to have. */
  async prepareConfig () {
    const { config, users } = this
    if (config.get('couchdb', 'uuid') === '') config.set('couchdb', 'uuid', crypto.randomBytes(16).toString('hex'))
    if (config.get('chttpd_auth', 'secret') === '') config.set('chttpd_auth', 'secret', crypto.randomBytes(16).toString('hex'))
    for (const [name, password] of Object.entries(this.options.admins ?? {})) await users.ensureAdmin(name, password)
    await users.hashPlainAdmins()
    if (users.hasAdmins || this.options.adminParty) return
    const [name, password] = ['admin', crypto.randomBytes(12).toString('base64url')]
    await users.setAdmin(name, password)
    const { onFirstAdmin = tell } = this.options
    onFirstAdmin({ name, password })
  }

  endFeeds () { this.#foundation.endFeeds() }

  /** Ends feeds, then closes databases and storage. */
  close () { return this.#foundation.close({ stop: () => this.#stop(), close: () => this.#closeStorage() }) }

  async #stop () {
    this.indexer.stop()
    this.#memoryRelease?.stop()
    await this.scrub.close()
    await this.replicator.close()
    await this.perUserDatabases.close()
  }

  async #closeStorage () {
    await this.cluster?.close()
    await this.databases.close()
    if (this.cluster === null) await this.updates.close()
    await this.storage.close()
  }
}

/** Another server's, until this one has the catalogue. */
const NO_UPDATES = /** @type {DatabaseUpdates} */ (/** @type {unknown} */ ({ open: async () => {}, close: async () => {} }))

/** @param {Foundation} foundation @param {any} level @param {Cluster | null} cluster */
function openDatabases ({ config, options }, level, cluster) {
  if (options.databases !== undefined) return ServerDatabases.over(options.databases, config)
  return ServerDatabases.open(level, config, { compressionLevel: compressionLevel(config), ...(cluster && { sharing: cluster.sharing }) })
}

/** @param {Foundation} foundation */
function createViews ({ config, log, queryServer }) {
  return new Views({
    queryServer,
    reduceLimits: () => reduceLimits(config),
    log: message => log.quote('info', `reduce_overflow_error: ${message}`)
  })
}

/** @param {Foundation} foundation */
function createMango ({ adaptive, config }) {
  return new Mango({ adaptive, ...mangoSettings(config) })
}

/** @param {{ name: string, password: string }} admin */
function tell ({ name, password }) {
  // The log is kept; this is not to be.
  process.stderr.write(`No administrator was configured, so one was made. It is told only now: name ${name}, password ${password}\n`)
}

module.exports = { Service }
