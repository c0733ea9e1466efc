'use strict'

const { readBookmark } = require('../request/bookmark')
const { Conditions } = require('../plan/conditions')
const { DesignIndexes } = require('../indexes/design-indexes')
const { explainFind } = require('../plan/explain')
const { FindAnswer } = require('./find-result')
const { assertObject, parseFind } = require('../request/find-request')
const { Finder } = require('./finder')
const { ALL_DOCS, listIndex } = require('../indexes/index-descriptor')
const { bulkDelete, createIndex, deleteIndex } = require('../indexes/index-editor')
const { MemberScopes } = require('../indexes/member-scope')
const { mangoError } = require('../selector/mango-error')
const { PartitionScopes } = require('../indexes/partition-scope')
const { choose, judgeIndexes } = require('../plan/planner')
const { fieldsOf, indexableFields } = require('../selector/selector-fields')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../plan/planner').Judged} Judged
 */

/** Requests that are remembered, parsed and planned, and how long those are at most. */
const REMEMBERED = 200
const LONGEST = 4096

/** Bytes of all plans that are remembered, of one at most, and of each of its ranges, about. */
const MOST_PLANNED = 32 * 1024 * 1024
const LARGEST_PLAN = 1024 * 1024
const OF_A_RANGE = 512

/**
 * Finds documents by selectors, with indexes where there are some.
 * @see https://docs.couchdb.org/en/stable/api/database/find.html
 */
class Mango {
  #designs = new DesignIndexes()
  #scopes = new PartitionScopes()
  #memberScopes = new MemberScopes()
  /** The text of a request → what it asks. @type {Map<string, Asked>} */
  #requests = new Map()
  /** The indexes of design documents → the plans of requests with them. @type {WeakMap<IndexDescriptor[], Map<string, Judged>>} */
  #plans = new WeakMap()
  /** Bytes of them, about. */
  #planned = 0
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
   * @param {string} [way] the print of the way to find them in, where several databases are asked
   * @param {MemberStore} [reader] the member who asks, in a database with access by document
   * @returns {Promise<FindAnswer>}
   * @throws bad_request and Mango's own errors
   */
  async search (database, body, way, reader) {
    const { request, judged, scope, kind } = await this.#plan(database, body, { reader })
    const bookmark = request.bookmark === null ? null : readBookmark(request.bookmark)
    const candidate = await choose(scope, request, judged, bookmark, way)
    if (candidate === null) throw mangoError('no_usable_index', `No ${kind}index exists for this sort, try indexing by the sort fields.`)
    if (request.updates) for (const index of candidate.indexes) if (index !== ALL_DOCS) await (await index.open()).update()
    const isNothing = (request.node.op === '$and' || request.node.op === '$or') && request.node.parts.length === 0
    const chosen = isNothing ? { ...candidate, scans: [] } : candidate
    return new FindAnswer(request, chosen, new Finder(scope, chosen, request), { bookmark, warnAbove: this.#warnAbove() })
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

  /** @param {DocumentStore} database @param {any} body @param {{ explains?: boolean, reader?: MemberStore }} asked */
  async #plan (database, body, { explains, reader }) {
    assertObject(body)
    const limit = this.#defaultLimit()
    const text = `${limit} ${JSON.stringify(body)}`
    const request = this.#request(text, body, limit)
    const indexes = this.#designs.indexes(database)
    const all = Array.isArray(indexes) ? indexes : await indexes
    const { database: scope, list, outside, kind } = this.#scopeOf(database, all, request.options.partition, reader)
    const judged = this.#judge(text, request, list)
    // Learned indexes serve whole databases, and what one user sees of one, which has no place for indexes, is none.
    const adaptive = scope === database && database.indexSpace !== undefined ? this.#adaptive : undefined
    const offered = adaptive === undefined ? judged : adaptive.offer(database, request, judged, explains)
    return { request, scope, outside, kind, judged: offered instanceof Promise ? await offered : offered }
  }

  /** @param {DocumentStore} database @param {IndexDescriptor[]} indexes @param {string} partition @param {MemberStore | undefined} reader */
  #scopeOf (database, indexes, partition, reader) {
    if (reader === undefined) return this.#scopes.of(database, indexes, partition)
    const own = this.#memberScopes.of(database, indexes, reader)
    return partition === '' ? { ...own, outside: [], kind: '' } : this.#scopes.of(/** @type {any} */ (own.database), own.list, partition)
  }

  /** @param {string} text @param {any} body @param {number} limit @returns {Asked} */
  #request (text, body, limit) {
    const known = this.#requests.get(text)
    if (known !== undefined) return known
    const request = parseFind(body, limit)
    const asked = {
      ...request,
      conditions: new Conditions(request.node),
      read: [...request.fields ?? [], ...fieldsOf(request.node)],
      indexable: indexableFields(request.node)
    }
    remember(this.#requests, text, asked)
    return asked
  }

  /** @param {string} text @param {Asked} request @param {IndexDescriptor[]} list @returns {Judged} */
  #judge (text, request, list) {
    const known = this.#plans.get(list)?.get(text)
    if (known !== undefined) return known
    const judged = judgeIndexes(request, list)
    this.#rememberPlan(text, list, judged)
    return judged
  }

  /** @param {string} text @param {IndexDescriptor[]} list @param {Judged} judged */
  #rememberPlan (text, list, judged) {
    const size = text.length + OF_A_RANGE * [...new Set(judged.ways)].reduce((count, { scans }) => count + scans.length, 0)
    if (text.length > LONGEST || size > LARGEST_PLAN) return
    if (this.#planned + size > MOST_PLANNED) {
      this.#plans = new WeakMap()
      this.#planned = 0
    }
    this.#planned += size
    if (!this.#plans.has(list)) this.#plans.set(list, new Map())
    remember(/** @type {Map<string, Judged>} */ (this.#plans.get(list)), text, judged)
  }

  /**
   * Answers `POST /{db}/_explain`.
   *
   * @param {DocumentStore} database
   * @param {any} body
   * @param {MemberStore} [reader] as of `search`
   */
  async explain (database, body, reader) {
    const { request, judged, scope, outside } = await this.#plan(database, body, { explains: true, reader })
    const candidate = await choose(scope, request, judged, null)
    const mismatched = outside.map(index => ({ index, reasons: ['scope_mismatch'], candidate: null, beyond: null }))
    return explainFind(database, request, { ...judged, judgements: [...judged.judgements, ...mismatched] }, candidate)
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
    const indexes = [ALL_DOCS, ...await this.#designs.indexes(database), ...learned]
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
   * `DELETE /{db}/_index/{ddoc}/json/{name}`
   *
   * @param {DocumentStore} database
   * @param {string} ddoc
   * @param {string} name
   */
  delete (database, ddoc, name) { return deleteIndex(database, ddoc, name) }

  /**
   * `POST /{db}/_index/_bulk_delete`
   *
   * @param {DocumentStore} database
   * @param {any} body
   */
  bulkDelete (database, body) { return bulkDelete(database, body) }
}

/**
 * All make room: to find the oldest would cost more than to begin again.
 *
 * @template T
 * @param {Map<string, T>} map
 * @param {string} key
 * @param {T} value
 */
function remember (map, key, value) {
  if (key.length > LONGEST) return
  if (map.size >= REMEMBERED) map.clear()
  map.set(key, value)
}

module.exports = { Mango }
