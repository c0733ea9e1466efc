'use strict'

const { createHash } = require('node:crypto')
const { badRequest } = require('@potoroo/errors')
const { unknownMember } = require('@potoroo/errors/known-options')
const { rankedScan } = require('../plan/candidates')
const { isAsked } = require('../plan/planner')
const { invalidBookmark, positive } = require('../request/find-request')
const { mangoError } = require('../selector/mango-error')
const { isObject } = require('../selector/normalize-selector')
const { parsePath, samePath } = require('../selector/path')
const { listsOf, mixRanks } = require('./mixed-ranks')
const { hasDirection, isVector } = require('./definition')

/**
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../plan/candidates').Candidate} Candidate
 * @typedef {import('../run/scan-rows').ScanRow} ScanRow
 * @typedef {import('./indexes').VectorIndexDescriptor} VectorIndexDescriptor
 * @typedef {{ field: string, near: number[], k: number }} Near
 * @typedef {import('./mixed-ranks').Ranked} Ranked
 * @typedef {import('./mixed-ranks').RankedPart} RankedPart
 * @typedef {import('./mixed-ranks').RankList} RankList
 */

/** Vectors that are asked for in one find. */
const MOST = 10_000
const LEAST = 32

/**
 * Takes the member `vector` out of a find, and `ranked`, which only a coordinator of several databases gives.
 *
 * @param {any} body
 * @param {boolean} [isPart] whether a coordinator asks
 * @returns {{ near: Near | null, ranked?: RankedPart, rest: any }}
 * @throws bad_request
 */
function takeVector (body, isPart = false) {
  if (!isObject(body) || body.vector === undefined) return { near: null, rest: body }
  const { vector, ...rest } = body
  const { ranked } = isPart ? rest : { ranked: undefined }
  if (isPart) delete rest.ranked
  if (!isObject(vector) || typeof vector.field !== 'string' || !Array.isArray(vector.near)) throw badRequest('vector must be of the form {"field": "name", "near": [numbers], "k": 10}')
  const strange = unknownMember(vector, ['field', 'near', 'k'], 'vector')
  if (strange !== undefined) throw mangoError('invalid_key', strange)
  const { field, near, k = 10 } = vector
  if (positive(k) > MOST) throw badRequest(`k is ${MOST} at most`)
  return { near: { field, near, k }, ranked, rest: { selector: {}, ...rest } }
}

/**
 * Makes the find of the documents near a vector, the nearest first. The selector decides which of them match, and with `$text`
 * the ranks of a text index and of the vectors are mixed by reciprocal rank fusion.
 *
 * @param {Asked} request
 * @param {Near} asked
 * @param {VectorIndexDescriptor[]} indexes
 * @param {Candidate | null} byText the find by text of the same request, if it has `$text`
 * @param {RankedPart} [ranked] what other databases mixed of the ranks, if it is one of several
 * @returns {Candidate}
 * @throws no_usable_index, bad_request, invalid_bookmark
 * @see Cormack, Clarke, Büttcher: Reciprocal rank fusion outperforms Condorcet and individual rank learning methods. SIGIR 2009
 */
