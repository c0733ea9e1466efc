'use strict'

const { listIndex } = require('../mango/indexes/index-descriptor')
const { AdaptiveFinder } = require('./adaptive-finder')
const { Background } = require('./background')
const { describeNote } = require('./describe')
const { Learner } = require('./learner')
const { DEFAULTS } = require('./adaptive-settings')

/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */
/** @typedef {ReturnType<typeof import('../mango/plan/planner').judgeIndexes>} Judged */

/** Indexes of one process that are built or brought up to date at once. */
const AT_ONCE = 2

/** A database's own word on whether it learns, where it has one: true or false. */
const FLAG = 'adaptive_indexes'

/**
 * Indexes that databases learn from what they are asked to find: what has no usable index, and is asked
 * again, gets one of its own, built in the background.
 */
class AdaptiveIndexes {
  #isDefault
  #options
  /** store → what is known of it, or the promise of it @type {WeakMap<object, Known | Promise<Known>>} */
  #known = new WeakMap()

  /**
   * @param {object} [options]
   * @param {() => boolean} [options.isDefault] whether databases learn that do not say so themselves
   * @param {Partial<import('./adaptive-settings').Settings>} [options.settings] those that are there are read at each use
   * @param {() => number} [options.now] the time in milliseconds
   * @param {(error: Error) => void} [options.onError] hears of what failed where nobody waits for it
   */
  constructor ({ isDefault = () => true, settings = {}, now = Date.now, onError = () => {} } = {}) {
    this.#isDefault = isDefault
    this.#options = { settings: Object.create(DEFAULTS, Object.getOwnPropertyDescriptors(settings)), background: new Background(AT_ONCE), now, onError }
  }

  /**
   * Returns what the planner has for a find, with what was learned. Only a database that says itself that it learns answers
   * what nothing sorts: the others refuse it, as CouchDB does.
   *
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('../mango/plan/candidates').Asked} request
   * @param {Judged} judged
   * @param {boolean} [explains] nothing will be read
   * @returns {Judged | Promise<Judged>} a promise where the database was not asked before
   */
  offer (store, request, judged, explains = false) {
    const known = this.#of(store)
    return known instanceof Promise ? known.then(opened => this.#offer(opened, request, judged, explains)) : this.#offer(known, request, judged, explains)
  }

  /** @param {Known} known @param {import('../mango/plan/candidates').Asked} request @param {Judged} judged @param {boolean} explains @returns {Judged} */
  #offer (known, request, judged, explains) {
    const candidate = this.#learns(known) && !judged.asked ? known.finder.candidate(request, judged.pool, { sorts: known.own === true, explains }) : null
    return candidate === null ? judged : { ...judged, pool: [candidate], ways: [candidate, ...judged.ways] }
  }

  /**
   * As `GET /{db}/_index` lists them.
   *
   * @param {DocumentStore} store
   * @returns {Promise<import('../mango/indexes/index-descriptor').IndexDescriptor[]>}
   */
  async indexes (store) {
    const known = await this.#of(store)
    return this.#learns(known) ? known.learner.indexes.map(({ descriptor }) => descriptor) : []
  }

  /**
   * Whether a database learns, what it has learned, and of what shapes without an index it has been asked.
   *
   * @param {DocumentStore} store
   * @returns {Promise<{ enabled: boolean, own: boolean | null, indexes: any[], shapes: any[] }>} own: the
   *   database's own word; indexes: as they are listed
   */
  async describe (store) {
    const known = await this.#of(store)
    const enabled = this.#learns(known)
    const indexes = await this.indexes(store)
    return { enabled, own: known.own, indexes: indexes.map(listIndex), shapes: enabled ? known.learner.notes.map(describeNote) : [] }
  }

  /** Follows a database's changes from now on: else it does from its first find. @param {DocumentStore} store */
  async follow (store) {
    const known = await this.#of(store)
    if (!this.#learns(known) && known.learner.indexes.length > 0) await known.learner.forget()
  }

  /**
   * Lets a database learn, or not: then what it has learned is dropped.
   *
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {boolean | null} own null: as the others do
   */
  async enable (store, own) {
    const known = await this.#of(store)
    await store.setMeta(FLAG, own ?? undefined)
    known.own = own
    if (!this.#learns(known)) await known.learner.forget()
  }

  /**
   * Drops what nobody has asked for in a long time; it is done by itself once a minute.
   *
   * @param {DocumentStore} store
   */
  async review (store) { await (await this.#of(store)).learner.review() }

  /** Resolves when the work in the background has ended. @param {DocumentStore} store */
  async settled (store) { await (await this.#of(store)).learner.settled() }

  /** @param {Pick<Known, 'own'>} known */
  #learns ({ own }) { return own ?? this.#isDefault() }

  /** @param {DocumentStore} store @returns {Known | Promise<Known>} */
  #of (store) {
    const known = this.#known.get(store)
    if (known !== undefined) return known
    const opening = this.#open(store)
    this.#known.set(store, opening)
    opening.then(opened => this.#known.set(store, opened), () => this.#known.delete(store))
    return opening
  }

  /**
   * @typedef {{ own: boolean | null, learner: Learner, finder: AdaptiveFinder }} Known
   * @param {DocumentStore} store
   * @returns {Promise<Known>}
   */
  async #open (store) {
    const own = await store.getMeta(FLAG) ?? null
    const learner = await Learner.open(store, this.#options)
    return { own, learner, finder: new AdaptiveFinder(store, learner) }
  }
}

module.exports = { AdaptiveIndexes }
