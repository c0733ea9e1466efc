'use strict'

const { candidateOf, hasAll, unionOf } = require('./candidates')
const { invalidBookmark } = require('../request/find-request')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { compileInTurns } = require('../selector/match-in-turns')
const { mangoError } = require('../selector/mango-error')
const { samePath } = require('../selector/path')
const { scanRows } = require('../run/scan-rows')

/**
 * @typedef {import('./candidates').Asked} Asked
 * @typedef {import('./candidates').Candidate} Candidate
 * @typedef {import('../run/scan-rows').ScanPart} ScanPart
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('../indexes/partition-scope').FindDatabase} FindDatabase
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../request/bookmark').Bookmark} Bookmark
 */

/**
 * An index that was thought of, and why it is not used.
 *
 * @typedef {object} Judgement
 * @property {import('../indexes/index-descriptor').IndexDescriptor} index
 * @property {string[]} reasons in CouchDB's names; none where it is usable
 * @property {import('./candidates').Candidate | null} candidate
 * @property {import('./candidates').Candidate | null} beyond one that CouchDB would not sort by
 */

/** Rows that are looked at of each candidate, in turn, until one has no more. */
const PEEKS = [32, 512]

/** The first candidate gives way to one that has so much less to read. */
const FACTOR = 2
const SLACK = 16

/** Candidates whose rows are peeked at. */
const COMPARED = 4

/** Updates of the database that a choice outlives. */
const LASTING = 1000

/**
 * The findings on a request and indexes that take no look at rows.
 *
 * @typedef {object} Judged
 * @property {Judgement[]} judgements of all indexes, all documents first
 * @property {import('./candidates').Candidate[]} pool what to choose from, in CouchDB's order of preference
 * @property {import('./candidates').Candidate[]} ways all that would do
 * @property {boolean} asked the request names what is in the pool
 * @property {{ candidate: import('./candidates').Candidate, seq: number } | null} choice and at which update
 *   sequence rows were looked at for it
 */

/**
 * @param {import('./candidates').Asked} request
 * @param {import('../indexes/index-descriptor').IndexDescriptor[]} indexes
 * @returns {Judged}
 */
function judgeIndexes (request, indexes) {
  const judgements = [ALL_DOCS, ...indexes].map(index => judge(index, request))
  const usable = judgements.filter(({ candidate }) => candidate !== null)
  const asked = usable.filter(({ index }) => isAsked(index, request.useIndex)).sort((a, b) => compareFit(a.index, b.index, request))
  const found = asked.length > 0 ? asked : usable.filter(({ index }) => index !== ALL_DOCS).sort((a, b) => compareFit(a.index, b.index, request))
  const pool = /** @type {import('./candidates').Candidate[]} */ (found.map(({ candidate }) => candidate))
  const ways = usable.map(({ candidate }) => /** @type {import('./candidates').Candidate} */ (candidate))
  if (asked.length > 0) return { judgements, pool, ways, asked: true, choice: null }
  // Without an index to sort by there is no way, as in CouchDB.
  const maySort = request.sort.length === 0 || usable.length > 0
  if (maySort) pool.push(...judgements.flatMap(({ beyond }) => beyond ?? []))
  const union = maySort && (pool.length === 0 || !pool[0].narrows) ? unionOf(indexes, request, compileInTurns) : null
  const all = judgements[0].candidate
  if (union !== null) pool.unshift(union)
  if (all !== null && (pool.length === 0 || all.narrows)) pool.push(all)
  return { judgements, pool, ways: [...pool, ...ways], asked: false, choice: null }
}

/**
 * @param {import('../indexes/index-descriptor').IndexDescriptor} index
 * @param {import('./candidates').Asked} request
 * @returns {Judgement}
 */
