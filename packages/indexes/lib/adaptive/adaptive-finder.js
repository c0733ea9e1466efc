'use strict'

const { candidateOf, hasAll } = require('../mango/candidates')
const { ALL_DOCS } = require('../mango/index-descriptor')
const { describeLearned, describeNote, plannedIndex } = require('./describe')
const { FindRun } = require('./find-run')
const { isFor, shapeOf } = require('./shape')

/**
 * What a learned index would be read for.
 *
 * @typedef {object} Source
 * @property {import('./learned-index').LearnedIndex} learned
 * @property {import('../mango/index-descriptor').IndexDescriptor} index
 * @property {string[][]} columns
 * @property {Array<{ low: string, high: string }>} ranges of its rows
 * @property {boolean} ordered its rows come in the order of the answer
 */

/** How a find goes about in a database that learns, where no index of a design document serves it. */
class AdaptiveFinder {
  #store
  #learner

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./learner').Learner} learner
   */
  constructor (store, learner) {
    this.#store = store
    this.#learner = learner
  }

  /**
   * The way of a find that would look at all documents, or that nothing sorts.
   *
   * @param {import('../mango/candidates').Asked} request
   * @param {import('../mango/candidates').Candidate[]} pool what the planner has
   * @returns {import('../mango/candidates').Candidate | null} null where there is nothing to learn
   */
  candidate (request, [first, second]) {
    if (second !== undefined || (first !== undefined && (first.indexes[0] !== ALL_DOCS || first.narrows))) return null
    const shape = shapeOf(request)
    if (shape === null || (shape.tail === 'sort') !== (first === undefined)) return null
    const way = first ?? this.#sorting(shape, request)
    if (way === null) return null
    const run = new FindRun(this.#store, this, shape, request)
    return {
      ...way,
      indexes: [this.#best(shape, request)?.index ?? ALL_DOCS],
      // None where nothing can match, else one.
      scans: way.scans.map(scan => ({ ...scan, accepts: doc => run.accepts(doc), read: (part, options) => run.read(part, options) })),
      adaptive: () => this.#explain(shape)
    }
  }

  /** As though there were an index of the shape, read from one end to the other. */
  #sorting ({ fields }, request) {
    const index = plannedIndex(fields)
    if (!hasAll(index, request.conditions, request.sort)) return null
    const candidate = candidateOf(index, request)
    if (candidate === null || candidate.scans.length < 2) return candidate
    const lows = candidate.scans.map(({ low }) => low).sort()
    const highs = candidate.scans.map(({ high }) => high).sort()
    return { ...candidate, scans: [{ ...candidate.scans[0], number: 0, low: lows[0], high: /** @type {string} */ (highs.at(-1)) }] }
  }

  /** The learned index that narrows most, of those that are ready. @returns {Source | undefined} */
  #best (shape, request) {
    const sources = this.#learner.indexes.filter(({ usable }) => usable).map(learned => sourceOf(learned, shape, request))
    return sources.filter(source => source !== null).sort((a, b) => b.columns.length - a.columns.length)[0]
  }

  #explain (shape) {
    const own = this.#learner.indexFor(shape)
    return own === undefined ? describeNote(this.#learner.note(shape)) : describeLearned(own, this.#learner.now())
  }

  /**
   * A find begins. The few changes that are not indexed yet are waited for; where that fails there is still the scan.
   *
   * @param {import('./shape').Shape} shape
   * @param {import('../mango/candidates').Asked} request
   * @returns {Promise<Source | null>} what answers it, to be given back to `end`; null: a scan
   */
  async begin (shape, request) {
    this.#learner.ask(shape)
    const source = this.#best(shape, request)
    if (source === undefined) return null
    const { learned } = source
    learned.hold()
    learned.use(this.#learner.now())
    if (request.updates) await learned.refresh()
    if (learned.error === null) return source
    learned.release()
    return null
  }

  /**
   * @param {import('./shape').Shape} shape
   * @param {Source | null} source
   * @param {{ examined: number, needed: number, returned: number }} cost
   * @param {boolean} scanned
   */
  end (shape, source, cost, scanned) {
    source?.learned.release()
    this.#learner.end(shape, cost, scanned)
  }
}

/** @returns {Source | null} where it could miss a document, or rows would come in another order */
function sourceOf (learned, shape, request) {
  const { conditions } = request
  const { descriptor: index } = learned
  const { columns } = index
  if (shape.tail === 'sort') return isFor(index.fields, shape) ? { learned, index, columns, ranges: [], ordered: true } : null
  if (!columns.every(path => conditions.narrows(path) && conditions.requires(path))) return null
  const candidate = candidateOf(index, { ...request, sort: [], descending: false })
  if (candidate === null) return null
  return { learned, index, columns, ranges: candidate.scans, ordered: candidate.scans.length === 1 && columns.every(path => conditions.isFixed(path)) }
}

module.exports = { AdaptiveFinder }
