'use strict'

const { stringifyInTurns, toJson } = require('@potoroo/document-store')
const { writeBookmark } = require('../request/bookmark')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { isAsked, nameOf } = require('../plan/planner')
const { valuesOf } = require('../plan/ranges')
const { project } = require('../request/projection')

/**
 * @typedef {import('./finder').Found} Found
 *
 * @typedef {object} AnswerOptions
 * @property {import('../request/bookmark').Bookmark | null} bookmark where to go on
 * @property {number} warnAbove documents looked at for each that is given
 * @property {() => Promise<void>} [close]
 */

/** UTF-16 units of a document that is shown in turns. */
const LARGE = 256 * 1024

/** The answer to a find: its documents as they are found, and then what there is to say of them. */
class FindAnswer {
  #request
  #candidate
  #finder
  #bookmark
  #warnAbove
  #started = performance.now()

  /**
   * @param {import('../request/find-request').FindRequest} request
   * @param {import('../plan/candidates').Candidate} candidate
   * @param {import('./finder').Finder} finder
   * @param {AnswerOptions} options
   */
  constructor (request, candidate, finder, { bookmark, warnAbove, close = async () => {} }) {
    this.#request = request
    this.#candidate = candidate
    this.#finder = finder
    this.#warnAbove = warnAbove
    this.#bookmark = bookmark
    /** Lets go of the moment that it is of, where it has one: to be called once nothing more is read. */
    this.close = close
  }

  /** Nothing is read before they are asked for, once. */
  get #pages () { return this.#finder.find(this.#bookmark) }

  /**
   * The documents as JSON, page by page; a page may be empty, to be asked whether to go on.
   * @returns {string[][] | AsyncGenerator<string[]>} a list where all were read at once
   */
  texts () {
    const pages = this.#pages
    const few = Array.isArray(pages) && this.#request.fields === undefined ? pages[0] : undefined
    return Array.isArray(few) ? [textsOf(few)] : this.#textsOf(pages)
  }