function judge (index, request) {
  const { conditions, sort, node, useIndex } = request
  const candidate = candidateOf(index, request)
  const reasons = []
  if (index.partial !== null && !isAsked(index, useIndex)) reasons.push('is_partial')
  if (index !== ALL_DOCS && isTextSearch(node)) reasons.push('needs_text_search')
  if (index === ALL_DOCS ? sort.length > 0 && !isIndexable(['_id'], request) : !hasAll(index, conditions, sort)) reasons.push('field_mismatch')
  const isKnown = reasons.length === 0
  if (candidate === null || !sorts(index.columns, request)) reasons.push('sort_order_mismatch')
  return { index, reasons, candidate: reasons.length === 0 ? candidate : null, beyond: isKnown && reasons.length > 0 && index !== ALL_DOCS ? candidate : null }
}

/**
 * Whether CouchDB would sort by these columns: fields that have one value may come before those of the sort.
 *
 * @param {string[][]} columns
 * @param {Pick<Asked, 'conditions' | 'sort'>} request
 */
function sorts (columns, { conditions, sort }) {
  if (sort.length === 0) return true
  const at = columns.findIndex(column => samePath(column, sort[0]) || !conditions.isFixed(column))
  return at !== -1 && sort.every((path, i) => at + i < columns.length && samePath(columns[at + i], path))
}

/** @param {string[]} path @param {Pick<Asked, 'indexable'>} request */
function isIndexable (path, { indexable }) { return indexable.some(other => samePath(other, path)) }

/** @param {Node} node @returns {boolean} */
function isTextSearch (node) { return node.op === '$default' || ('parts' in node && node.parts.some(isTextSearch)) }

/** Whether the request names it. @param {{ ddoc: string | null, name: string }} index @param {string[]} useIndex */
function isAsked ({ ddoc, name }, useIndex) {
  const [design, view] = useIndex
  if (design === undefined || ddoc === null) return false
  return ddoc === (design.startsWith('_design/') ? design : `_design/${design}`) && (view === undefined || view === name)
}

/**
 * CouchDB's preference: what leaves least of the selector's bounds out, then fewer fields, then the name.
 *
 * @param {IndexDescriptor} a
 * @param {IndexDescriptor} b
 * @param {Pick<Asked, 'indexable'>} request
 */
function compareFit (a, b, request) {
  return prefixOf(b, request) - prefixOf(a, request) || a.columns.length - b.columns.length || compareTexts(a.ddoc ?? '', b.ddoc ?? '') || compareTexts(a.name, b.name)
}

/** @param {string} a @param {string} b */
function compareTexts (a, b) { return a < b ? -1 : a > b ? 1 : 0 }

/**
 * How many of an index's first columns the selector bounds, in CouchDB's eyes.
 *
 * @param {IndexDescriptor} index
 * @param {Pick<Asked, 'indexable'>} request
 */
function prefixOf ({ columns }, { indexable }) {
  const at = columns.findIndex(column => !isIndexable(column, { indexable }))
  return at === -1 ? columns.length : at
}

/**
 * Chooses by how many rows there are to read, as far as a look at some tells.
 *
 * @param {FindDatabase} database
 * @param {import('./candidates').Asked} request
 * @param {Judged} judged
 * @param {import('../request/bookmark').Bookmark | null} bookmark goes on in the way that it was made in
 * @param {string} [plan] the print of the only one that is wanted: other databases find by it, too
 * @returns {Promise<import('./candidates').Candidate | null>}
 * @throws invalid_index, no_usable_index, invalid_bookmark
 */
async function choose (database, request, judged, bookmark, plan) {
  const { pool, ways } = judged
  assertUsable(request, judged)
  if (bookmark !== null) {
    const same = ways.find(({ print, scans }) => print === bookmark.print && isOf(bookmark, scans[bookmark.scan]))
    if (same === undefined) throw invalidBookmark(request.bookmark)
    return same
  }
  if (plan !== undefined) {
    const same = ways.find(({ print }) => print === plan)
    return same !== undefined && await isTrue(database, request, same) ? same : null
  }
  const { updateSeq } = database
  const known = judged.choice
  if (known !== null && updateSeq - known.seq < LASTING && await isTrue(database, request, known.candidate)) return known.candidate
  const sorting = []
  for (const candidate of pool) if (sorting.length < COMPARED && await isTrue(database, request, candidate)) sorting.push(candidate)
  // An index that is not built yet has no rows to look at.
  if (sorting.length < 2 || !(await Promise.all(sorting.map(isBuilt))).every(Boolean)) return sorting[0] ?? null
  const candidate = await leastOf(database, sorting)
  judged.choice = { candidate, seq: updateSeq }
  return candidate
}

