'use strict'

const { CouchError } = require('@potoroo/errors')
const { authSettings } = require('../auth/auth-settings')
const { bodyLimits } = require('../http/body')
const { Config } = require('../config/config')
const { isPlain } = require('../databases/plain-database')
const { Cors } = require('../http/cors')
const { Log } = require('../log/log')
const { logSettings } = require('../log/log-settings')
const { SecurityHeaders } = require('../safety/security-headers')
const { VirtualHosts } = require('../dispatch/virtual-hosts')
const { RequestIds } = require('../http/request-ids')
const { openTracing } = require('../tracing/open-tracing')
const { KnownUsers } = require('./known-users')
const { GivenBackError, OwnerOnlyError, ownersAlone, withoutOwners } = require('./owner-only-error')
const { ThreadDatabases } = require('./thread-databases')
const { ThreadMango } = require('./thread-mango')
const { ThreadSearches } = require('./thread-searches')
const { ThreadViews } = require('./thread-views')

/** @typedef {import('../service/request-service').RequestService} RequestService */

/** The members of Service that only the owner has. */
const OWNERS = /** @type {const} */ ([
  'adaptive', 'batches', 'endFeeds', 'folder', 'handle', 'indexer', 'listening', 'live', 'onWrongPassword', 'perUserDatabases', 'prepareConfig',
  'replicatorDatabases', 'scrub', 'startedAt', 'statistics', 'storage', 'updates', 'uuids'
])

/**
 * Holds what the requests that a thread answers itself share: the part of Service that reading takes.
 * A handler that asks it for any other member of Service gets an OwnerOnlyError, and its request goes to the owner.
 *
 * It knows nothing that could be stale: databases, users and security objects are looked up in the
 * pool, and the configuration is of the version that the owner has put into shared memory.
 *
 * @implements {RequestService}
 */
class ThreadService extends withoutOwners(OWNERS) {
  options = Object.freeze({})
  /** Threads share a pool, and a pool has one server. */
  cluster = null
  // Writes that are not just prepared here would need these.
  queryServer = ownersAlone('queryServer')
  replicator = ownersAlone('replicator')
  searches = new ThreadSearches(this)
  /** Feeds are the owner's. */
  closing = new AbortController().signal
  #ids = new RequestIds()
  #limits
  #shared
  #version

  /**
   * @param {object} given
   * @param {any} given.level
   * @param {Record<string, Record<string, string>>} given.sections of the configuration
   * @param {number} given.version of it
   * @param {Int32Array} given.shared its version now
   * @param {import('../stats/statistics').Statistics} given.counts what this thread counts
   * @param {(text: string) => void} given.write to the owner's log
   * @param {boolean} given.isTraced
   * @param {import('@potoroo/document-store').CommitPrepared} [given.commit] has the owner commit a write
   */
  constructor ({ level, sections, version, shared, counts, write, isTraced, commit }) {
    super()
    this.counts = counts
    this.#shared = shared
    this.#version = version
    // As the owner last told it: all that it has goes over the defaults.
    this.config = new Config(null, sections)
    this.cors = new Cors(this.config)
    this.vhosts = new VirtualHosts(this.config)
    this.securityHeaders = new SecurityHeaders(this.config)
    this.#limits = this.config.section(bodyLimits)
    this.authSettings = authSettings(this.config)
    this.log = new Log({ ...logSettings(this.config, undefined), write, counts })
    this.tracing = isTraced ? openTracing(this.log) : null
    this.views = new ThreadViews(this)
    this.mango = new ThreadMango(this)
    this.config.on('change', section => { if (section === 'log') this.log.configure(logSettings(this.config, undefined)) })
    this.authenticator = this.users = new KnownUsers(this.authSettings, () => this.#moment())
    this.databases = new ThreadDatabases(level, name => isPlain(name, this.users), commit)
  }

  /** They are asked for once a body was read. @returns {never} */
  get moments () { throw new GivenBackError('moments') }

  /** Whether the configuration is still what the owner has. */
  get current () { return Atomics.load(this.#shared, 0) === this.#version }

  get jsonLimit () { return this.#limits.now.json }

  get requestLimit () { return this.#limits.now.request }

  /** Whether it is up to date, and the user of a request known. @param {any} req */
  knows (req) {
    try {
      return this.current && this.authenticator.known(req) !== undefined
    } catch (error) {
      if (error instanceof OwnerOnlyError || error instanceof CouchError) return false
      throw error
    }
  }

  /**
   * Returns a function that hears from the owner who sends a request.
   *
   * @param {any} req
   * @returns {((user: any) => void) | null} null where that is known
   */
  learnerOf (req) {
    if (this.knows(req)) return null
    try {
      return this.authenticator.learner(req)
    } catch (error) {
      if (error instanceof OwnerOnlyError || error instanceof CouchError) return null
      throw error
    }
  }

  nextRequestId () { return this.#ids.next() }

  /** @param {{ sections: Record<string, Record<string, string>>, version: number }} configuration the owner's */
  configure ({ sections, version }) {
    this.config.override(sections)
    this.#version = version
  }

  /** @returns {string} */
  #moment () {
    const { instanceId, stateText } = this.databases.reader(this.users.database)
    // A password that was wrong may have locked somebody out.
    return `${this.#version} ${Atomics.load(this.#shared, 1)} ${instanceId} ${stateText}`
  }

  async close () {
    await this.databases.close()
    await this.tracing?.close()
    this.log.close()
  }
}

module.exports = { OWNERS, ThreadService }