  /** @param {Iterable<Found[] | Promise<Found[]>> | AsyncIterable<Found[]>} pages @returns {AsyncGenerator<string[]>} */
  async * #textsOf (pages) {
    const { fields } = this.#request
    // Rows say all of a document only where fields are asked for.
    for await (const page of pages) yield fields === undefined ? textsOf(page) : await projected(page, fields)
  }

  /**
   * The same, each with its row, for the answers of several databases to be merged: `{ at: [scan, key, id], order, doc }`.
   *
   * @returns {AsyncGenerator<string[]>}
   */
  async * placedTexts () {
    const { fields } = this.#request
    const { merges, ranking, scans } = this.#candidate
    const orderOf = (/** @type {number} */ scan, /** @type {any} */ key) => ranking !== undefined ? ranking.valuesOf(key) : merges ? valuesOf(scans[scan].order, key) : []
    for await (const page of this.#pages) {
      const texts = fields === undefined ? textsOf(page) : await projected(page, fields)
      yield page.map(({ at: { scan, key, id } }, i) => `{"at":${JSON.stringify([scan, key, id])},"order":${JSON.stringify(orderOf(scan, key))},"doc":${texts[i]}}`)
    }
  }

  /** The plan by which they are found: the same one in several databases gives rows of one order. */
  get plan () {
    const { print, merges, ranking, scans } = this.#candidate
    return { print, merges: merges === true, descending: ranking?.descending, isNothing: scans.length === 0, warnings: this.#standingWarnings() }
  }

  /** The documents with their revisions, page by page, where no fields are asked for. @returns {AsyncGenerator<import('../../live/live-table').LiveRow[]>} */
  async * rows () {
    for await (const page of this.#pages) {
      yield page.map(({ doc, document }) => {
        const { id, rev } = /** @type {import('@potoroo/document-store').Document} */ (document)
        return { seq: 0, id, rev, document: /** @type {import('@potoroo/document-store').Document} */ (document), doc }
      })
    }
  }

  /** All of them as they are found, page by page, in the place of `texts`; a page may be empty. */
  found () { return this.#pages }

  /** Whether they come in the order of their ids. */
  get isById () {
    const { merges, scans } = this.#candidate
    return !merges && scans.every(({ index, low }, i) => index === ALL_DOCS && (i === 0 || scans[i - 1].high <= low))
  }

  /** Whether those that are the same in the sort come in the order of their ids, or against it where the sort is descending. */
  get isByIdThen () {
    const { merges, scans } = this.#candidate
    return !merges && scans.every(({ index, order }) => index !== ALL_DOCS && index.columns.length === order.head + order.tail.length)
  }

  /** All of them, as objects. */
  async all () {
    const { fields } = this.#request
    const docs = []
    for await (const page of this.#pages) for (const { doc } of page) docs.push(fields === undefined ? doc : project(doc, fields))
    return docs
  }

  /** Counts what was looked at so far, and says what there is to warn of. @returns {import('../../..').FindAnswer['figures']} */
  get figures () {
    const { keys, documents, returned } = this.#finder
    const warnings = { unindexed: this.#isUnindexed, invalidIndex: this.#isOtherIndex, tooMany: highProportion({ documents, returned }, this.#warnAbove).length > 0 }
    return { keys, documents, returned, milliseconds: performance.now() - this.#started, warnings }
  }

  /**
   * Once there are no more; asked once. CouchDB says no more if nothing can match.
   * @returns {{ bookmark?: string, execution_stats?: any, warning?: string }}
   */
  summary () {
    if (this.#candidate.scans.length === 0) return {}
    const { last, keys, documents, returned } = this.#finder
    const { stats, bookmark, options } = this.#request
    const milliseconds = performance.now() - this.#started
    const warnings = this.#warnings(documents, returned)
    return {
      bookmark: last === null ? bookmark ?? 'nil' : writeBookmark({ print: this.#candidate.print, ...last }),
      ...(stats && {
        execution_stats: {
          total_keys_examined: keys,
          total_docs_examined: options.r > 1 ? 0 : documents,
          total_quorum_docs_examined: options.r > 1 ? documents : 0,
          results_returned: returned,
          execution_time_ms: Math.round(milliseconds * 1000) / 1000
        }
      }),
      ...(warnings.length > 0 && { warning: warnings.join('\n') })
    }
  }

  /** @param {number} documents @param {number} returned */
  #warnings (documents, returned) {
    return this.#standingWarnings().concat(highProportion({ documents, returned }, this.#warnAbove))
  }

  /** Whether only other indexes are used than the one that was asked for: ranks of two may be mixed. */
  get #isOtherIndex () {
    const [design, view] = this.#request.useIndex
    return design !== undefined && !this.#candidate.indexes.some(index => isAsked(index, [design, view]))
  }

  /** Clients see no learned index, and the same warning before there is one and after. */
  get #isUnindexed () { return this.#candidate.indexes.includes(ALL_DOCS) || this.#candidate.adaptive !== undefined }

  /** The warnings that are known before documents are looked at. @returns {string[]} */
  #standingWarnings () {
    const [design, view] = this.#request.useIndex
    const warnings = []
    if (this.#isOtherIndex) {
      warnings.push(`${nameOf(design, view)} was not used because it ${view === undefined ? 'does not contain' : 'is not'} a valid index for this query.`)
    }
    if (this.#isUnindexed) warnings.push('No matching index found, create an index to optimize query time.')
    return warnings
  }
}

/**
 * @param {{ documents: number, returned: number }} figures
 * @param {number} above documents looked at for each that is given; 0: no warning
 * @returns {string[]}
 */
function highProportion ({ documents, returned }, above) {
  if (above <= 0 || (returned === 0 ? documents : documents / returned) <= above) return []
  return ['The number of documents examined is high in proportion to the number of results returned. Consider adding a more specific index to improve this.']
}

/** @param {Found[]} page @returns {string[]} */
function textsOf (page) { return page.map(({ document }) => toJson(/** @type {import('@potoroo/document-store').Document} */ (document))) }

/** @param {Found[]} page @param {string[][]} fields @returns {Promise<string[]>} */
async function projected (page, fields) {
  const texts = []
  for (const { doc, document } of page) {
    const shown = project(doc, fields)
    texts.push(document !== null && document.body.length > LARGE ? await stringifyInTurns(shown) : JSON.stringify(shown))
  }
  return texts
}

module.exports = { FindAnswer, highProportion }