/**
 * The same where nothing is to be read for it; undefined elsewhere.
 *
 * @param {import('./candidates').Asked} request
 * @param {Judged} judged
 * @returns {import('./candidates').Candidate | undefined}
 */
function chooseOnly (request, judged) {
  if (judged.pool.length !== 1 || judged.pool[0].absent.length > 0) return undefined
  assertUsable(request, judged)
  return judged.pool[0]
}

/** @param {Pick<Asked, 'allowFallback' | 'useIndex'>} request @param {Judged} judged @throws invalid_index */
function assertUsable ({ allowFallback, useIndex }, { pool, asked }) {
  if (!asked && !allowFallback && (useIndex.length > 0 || pool.every(({ indexes }) => indexes[0] === ALL_DOCS))) throw notUsable(useIndex)
}

/**
 * Whether a bookmark can be of a row of the scan.
 *
 * @param {Bookmark} bookmark
 * @param {ScanPart | undefined} scan
 */
function isOf ({ key }, scan) {
  if (scan === undefined) return false
  return scan.index === ALL_DOCS ? !Array.isArray(key) : Array.isArray(key) && key.length === scan.index.columns.length
}

/** @param {string[]} useIndex */
function notUsable (useIndex) {
  const [design, view] = useIndex
  if (design === undefined) return mangoError('invalid_index', 'You must specify an index with the `use_index` parameter.')
  return mangoError('invalid_index', `${nameOf(design, view)} specified by \`use_index\` could not be found or it is not suitable.`)
}

/**
 * As CouchDB prints what was asked for.
 *
 * @param {string} design
 * @param {string} [view]
 */
function nameOf (design, view) {
  const ddoc = `_design/${design.replace(/^_design\//, '')}`
  return view === undefined ? ddoc : `${ddoc}, ${view}`
}

/**
 * Whether what must not be there is not: arrays in a field that the ranges of `$in` are merged by.
 *
 * @param {FindDatabase} database
 * @param {Asked} request
 * @param {Candidate} candidate
 */
async function isTrue (database, request, candidate) {
  const { indexes: [index], absent } = candidate
  if (absent.length === 0) return true
  if (request.updates) await (await index.open()).update()
  for (const range of absent) if (await countRows(database, { ...range, index }, 1) > 0) return false
  return true
}

/**
 * @param {FindDatabase} database
 * @param {Candidate[]} candidates
 * @returns {Promise<import('./candidates').Candidate>}
 */
async function leastOf (database, candidates) {
  for (const most of PEEKS) {
    const counts = []
    for (const candidate of candidates) counts.push(await estimate(database, candidate, most))
    const least = Math.min(...counts)
    if (least < most) return candidates[counts.findIndex(count => count < most && count <= least * FACTOR + SLACK)]
  }
  return candidates[0]
}

/** @param {Candidate} candidate */
async function isBuilt ({ indexes }) {
  for (const index of indexes) if (index !== ALL_DOCS && (await index.open()).rows.seq === 0) return false
  return true
}

/**
 * How many rows a candidate reads, up to `most`.
 *
 * @param {FindDatabase} database
 * @param {Candidate} candidate
 * @param {number} most
 */
async function estimate (database, { scans }, most) {
  let count = 0
  for (let i = 0; i < scans.length && count < most; i++) count += await countRows(database, scans[i], most - count)
  return Math.min(count, most)
}

/** @param {FindDatabase} database @param {ScanPart} part @param {number} most */
async function countRows (database, { index, low, high }, most) {
  if (index !== ALL_DOCS) {
    const { rows, view } = await index.open()
    return rows.count(view, { low, high, descending: false }, most)
  }
  let count = 0
  for await (const page of scanRows(database, { index, low, high }, { descending: false, includeDocs: false, wanted: most })) {
    count += page.length
    if (count >= most) break
  }
  return count
}

module.exports = { compareFit, choose, chooseOnly, isAsked, isTextSearch, judgeIndexes, nameOf }
