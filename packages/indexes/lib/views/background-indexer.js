'use strict'

/**
 * @typedef {import('../index/view-index').ViewIndex} ViewIndex
 */

/** Milliseconds that changes of a database are gathered for. */
const DELAY = 1000

/** Milliseconds until an index that could not be built is tried again; twice as many each time, to an hour. */
const FIRST_PAUSE = 5000
const LONGEST_PAUSE = 60 * 60 * 1000

/**
 * How much is done at a time, in CouchDB's words.
 *
 * @typedef {object} Channels
 * @property {number} batch indexes that are brought up to date at once
 * @property {number} incremental how many more of those that are behind by little
 * @property {number} short how many sequences are little
 *
 * @typedef {object} BackgroundOptions
 * @property {() => Channels} [channels] no channels: nothing is done
 * @property {(database: string) => boolean} [ignores] databases that are left alone
 * @property {(error: any, database: string, design: string) => void} [onError] once for each failure
 * @property {number} [delay] milliseconds that changes of a database are gathered for
 * @property {number} [pause] milliseconds until an index that could not be built is tried again
 *
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {{ database: DocumentStore, name: string, design: string, index: ViewIndex }} Job
 */

/**
 * Keeps the views of databases warm, as CouchDB's ken does: after a database has changed, or was opened and whoever
 * had it before left them behind, its indexes are brought up to date in the background, except for those of design
 * documents with `autoupdate: false`. A change costs no more than its database's name in a set; what is done gives
 * way to those who wait.
 *
 * @see https://docs.couchdb.org/en/stable/config/indexbuilds.html
 */
class BackgroundIndexer {
  #databases
  #designs
  #options
  /** Names of databases that have changed, or were opened. */
  #changed = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #looking = false
  /** @type {Job[]} */
  #jobs = []
  #running = { batch: 0, incremental: 0 }
  /** Indexes with a job. @type {Set<object>} */
  #taken = new Set()
  /** Indexes that could not be built: how long the last pause was. @type {WeakMap<object, number>} */
  #failed = new WeakMap()
  /** Timers that end the pauses of indexes. @type {Map<object, NodeJS.Timeout>} */
  #pauses = new Map()
  /** Ids of design documents. @type {WeakMap<DocumentStore, Set<string>>} */
  #refused = new WeakMap()
  #stopped = false
  #onUpdated = (/** @type {string} */ name, /** @type {{ name: string } | undefined} */ store) => this.#add(store?.name ?? name)
  #onOpened = (/** @type {{ name: string }} */ store) => this.#add(store.name)

  /**
   * @param {import('@potoroo/document-store').Databases} databases
   * @param {import('./design-views').DesignDocuments} designs
   * @param {BackgroundOptions} options
   */
  constructor (databases, designs, { channels = () => ({ batch: 20, incremental: 80, short: 1000 }), ignores = () => false, onError = () => {}, delay = DELAY, pause = FIRST_PAUSE } = {}) {
    this.#databases = databases
    this.#designs = designs
    this.#options = { channels, ignores, onError, delay, pause }
    databases.on('updated', this.#onUpdated)
    databases.on('opened', this.#onOpened)
  }

  /** Begins nothing more. Updates that run end with their database. */
  stop () {
    this.#stopped = true
    this.#databases.off('updated', this.#onUpdated)
    this.#databases.off('opened', this.#onOpened)
    clearTimeout(this.#timer)
    for (const timer of this.#pauses.values()) clearTimeout(timer)
    this.#pauses.clear()
    this.#changed.clear()
    this.#jobs = []
  }

  /** @param {string} name */
  #add (name) {
    this.#changed.add(name)
    if (this.#timer === undefined && !this.#looking) this.#lookLater()
  }

  #lookLater () {
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.#look(), this.#options.delay)
    this.#timer.unref()
  }

  async #look () {
    this.#timer = undefined
    this.#looking = true
    const names = [...this.#changed]
    this.#changed.clear()
    const { batch, incremental } = this.#options.channels()
    const wanted = batch + incremental === 0 ? [] : names.filter(name => this.#databases.has(name) && !this.#options.ignores(name))
    for (const name of wanted) {
      // It may be closed or deleted meanwhile; then there is nothing to do.
      await this.#gather(name).catch(error => { if (!isOver(error)) this.#options.onError(error, name, '') })
    }
    this.#looking = false
    if (this.#changed.size > 0) this.#lookLater()
    this.#next()
  }

  /** The indexes of a database that are behind. @param {string} name */
  async #gather (name) {
    const database = await this.#databases.get(name)
    const { rows } = await database.allDocs({ startkey: '_design/', endkey: '_design0' })
    for await (const page of rows) {
      for (const { id } of /** @type {Array<{ id: string }>} */ (page)) {
        const views = await this.#designs.get(database, id.slice('_design/'.length)).catch(error => this.#refuse(error, database, id))
        for (const index of views?.updatedIndexes ?? []) if (this.#isWanted(index)) this.#jobs.push({ database, name, design: id, index })
      }
    }
  }

  /**
   * Tells once of a document that cannot be read as a design document; it is no hindrance to the others.
   *
   * @param {any} error
   * @param {DocumentStore} database
   * @param {string} id
   */
  #refuse (error, database, id) {
    const refused = this.#refused.get(database) ?? new Set()
    if (isOver(error) || refused.has(id)) return
    this.#refused.set(database, refused.add(id))
    this.#options.onError(error, database.name, id)
  }

  /** @param {ViewIndex} index */
  #isWanted (index) {
    if (index.pending === 0 || this.#taken.has(index) || this.#pauses.has(index)) return false
    this.#taken.add(index)
    return true
  }

  /** Begins what there are channels for. */
  #next () {
    const { batch, incremental, short } = this.#options.channels()
    for (const job of this.#jobs.splice(0)) {
      const isShort = job.index.pending < short
      if (this.#running.batch < batch) this.#run(job, 'batch')
      else if (isShort && this.#running.incremental < incremental) this.#run(job, 'incremental')
      else this.#jobs.push(job)
    }
  }

  /** @param {Job} job @param {'batch' | 'incremental'} channel */
  async #run (job, channel) {
    const { name, index } = job
    this.#running[channel]++
    try {
      await index.update({}, { background: true })
      this.#failed.delete(index)
    } catch (error) {
      if (!isOver(error)) this.#fail(job, error)
    }
    this.#running[channel]--
    this.#taken.delete(index)
    if (this.#stopped) return
    // Writes that came meanwhile found it busy.
    if (index.pending > 0) this.#add(name)
    this.#next()
  }

  /** @param {Job} job @param {any} error */
  #fail ({ database, name, design, index }, error) {
    this.#options.onError(error, name, design)
    if (this.#stopped) return
    const last = this.#failed.get(index)
    const pause = last === undefined ? this.#options.pause : Math.min(LONGEST_PAUSE, 2 * last)
    this.#failed.set(index, pause)
    const timer = setTimeout(() => {
      this.#pauses.delete(index)
      // Once it is opened again it has other indexes.
      if (!database.closed) this.#add(name)
    }, pause)
    this.#pauses.set(index, timer.unref())
  }
}

/** The database was closed or deleted. @param {{ code?: string }} error */
function isOver ({ code }) { return code === 'CLOSED' || code === 'NO_DATABASE' || code === 'MISSING' }

module.exports = { BackgroundIndexer }