function vectorCandidate (request, asked, indexes, byText, ranked) {
  const index = chooseIndex(request, asked, indexes)
  if (request.sort.length > 0) throw badRequest('A find by a vector has its own order: it takes no sort')
  const { dimensions, metric } = index.vector.spec
  if (!isVector(asked.near, dimensions)) throw badRequest(`near must be a list of ${dimensions} numbers`)
  if (metric === 'cosine' && !hasDirection(asked.near)) throw badRequest('near has no direction, which the metric cosine compares: all of its numbers are 0')
  const prefix = request.options.partition === '' ? '' : `${request.options.partition}:`
  const byVector = () => nearest(index, asked, prefix)
  const lists = byText === null ? undefined : (/** @type {(() => boolean) | undefined} */ isWanted) => listsOf(byVector(), byText, { k: asked.k, isWanted })
  const scan = rankedScan(index, ({ after }, { isWanted }) => {
    if (ranked !== undefined) return behind(placed(ranked), after)
    return behind(inPlaces(lists === undefined ? byVector() : mixed(lists(isWanted))), after)
  })
  // Places are of all databases where ranks were mixed; a similarity is the same everywhere.
  const ranking = {
    descending: [byText === null],
    valuesOf: (/** @type {any[]} */ [place, similarity]) => [byText === null ? similarity : place],
    accepts: isPlace
  }
  const print = `${createHash('md5').update(JSON.stringify([index.ddoc, index.name, asked, byText?.print])).digest('base64url').slice(0, 8)}v`
  return { indexes: byText === null ? [index] : [index, ...byText.indexes], scans: [scan], absent: [], merges: false, narrows: true, ranking, print, lists }
}

/** The place of a row, and its similarity. @param {unknown} key */
function isPlace (key) { return Array.isArray(key) && key.length === 2 && Number.isSafeInteger(key[0]) && key[0] >= 0 && typeof key[1] === 'number' }

/** @param {import('../request/bookmark').Bookmark | null} bookmark @param {Candidate} candidate @param {Asked} request */
function checkBookmark (bookmark, { print }, request) {
  if (bookmark !== null && (bookmark.print !== print || !isPlace(bookmark.key))) throw invalidBookmark(/** @type {string} */ (request.bookmark))
}

/** @param {Asked} request @param {Near} asked @param {VectorIndexDescriptor[]} indexes */
function chooseIndex ({ useIndex }, { field }, indexes) {
  const path = parsePath(field)
  const some = indexes.filter(({ vector }) => samePath(vector.path, path))
  const named = some.filter(index => isAsked(index, useIndex))
  const [index] = named.length > 0 ? named : some
  if (index === undefined) throw mangoError('no_usable_index', `No vector index exists for the field ${field}.`)
  return index
}

/**
 * Looks at more and more vectors, as long as more documents are wanted.
 *
 * @param {VectorIndexDescriptor} index
 * @param {Near} asked
 * @param {string} prefix of the ids
 * @returns {AsyncGenerator<Ranked[]>} the nearest first
 */
async function * nearest ({ vector: { memory } }, { near, k }, prefix) {
  const vectors = await memory.current()
  const seen = new Set()
  for (let count = Math.max(LEAST, 2 * k); ; count *= 4) {
    const hits = await vectors.nearest(near, count)
    const fresh = hits.filter(({ id }) => !seen.has(id) && id.startsWith(prefix))
    for (const { id } of fresh) seen.add(id)
    yield fresh.map(({ id, similarity: rank }) => ({ id, rank }))
    if (hits.length < count) return
  }
}

/** @param {Promise<RankList[]>} lists @returns {AsyncGenerator<Ranked[]>} */
async function * mixed (lists) { yield mixRanks((await lists).map(({ rows }) => rows.map(([id]) => id))) }

/** Numbers the rows. @param {AsyncGenerator<Ranked[]>} pages @returns {AsyncGenerator<ScanRow[]>} */
async function * inPlaces (pages) {
  let place = 0
  for await (const page of pages) yield page.map(({ id, rank }) => ({ id, key: [place++, rank] }))
}

/** @param {RankedPart} ranked @returns {AsyncGenerator<ScanRow[]>} */
async function * placed (ranked) { yield ranked.map(([id, place, rank]) => ({ id, key: [place, rank] })) }

/** Leaves out the rows up to a place. @param {AsyncGenerator<ScanRow[]>} pages @param {any[]} [after] @returns {AsyncGenerator<ScanRow[]>} */
async function * behind (pages, after) {
  const last = after === undefined ? -1 : after[0]
  for await (const page of pages) {
    const rows = page.filter(({ key }) => key[0] > last)
    if (rows.length > 0) yield rows
  }
}

module.exports = { checkBookmark, takeVector, vectorCandidate }
