'use strict'

const { candidateOf, hasAll } = require('../mango/plan/candidates')
const { ALL_DOCS } = require('../mango/indexes/index-descriptor')
const { describeLearned, describeNote, plannedIndex } = require('./describe')
const { FindRun } = require('./find-run')
const { isFor, shapesOf, unsortedShapesOf } = require('./shape')
const { MOST_SORTED } = require('./sorted-rows')

/**
 * @typedef {import('../mango/plan/candidates').Asked} Asked
 * @typedef {import('../mango/plan/candidates').Candidate} Candidate
 * @typedef {import('./shape').Shape} Shape
 * @typedef {import('./learned-index').LearnedIndex} LearnedIndex
 */

/**
 * The learned indexes that a find reads.
 *
 * @typedef {object} Source
 * @property {Part[]} parts one for each shape
 * @property {boolean} ordered rows come in the order of the answer
 *
 * @typedef {object} Part
 * @property {import('./learned-index').LearnedIndex} learned
 * @property {import('../mango/plan/ranges').Range[]} ranges of its rows
 * @property {boolean} ordered
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
   * @param {import('../mango/plan/candidates').Asked} request
   * @param {import('../mango/plan/candidates').Candidate[]} pool what the planner has
   * @param {{ sorts: boolean, explains: boolean }} options sorts: what nothing sorts is answered; explains: nothing is read
   * @returns {import('../mango/plan/candidates').Candidate | null} null where there is nothing to learn
   */
  candidate (request, [first, second], { sorts, explains }) {
    if (second !== undefined || (first !== undefined && (first.indexes[0] !== ALL_DOCS || first.narrows))) return null
    if (first === undefined ? !sorts : !this.#learner.learns) return null
    const shapes = shapesOf(request)
    if (shapes.length === 0 || (shapes[0].tail === 'sort') !== (first === undefined)) return null
    const way = first ?? this.#sorting(shapes[0], request)
    if (way === null) return null
    const source = this.#sourceOf(shapes, request)
    if (source === null && first !== undefined && !explains && shapes.every(shape => this.#learner.skips(shape))) return null
    if (source === null && first === undefined && request.skip + request.limit > MOST_SORTED) return null
    const unsorted = first === undefined ? unsortedShapesOf(request) : []
    const run = new FindRun(this.#store, this, shapes, unsorted, request)
    const shown = source ?? this.#sourceOf(unsorted, request)
    return {
      ...way,
      indexes: shown?.parts.map(({ learned }) => learned.descriptor) ?? [ALL_DOCS],
      // None where nothing can match, else one.
      scans: way.scans.map(scan => ({ ...scan, accepts: (doc, length) => run.accepts(doc, length), read: (part, options) => run.read(part, options) })),
      adaptive: () => this.#explain(source === null && shown !== null ? unsorted : shapes)
    }
  }

  /**
   * As though there were an index of the shape, read from one end to the other.
   *
   * @param {Shape} shape
   * @param {Asked} request
   * @returns {Candidate | null}
   */
  #sorting ({ fields }, request) {
    const index = plannedIndex(fields)
    if (!hasAll(index, request.conditions, request.sort)) return null
    const candidate = candidateOf(index, request)
    if (candidate === null || candidate.scans.length < 2) return candidate
    const lows = candidate.scans.map(({ low }) => low).sort()
    const highs = candidate.scans.map(({ high }) => high).sort()
    return { ...candidate, scans: [{ ...candidate.scans[0], number: 0, low: lows[0], high: /** @type {string} */ (highs.at(-1)) }] }
  }

  /**
   * @param {Shape[]} shapes
   * @param {Asked} request
   * @returns {Source | null} null where a shape has no index that is ready, and where there is no shape
   */
  #sourceOf (shapes, request) {
    if (shapes.length === 0) return null
    const parts = []
    for (const shape of shapes) {
      const part = this.#best(shape, request)
      if (part === null) return null
      parts.push(part)
    }
    return { parts, ordered: parts.length === 1 && parts[0].ordered }
  }

  /**
   * The learned index that narrows most, of those that are ready.
   *
   * @param {Shape} shape
   * @param {Asked} request
   * @returns {Part | null}
   */
  #best (shape, request) {
    let best = null
    for (const learned of this.#learner.indexes) {
      const part = learned.usable && !learned.isPausing(this.#learner.now()) ? partOf(learned, shape, request) : null
      if (part !== null && (best === null || narrowness(part, shape) > narrowness(best, shape))) best = part
    }
    return best
  }

  /** Tells what is known of a shape; of several, of each. @param {Shape[]} shapes */
  #explain (shapes) {
    const known = shapes.map(shape => {
      const own = this.#learner.indexFor(shape)
      return own === undefined ? describeNote(this.#learner.note(shape)) : { fields: own.fields, ...describeLearned(own, this.#learner.now()) }
    })
    return known.length === 1 ? known[0] : known
  }

  /** Whether nothing is learned, so that there is nothing to begin. */
  get isEmpty () { return this.#learner.isEmpty }

  /**
   * A find begins. The few changes that are not indexed yet are waited for; where that fails there is still the scan.
   *
   * @param {import('./shape').Shape[]} shapes
   * @param {import('../mango/plan/candidates').Asked} request
   * @returns {Promise<Source | null>} what answers it, to be released; null: a scan
   */
  async begin (shapes, request) {
    for (const shape of shapes) this.#learner.ask(shape)
    const source = this.#sourceOf(shapes, request)
    if (source === null) return null
    for (const { learned } of source.parts) {
      learned.hold()
      learned.use(this.#learner.now())
    }
    if (request.updates) for (const { learned } of source.parts) await learned.refresh()
    if (source.parts.every(({ learned }) => learned.error === null)) return source
    this.release(source)
    return null
  }

  /** @param {Source} source */
  release ({ parts }) { for (const { learned } of parts) learned.release() }

  /**
   * Takes note of a find that has ended.
   *
   * @param {import('./shape').Shape[]} shapes
   * @param {{ examined: number, needed: number, returned: number }} cost
   * @param {boolean} scanned
   * @returns {boolean} whether all shapes have an index now, or will
   */
  end (shapes, cost, scanned) {
    return shapes.map(shape => this.#learner.end(shape, cost, scanned)).every(Boolean)
  }
}

/** How many of its fields have bounds, then how many it has. @param {Part} part @param {Shape} shape */
function narrowness ({ learned: { descriptor, fields } }, { conditions }) {
  return MOST_COLUMNS * descriptor.columns.filter(path => conditions.narrows(path)).length + fields.length
}

/** More than an index has. */
const MOST_COLUMNS = 1000

/**
 * @param {LearnedIndex} learned
 * @param {Shape} shape
 * @param {Asked} request
 * @returns {Part | null} where it could miss a document, or rows would come in another order
 */
function partOf (learned, shape, request) {
  const { descriptor: index, fields } = learned
  const { conditions } = shape
  if (shape.tail === 'sort') return isFor(fields, shape) ? { learned, ranges: [], ordered: true } : null
  if (!index.columns.every(path => conditions.requires(path))) return null
  const candidate = candidateOf(index, { ...request, sort: [], descending: false }, conditions)
  if (candidate === null) return null
  return { learned, ranges: candidate.scans, ordered: candidate.scans.length === 1 && index.columns.every(path => conditions.isFixed(path)) }
}

module.exports = { AdaptiveFinder }
