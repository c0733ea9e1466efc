'use strict'

const { badRequest } = require('@potoroo/errors')
const { readBookmark } = require('../request/bookmark')
const { bringUp } = require('../plan/candidates')
const { DesignIndexes } = require('../indexes/design-indexes')
const { explainFind } = require('../plan/explain')
const { answerFind } = require('./answer-find')
const { FindPlans } = require('./find-plans')
const { assertObject } = require('../request/find-request')
const { ALL_DOCS, listIndex } = require('../indexes/index-descriptor')
const { bulkDelete, createIndex, deleteIndex } = require('../indexes/index-editor')
const { MemberScopes } = require('../indexes/member-scope')
const { mangoError } = require('../selector/mango-error')
const { PartitionScopes } = require('../indexes/partition-scope')
const { compareNames } = require('../plan/explain-candidates')
const { choose, chooseOnly, isTextSearch } = require('../plan/planner')
const { chooseText, judgeText } = require('../text/choose')
const { checkBookmark, takeVector, vectorCandidate } = require('../vector/candidate')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../plan/planner').Judged} Judged
 * @typedef {import('./find-result').FindAnswer} FindAnswer
 * @typedef {import('../text/candidate').TextIndexDescriptor} TextIndexDescriptor
 */

/**
 * Finds documents by selectors, with indexes where there are some.
 * @see https://docs.couchdb.org/en/stable/api/database/find.html
 */
class Mango {
  #designs = new DesignIndexes()
  #scopes = new PartitionScopes()
  #memberScopes = new MemberScopes()
  #plans = new FindPlans()
  #adaptive

  #defaultLimit
  #warnAbove

  /**
   * @param {object} [options]
   * @param {import('../../adaptive/adaptive-indexes').AdaptiveIndexes} [options.adaptive] indexes that are learned
   * @param {() => number} [options.defaultLimit] documents of a find that does not say how many
   * @param {() => number} [options.warnAbove] documents looked at for each that is given; 0: no warning
   */
  constructor ({ adaptive, defaultLimit = () => 25, warnAbove = () => 10 } = {}) {
    this.#adaptive = adaptive
    this.#defaultLimit = defaultLimit
    this.#warnAbove = warnAbove
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {any} body of `POST /{db}/_find`
   * @param {string} [plan] the print of the plan to find them by, where several databases are asked; '' is any
   * @param {MemberStore} [reader] the member who asks, in a database with access by document
   * @param {() => boolean} [isWanted] whether somebody still waits
   * @returns {Promise<FindAnswer>}
   * @throws bad_request and Mango's own errors
   */
  async search (database, body, plan, reader, isWanted) {
    const { request, judged, scope, kind, texts, near, ranked } = await this.#plan(database, body, { reader, isPart: plan !== undefined })
    const bookmark = request.bookmark === null ? null : readBookmark(request.bookmark)
    const special = near === null ? chooseText(request, judged, texts, bookmark) : await this.#nearest(database, { request, judged, texts, near, ranked, reader })
    if (near !== null) checkBookmark(bookmark, /** @type {import('../plan/candidates').Candidate} */ (special), request)
    const isPlanned = special !== null && (!plan || special.print === plan)
    const only = bookmark === null && !plan ? chooseOnly(request, judged) : undefined
    const candidate = isPlanned ? special : only ?? await choose(scope, request, judged, bookmark, plan || undefined)
    if (candidate === null) throw mangoError('no_usable_index', `No ${kind}index exists for this sort, try indexing by the sort fields.`)
    const updating = request.updates ? bringUp(candidate.indexes) : undefined
    if (updating !== undefined) await updating
    return answerFind(scope, request, candidate, { bookmark, isWanted, warnAbove: this.#warnAbove() })
  }

  /**
   * The ranks of a find with `vector` and `$text` that several databases mix: see `MergedFind.mix`.
   *
   * @param {DocumentStore} database
   * @param {any} body of `POST /{db}/_find`
   * @param {MemberStore} [reader] as of `search`
   * @param {() => boolean} [isWanted] as of `search`
   * @returns {Promise<import('../vector/mixed-ranks').RankList[]>}
   * @throws bad_request and Mango's own errors
   */
  async ranks (database, body, reader, isWanted) {
    const { request, judged, texts, near } = await this.#plan(database, body, { reader })
    if (near === null) throw badRequest('Ranks are of finds with vector')
    const candidate = await this.#nearest(database, { request, judged, texts, near, reader })
    if (request.updates) await bringUp(candidate.indexes)
    return await candidate.lists?.(isWanted) ?? []
  }

  /**
   * @param {DocumentStore} database
   * @param {{ request: Asked, judged: Judged, texts: TextIndexDescriptor[], near: import('../vector/candidate').Near, ranked?: import('../vector/mixed-ranks').RankedPart, reader?: MemberStore }} plan
   */
  async #nearest (database, { request, judged, texts, near, ranked, reader }) {
    const byText = isTextSearch(request.node) ? chooseText(request, judged, texts, null) : null
    // A member may not know of the vectors of others, which an index has together.
    return vectorCandidate(request, near, reader === undefined ? await this.#designs.vectors(database) : [], byText, ranked)
  }

  /**
   * The same, with all documents at once.
   *
   * @param {DocumentStore} database
   * @param {any} body
   * @returns {Promise<{ docs: any[], bookmark?: string, warning?: string, execution_stats?: any }>}
   */
  async find (database, body) {
    const answer = await this.search(database, body)
    return { docs: await answer.all(), ...answer.summary() }
  }

  /** @param {DocumentStore} database @param {any} asked @param {{ explains?: boolean, reader?: MemberStore, isPart?: boolean }} how */
  async #plan (database, asked, { explains, reader, isPart }) {
    assertObject(asked)
    const { near, ranked, rest: body } = takeVector(asked, isPart)
    const { text, request: parsed } = this.#plans.read(body, this.#defaultLimit())
    const request = near === null ? parsed : { ...parsed, limit: Math.min(near.k, body.limit ?? Infinity) }
    const indexes = this.#designs.indexes(database)
    const all = Array.isArray(indexes) ? indexes : await indexes
    const { database: scope, list, outside, kind } = this.#scopeOf(database, all, request.options.partition, reader)
    const judged = this.#plans.judge(text, request, list)
    // Learned indexes serve whole databases, and what one user sees of one, which has no place for indexes, is none.
    const adaptive = scope === database && database.indexSpace !== undefined ? this.#adaptive : undefined
    const offered = adaptive === undefined ? judged : adaptive.offer(database, request, judged, explains)
    const listed = reader === undefined ? this.#designs.texts(database) : []
    const texts = this.#textsOf(database, listed instanceof Promise ? await listed : listed, request.options.partition)
    return { request, scope, outside, kind, texts, near, ranked, judged: offered instanceof Promise ? await offered : offered }
  }

  /** Text indexes of partitions are for one, and others for all. @param {DocumentStore} database @param {TextIndexDescriptor[]} texts @param {string} partition */
  #textsOf (database, texts, partition) {
    return texts.length === 0 || !database.partitioned ? texts : texts.filter(({ partitioned }) => partitioned === (partition !== ''))
  }

  /** @param {DocumentStore} database @param {IndexDescriptor[]} indexes @param {string} partition @param {MemberStore | undefined} reader */
  #scopeOf (database, indexes, partition, reader) {
    if (reader === undefined) return this.#scopes.of(database, indexes, partition)
    const own = this.#memberScopes.of(database, indexes, reader)
    return partition === '' ? { ...own, outside: [], kind: '' } : this.#scopes.of(/** @type {any} */ (own.database), own.list, partition)
  }

