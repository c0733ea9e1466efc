'use strict'

const { stringifyInTurns, toJson } = require('@potoroo/document-store')
const { writeBookmark } = require('./bookmark')
const { ALL_DOCS } = require('./index-descriptor')
const { isAsked, nameOf } = require('./planner')
const { project } = require('./projection')

/** UTF-16 units of a document that is shown in turns. */
const LARGE = 256 * 1024

/** The answer to a find: its documents as they are found, and then what there is to say of them. */
class FindAnswer {
  #request
  #candidate
  #finder
  #pages
  #warnAbove
  #started = performance.now()

  /**
   * @param {import('./find-request').FindRequest} request
   * @param {import('./candidates').Candidate} candidate
   * @param {import('./finder').Finder} finder
   * @param {object} options
   * @param {import('./bookmark').Bookmark | null} options.bookmark where to go on
   * @param {number} options.warnAbove documents looked at for each that is given
   */
  constructor (request, candidate, finder, { bookmark, warnAbove }) {
    this.#request = request
    this.#candidate = candidate
    this.#finder = finder
    this.#warnAbove = warnAbove
    this.#pages = finder.find(bookmark)
  }

  /** The documents as JSON, page by page; a page may be empty, to be asked whether to go on. @returns {AsyncGenerator<string[]>} */
  async * texts () {
    const { fields } = this.#request
    for await (const page of this.#pages) {
      if (fields === undefined) yield page.map(({ document }) => toJson(document))
      else yield await projected(page, fields)
    }
  }

  /** All of them, as objects. */
  async all () {
    const { fields } = this.#request
    const docs = []
    for await (const page of this.#pages) for (const { doc } of page) docs.push(fields === undefined ? doc : project(doc, fields))
    return docs
  }

  /** What was looked at so far. @returns {{ keys: number, documents: number, returned: number, milliseconds: number }} */
  get figures () {
    const { keys, documents, returned } = this.#finder
    return { keys, documents, returned, milliseconds: performance.now() - this.#started }
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

  #warnings (documents, returned) {
    const { indexes } = this.#candidate
    const [design, view] = this.#request.useIndex
    const warnings = []
    if (design !== undefined && !isAsked(indexes[0], [design, view])) {
      warnings.push(`${nameOf(design, view)} was not used because it ${view === undefined ? 'does not contain' : 'is not'} a valid index for this query.`)
    }
    if (indexes.includes(ALL_DOCS)) warnings.push('No matching index found, create an index to optimize query time.')
    if ((returned === 0 ? documents : documents / returned) > this.#warnAbove && this.#warnAbove > 0) {
      warnings.push('The number of documents examined is high in proportion to the number of results returned. Consider adding a more specific index to improve this.')
    }
    return warnings
  }
}

/** @returns {Promise<string[]>} */
async function projected (page, fields) {
  const texts = []
  for (const { doc, document } of page) {
    const shown = project(doc, fields)
    texts.push(document !== null && document.body.length > LARGE ? await stringifyInTurns(shown) : JSON.stringify(shown))
  }
  return texts
}

module.exports = { FindAnswer }
