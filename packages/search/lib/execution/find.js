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

/** Records that are read at once. */
const PAGE = 256

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
  const top = new Top(group === undefined ? limit : 0, comparator(sort), after)
  const facets = new Facets(counts ?? [], ranges ?? {})
  const groups = group && new Groups(group, sort)
  const more = beyondFirst(sort) + (group?.sort.length ?? 0)
  const reads = groups !== undefined || counts !== undefined || ranges !== undefined || (readsFields(sort) && !isByScoreAndId(sort))
  if (reads) {
    await eachRecord(reader, matches, work, (doc, score, record) => {
      facets.add(record.values)
      if (groups === undefined) top.offer({ doc, score, record, keys: keysOf(sort, doc, score, record) })
      else groups.add(doc, score, record)
      return facets.cost + more
    })
  } else if (isByScoreAndId(sort)) await offerByScoreAndId(reader, matches, { sort, limit, after }, top, work)
  else await eachMatch(matches, sort, top, work)
  const hits = await withRecords(reader, top.hits)
  return { total: best?.total ?? matches.length, hits, ...(counts && { counts: facets.counts }), ...(ranges && { ranges: facets.ranges }), ...(groups && { groups: groups.first(limit) }) }
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

module.exports = { find }
