'use strict'

const { evaluate, evaluateBest } = require('./evaluate')
const { Facets } = require('./facets')
const { Groups } = require('./groups')
const { isByScoreAndId, offerByScoreAndId } = require('./by-score-and-id')
const { RELEVANCE, comparator, keysOf, readsFields } = require('./order')
const { Top } = require('./top')
const { ENTRY, Work } = require('./work')

/**
 * @typedef {import('./order').Hit} Hit
 * @typedef {import('./order').Sort} Sort
 * @typedef {import('./matches').Matches} Matches
 * @typedef {import('../index/reader').IndexReader} IndexReader
 *
 * @typedef {object} FindOptions
 * @property {number} limit hits, or groups
 * @property {Sort[]} [sort] by relevance, if there is none
 * @property {any[]} [after] keys of a hit: those up to it are left out
 * @property {string[]} [counts] fields whose values are counted
 * @property {Record<string, Record<string, import('./facets').NumberRange>>} [ranges] of numbers that are counted, by field and label
 * @property {import('./groups').Grouping} [group]
 * @property {Work} [work]
 *
 * @typedef {object} Found
 * @property {number} total documents
 * @property {Hit[]} hits each with its record
 * @property {Record<string, Record<string, number>>} [counts]
 * @property {Record<string, Record<string, number>>} [ranges]
 * @property {import('./groups').Group[]} [groups]
 */

/** Records that are read at once, and hits of a page. */
const PAGE = 256

/** How many times as many hits are put in order for each page that comes, and at most: as many keys are in memory. */
const GROWTH = 4
const MOST = 10_000

/**
 * Finds what a query asks for.
 *
 * @param {IndexReader} reader
 * @param {import('./evaluate').Node} node
 * @param {FindOptions} options
 * @param {(node: any) => import('./multi-term').Matcher} matcherOf
 * @returns {Promise<Found>}
 * @throws bad_request where it costs too much
 */
async function find (reader, node, options, matcherOf) {
  const { limit, sort = RELEVANCE, after, counts, ranges, group, work = new Work() } = options
  const search = { reader, work, matcherOf }
  const isForBest = limit > 0 && after === undefined && isByScore(sort) && counts === undefined && ranges === undefined && group === undefined
  const best = isForBest ? await evaluateBest(search, node, { count: limit, inOrder: sort.length === 1 }) : undefined
  const matches = best?.matches ?? await evaluate(search, node)
  const facets = new Facets(counts ?? [], ranges ?? {})
  const groups = group && new Groups(group, sort)
  const take = groups === undefined && counts === undefined && ranges === undefined
    ? undefined
    : (/** @type {number} */ doc, /** @type {number} */ score, /** @type {import('../index/reader').DocumentRecord} */ record) => {
        facets.add(record.values)
        groups?.add(doc, score, record)
        return facets.cost + (group?.sort.length ?? 0)
      }
  const first = await firstHits(reader, matches, { sort, limit: group === undefined ? limit : 0, after }, work, take)
  const hits = await withRecords(reader, first)
  return { total: best?.total ?? matches.length, hits, ...(counts && { counts: facets.counts }), ...(ranges && { ranges: facets.ranges }), ...(groups && { groups: groups.first(limit) }) }
}

/**
 * The same, page by page: documents are looked for twice at most, whatever the number of pages.
 *
 * @param {IndexReader} reader of one moment: it is read until the last page
 * @param {import('./evaluate').Node} node
 * @param {Pick<FindOptions, 'limit' | 'sort' | 'after' | 'work'>} options limit: hits of the first page
 * @param {(node: any) => import('./multi-term').Matcher} matcherOf
 * @returns {AsyncGenerator<Hit[]>}
 * @throws as `find`
 */
async function * findPages (reader, node, { limit, sort = RELEVANCE, after, work = new Work() }, matcherOf) {
  let { hits } = await find(reader, node, { limit, sort, after, work }, matcherOf)
  if (hits.length > 0) yield hits
  if (hits.length < limit) return
  const matches = await evaluate({ reader, work, matcherOf }, node)
  for (let more = PAGE; hits.length >= limit; more *= GROWTH) {
    limit = Math.min(more, MOST)
    hits = await firstHits(reader, matches, { sort, limit, after: hits[hits.length - 1].keys }, work)
    for (let at = 0; at < hits.length; at += PAGE) yield await withRecords(reader, hits.slice(at, at + PAGE))
  }
}

/**
 * The first hits of an order, without their records.
 *
 * @param {IndexReader} reader
 * @param {Matches} matches
 * @param {import('./by-score-and-id').Order} order
 * @param {Work} work
 * @param {(doc: number, score: number, record: import('../index/reader').DocumentRecord) => number} [take] takes each, and returns the work that it was
 * @returns {Promise<Hit[]>}
 */
async function firstHits (reader, matches, order, work, take) {
  const { sort, limit, after } = order
  const top = new Top(limit, comparator(sort), after)
  if (take !== undefined || (readsFields(sort) && !isByScoreAndId(sort))) {
    await eachRecord(reader, matches, work, (doc, score, record) => {
      top.offer({ doc, score, keys: keysOf(sort, doc, score, record) })
      return beyondFirst(sort) + (take?.(doc, score, record) ?? 0)
    })
  } else if (isByScoreAndId(sort)) await offerByScoreAndId(reader, matches, order, top, work)
  else await eachMatch(matches, sort, top, work)
  return top.hits
}

/** How many keys a document has beside its first, which is part of what its record costs. @param {Sort[]} sort */
function beyondFirst (sort) { return Math.max(0, sort.length - 1) }

/** Whether better documents come first, and what else they are ordered by is known of each. @param {Sort[]} sort */
function isByScore (sort) { return sort[0]?.by === 'score' && sort[0].descending && (!readsFields(sort) || isByScoreAndId(sort)) }

/** @param {Matches} matches @param {Sort[]} sort @param {Top} top @param {Work} work */
async function eachMatch ({ docs, scores, length }, sort, top, work) {
  const byScore = sort[0]?.by === 'score' && sort[0].descending
  for (let at = 0; at < length; at += 1024) {
    const end = Math.min(length, at + 1024)
    let bar = byScore ? top.worst?.[0] : undefined
    for (let i = at; i < end; i++) {
      // Nearly all come too late, which a look at the score tells.
      if (scores[i] < bar) continue
      const keys = keysOf(sort, docs[i], scores[i])
      if (!top.takes(keys)) continue
      top.offer({ doc: docs[i], score: scores[i], keys })
      if (byScore) bar = top.worst?.[0]
    }
    const pause = work.spend((end - at) * beyondFirst(sort))
    if (pause !== undefined) await pause
  }
}

/**
 * @param {IndexReader} reader
 * @param {Matches} matches
 * @param {Work} work
 * @param {(doc: number, score: number, record: import('../index/reader').DocumentRecord) => number} take returns the work that it was
 */
async function eachRecord (reader, { docs, scores, length }, work, take) {
  for (let at = 0; at < length; at += PAGE) {
    const some = Array.from(docs.subarray(at, Math.min(at + PAGE, length)))
    const records = await reader.records(some)
    for (let i = 0; i < some.length; i++) {
      const pause = work.spend(ENTRY + take(some[i], scores[at + i], records[i]))
      if (pause !== undefined) await pause
    }
  }
}

/** @param {IndexReader} reader @param {Hit[]} hits */
async function withRecords (reader, hits) {
  const missing = hits.filter(({ record }) => record === undefined)
  const records = await reader.records(missing.map(({ doc }) => doc))
  missing.forEach((hit, i) => { hit.record = records[i] })
  return hits
}

module.exports = { find, findPages }