  /**
   * Answers `POST /{db}/_explain`.
   *
   * @param {DocumentStore} database
   * @param {any} body
   * @param {MemberStore} [reader] as of `search`
   */
  async explain (database, body, reader) {
    const { request, judged, scope, outside, texts, near } = await this.#plan(database, body, { explains: true, reader })
    const special = near === null ? chooseText(request, judged, texts, null) : await this.#nearest(database, { request, judged, texts, near, reader })
    const candidate = special ?? await choose(scope, request, judged, null)
    const mismatched = outside.map(index => ({ index, reasons: ['scope_mismatch'], candidate: null, beyond: null }))
    return explainFind(database, request, { ...judged, judgements: [...judged.judgements, ...texts.map(index => judgeText(index, request)), ...mismatched] }, candidate)
  }

  /**
   * Answers `GET /{db}/_index`.
   *
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {{ limit?: number, skip?: number, adaptive?: boolean }} [part] adaptive: with learned ones
   */
  async list (database, part = {}) {
    const { limit, skip = 0, adaptive = false } = part
    const learned = adaptive ? await this.#adaptive?.indexes(database) ?? [] : []
    const own = [...await this.#designs.indexes(database), ...await this.#designs.texts(database), ...await this.#designs.vectors(database)].sort((a, b) => compareNames(a, b))
    const indexes = [ALL_DOCS, ...own, ...learned]
    return { total_rows: indexes.length, indexes: indexes.slice(skip, limit === undefined ? undefined : skip + limit).map(listIndex) }
  }

  /**
   * `POST /{db}/_index`
   *
   * @param {DocumentStore} database
   * @param {any} body
   */
  create (database, body) { return createIndex(database, body) }

  /**
   * `DELETE /{db}/_index/{ddoc}/{type}/{name}`
   *
   * @param {DocumentStore} database
   * @param {string} ddoc
   * @param {string} name
   * @param {'json' | 'text' | 'nouveau' | 'vector'} [type]
   */
  delete (database, ddoc, name, type) { return deleteIndex(database, ddoc, name, type) }

  /**
   * `POST /{db}/_index/_bulk_delete`
   *
   * @param {DocumentStore} database
   * @param {any} body
   */
  bulkDelete (database, body) { return bulkDelete(database, body) }
}

module.exports = { Mango }
