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
 *
 * @typedef {{ database: string, design: string, index: ViewIndex }} Job
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
  /** index → when it may be tried again, and how long the pause was. @type {WeakMap<object, { until: number, pause: number }>} */
  #failed = new WeakMap()
  /** Databases and design documents. */
  #refused = new Set()
  #stopped = false
  #onUpdated = (/** @type {string} */ name, /** @type {{ name: string } | undefined} */ store) => this.#add(store?.name ?? name)
  #onOpened = (/** @type {{ name: string }} */ store) => this.#add(store.name)

  /**
   * @param {import('@potoroo/document-store').Databases} databases
   * @param {import('./design-views').DesignDocuments} designs
   * @param {BackgroundOptions} options
   */
  constructor (databases, designs, { channels = () => ({ batch: 20, incremental: 80, short: 1000 }), ignores = () => false, onError = () => {}, delay = DELAY } = {}) {
    this.#databases = databases
    this.#designs = designs
    this.#options = { channels, ignores, onError, delay }
    databases.on('updated', this.#onUpdated)
    databases.on('opened', this.#onOpened)
  }

  /** Begins nothing more. Updates that run end with their database. */
  stop () {
    this.#stopped = true
    this.#databases.off('updated', this.#onUpdated)
    this.#databases.off('opened', this.#onOpened)
    clearTimeout(this.#timer)
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
        const views = await this.#designs.get(database, id.slice('_design/'.length)).catch(error => this.#refuse(error, name, id))
        for (const index of views?.updatedIndexes ?? []) if (this.#isWanted(index)) this.#jobs.push({ database: name, design: id, index })
      }
    }
  }

  /**
   * Tells once of a document that cannot be read as a design document; it is no hindrance to the others.
   *
   * @param {any} error
   * @param {string} name
   * @param {string} id
   */
  #refuse (error, name, id) {
    const document = `${name} ${id}`
    if (isOver(error) || this.#refused.has(document)) return
    this.#refused.add(document)
    this.#options.onError(error, name, id)
  }

  /** @param {ViewIndex} index */
  #isWanted (index) {
    if (index.pending === 0 || this.#taken.has(index)) return false
    const failure = this.#failed.get(index)
    if (failure !== undefined && failure.until > performance.now()) return false
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
  async #run ({ database, design, index }, channel) {
    this.#running[channel]++
    try {
      await index.update({}, { background: true })
      this.#failed.delete(index)
    } catch (error) {
      if (!isOver(error)) this.#fail(index, error, database, design)
    }
    this.#running[channel]--
    this.#taken.delete(index)
    if (this.#stopped) return
    // Writes that came meanwhile found it busy.
    if (index.pending > 0) this.#add(database)
    this.#next()
  }

  /** @param {ViewIndex} index @param {any} error @param {string} database @param {string} design */
  #fail (index, error, database, design) {
    const pause = Math.min(LONGEST_PAUSE, 2 * (this.#failed.get(index)?.pause ?? FIRST_PAUSE / 2))
    this.#failed.set(index, { until: performance.now() + pause, pause })
    this.#options.onError(error, database, design)
  }
}

/** The database was closed or deleted. @param {{ code?: string }} error */
function isOver ({ code }) { return code === 'CLOSED' || code === 'NO_DATABASE' || code === 'MISSING' }

module.exports = { BackgroundIndexer }
