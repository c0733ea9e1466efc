'use strict'

const { setMaxListeners } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { AdaptiveIndexes } = require('@potoroo/indexes')
const { adaptiveSettings } = require('../indexes/adaptive-settings')
const { authSettings } = require('../auth/auth-settings')
const { Batches } = require('../documents/batches')
const { bodyLimits } = require('../http/body')
const { Config } = require('../config/config')
const { Cors } = require('../http/cors')
const { refuseOther } = require('../storage/data-folder')
const { Log } = require('../log/log')
const { logSettings } = require('../log/log-settings')
const { makeFolder } = require('../storage/make-folder')
const { openQueryServer } = require('../indexes/query-server')
const { RequestIds } = require('../http/request-ids')
const { SecurityHeaders } = require('../safety/security-headers')
const { Statistics } = require('../stats/statistics')
const { Uuids } = require('./uuids')
const { openTracing } = require('../tracing/open-tracing')
const { VirtualHosts } = require('../dispatch/virtual-hosts')

/**
 * Holds the parts of a Service that need no storage: configuration, log, and what follows from them. They are there
 * before the storage is open, and after it could not be opened, so that requests are answered then, too.
 */
class Foundation {
  #closing = new AbortController()
  #limits
  #requestIds = new RequestIds()
  /** @type {Promise<void> | undefined} */
  #closed

  /**
   * @param {import('../..').PotorooOptions} [options]
   * @throws what is wrong with the configuration or the data folder
   */
  constructor (options = {}) {
    this.options = options
    /** Answers a request. Set by who has the dispatcher. @type {(req: any, res: any) => unknown} */
    this.handle = (req, res) => res.destroy()
    // Every live feed listens.
    setMaxListeners(0, this.#closing.signal)
    this.folder = folderOf(options)
    if (this.folder !== undefined && fs.existsSync(this.folder)) refuseOther(this.folder)
    /** Folders that were made for it. */
    this.made = this.folder === undefined ? [] : makeFolder(this.folder)
    this.config = new Config(this.folder === undefined ? null : path.join(this.folder, 'potoroo.ini'), options.config)
    /** Counters of this thread, and of all of them. */
    this.counts = new Statistics()
    this.statistics = [this.counts]
    this.log = new Log({ ...logSettings(this.config, this.folder), write: options.log, counts: this.counts })
    this.config.on('change', section => { if (section === 'log') this.log.configure(logSettings(this.config, this.folder)) })
    /** Null: no traces are wanted. @type {import('../tracing/tracing').Tracing | null} */
    this.tracing = options.tracing ? openTracing(this.log) : null
    this.authSettings = authSettings(this.config)
    this.cors = new Cors(this.config)
    this.vhosts = new VirtualHosts(this.config)
    this.uuids = new Uuids(this.config)
    this.securityHeaders = new SecurityHeaders(this.config)
    this.#limits = this.config.section(bodyLimits)
    this.startedAt = Date.now()
    this.queryServer = openQueryServer(this.config, this.log, this.counts)
    this.batches = new Batches(this.log)
    this.adaptive = new AdaptiveIndexes({
      isDefault: () => this.config.boolean('mango', 'adaptive_indexes'),
      settings: adaptiveSettings(this.config),
      /** @param {any} error */
      onError: error => this.log.line('error', `Adaptive indexes: ${error.stack}`)
    })
  }

  /** Fires when the service closes: feeds end. @returns {AbortSignal} */
  get closing () { return this.#closing.signal }

  /** Bytes of JSON that a request may bring. */
  get jsonLimit () { return this.#limits.now.json }

  /** Bytes that a request may bring. */
  get requestLimit () { return this.#limits.now.request }

  nextRequestId () { return this.#requestIds.next() }

  endFeeds () { this.#closing.abort() }

  /**
   * Ends feeds, and closes all, once.
   *
   * @param {{ stop: () => Promise<void>, close: () => Promise<void> }} [rest] what stands on it: `stop` ends what it does
   *   by itself, `close` closes databases and storage, which writes under way are done in
   * @returns {Promise<void>}
   */
  close (rest = NOTHING) {
    this.endFeeds()
    this.#closed ??= this.#close(rest)
    return this.#closed
  }

  /** @param {{ stop: () => Promise<void>, close: () => Promise<void> }} rest */
  async #close ({ stop, close }) {
    this.log.line('notice', 'Closing')
    await stop()
    await this.batches.settled()
    await this.queryServer.close()
    await close()
    await this.tracing?.close()
    this.log.line('notice', 'Closed')
    await this.log.close()
  }
}

const NOTHING = { stop: async () => {}, close: async () => {} }

/**
 * @param {import('../..').PotorooOptions} options
 * @returns {string | undefined} undefined where configuration and databases are in memory, or given
 */
function folderOf ({ path: folder, databases, level, storage }) {
  if (folder === undefined && (level !== undefined || databases !== undefined || storage === 'memory')) return undefined
  return path.resolve(folder ?? 'potoroo-data')
}

module.exports = { Foundation }
