'use strict'

const { Turn } = require('@potoroo/document-store')
const { PARTITION, Work, facetField, find, highlight, termMatcher, wantedTerms } = require('@potoroo/search')
const { dialects } = require('./dialects')
const { readDrilldown, readNames, readRanges, readSorts, unpackBookmark } = require('./parameters')

/**
 * A search as it is asked for.
 *
 * @typedef {object} SearchArgs
 * @property {string} q
 * @property {number} limit
 * @property {unknown} [bookmark]
 * @property {unknown} [sort]
 * @property {unknown} [counts]
 * @property {unknown} [ranges]
 * @property {unknown} [drilldown]
 * @property {{ field: string, limit: number, sort: unknown }} [group]
 * @property {string} [partition]
 * @property {boolean} [update] false: as far as the index has come
 * @property {boolean} [includeDocs]
 * @property {unknown} [includeFields] stored fields that are wanted
 * @property {unknown} [highlightFields]
 * @property {import('@potoroo/search').HighlightOptions} [highlighting]
 * @property {number} [timeout] milliseconds that it may take
 * @property {string} [locale] of the numbers in a query of `nouveau`
 * @property {() => boolean} [isWanted] whether somebody still waits: the search ends early where nobody does
 *
 * @typedef {object} SearchHit
 * @property {string} id
 * @property {any[]} keys what it is ordered by, and its number
 * @property {number} score
 * @property {Record<string, any>} fields
 * @property {Record<string, string[]>} [highlights]
 * @property {string} [doc] JSON
 *
 * @typedef {object} SearchResult
 * @property {number} total
 * @property {SearchHit[]} hits
 * @property {any[]} [after] keys of the last hit, or those of the bookmark
 * @property {import('@potoroo/search').Sort[]} [sort] what the hits are ordered by; by relevance, if there is none
 * @property {Record<string, Record<string, number>>} [counts]
 * @property {Record<string, Record<string, number>>} [ranges]
 * @property {Array<{ by: any, total: number, best: any[], hits: SearchHit[] }>} [groups]
 */

/** UTF-16 units of a field that are looked at for what was found, as Lucene. */
const MARKED = 50 * 1024

/**
 * Runs a search of an index at one moment, and closes its snapshot.
 *
 * @param {import('./definition').TextDefinition} definition
 * @param {import('../index/text-index').TextSnapshot} snapshot
 * @param {SearchArgs} args
 * @param {Work} [work] that it may cost
 * @returns {Promise<SearchResult>}
 */
async function runSearch ({ analyze, dialect }, snapshot, args, work = new Work()) {
  try {
    const ask = dialects[dialect].ask(args, analyze)
    const options = findOptions(args)
    const { query, sort } = await ask(snapshot.reader)
    const shape = hitShape(args, query, analyze)
    const after = unpackBookmark(args.bookmark, sort)
    const { total, hits, counts, ranges, groups } = await find(snapshot.reader, restricted(query, args), { ...options, sort, after, work }, termMatcher)
    return {
      total,
      hits: await inShape(hits, shape),
      after: hits.at(-1)?.keys ?? after,
      sort,
      counts,
      ranges,
      groups: groups && await Promise.all(groups.map(async ({ hits, ...group }) => ({ ...group, hits: await inShape(hits, shape) })))
    }
  } finally {
    await snapshot.close()
  }
}

/** @typedef {(hit: import('@potoroo/search').Hit) => Generator<void, SearchHit>} Shape step by step: to mark what was found in a long text takes time */

/** @param {import('@potoroo/search').Hit[]} hits @param {Shape} shape */
async function inShape (hits, shape) {
  const turn = new Turn()
  /** @type {SearchHit[]} */
  const shaped = []
  for (const hit of hits) {
    const steps = shape(hit)
    let step = steps.next()
    for (; !step.done; step = steps.next()) if (turn.isLong) await turn.end()
    shaped.push(step.value)
  }
  return shaped
}

/** @param {SearchArgs} args @returns {import('@potoroo/search').FindOptions} */
function findOptions ({ limit, counts, ranges, group }) {
  return {
    limit,
    counts: readNames(counts, 'counts'),
    ranges: readRanges(ranges),
    group: group && { field: group.field, limit: group.limit, sort: readSorts(group.sort) ?? [{ by: 'score', descending: true }] }
  }
}

/**
 * The query among the documents that are asked for.
 *
 * @param {any} query
 * @param {SearchArgs} args
 */
function restricted (query, { partition, drilldown }) {
  const filters = readDrilldown(drilldown).map(([field, ...values]) => facetNode(facetField(field), values))
  const parts = partition === undefined ? [] : [{ type: 'term', field: PARTITION, term: partition }]
  const all = [...parts, ...filters].map(node => ({ occur: 'filter', node }))
  return all.length === 0 ? query : { type: 'boolean', clauses: [{ occur: 'must', node: query }, ...all] }
}

/** Documents with one of the values of a facet; without values, those that have the facet. @param {string} field @param {string[]} values */
function facetNode (field, values) {
  if (values.length === 0) return { type: 'prefix', field, prefix: '' }
  return { type: 'boolean', clauses: values.map(term => ({ occur: 'should', node: { type: 'term', field, term } })) }
}

/**
 * @param {SearchArgs} args
 * @param {any} query
 * @param {(text: string, field?: string) => import('@potoroo/search').Token[]} analyze
 * @returns {Shape}
 */
function hitShape ({ includeFields, highlightFields, highlighting }, query, analyze) {
  const names = readNames(typeof includeFields === 'string' ? [includeFields] : includeFields, 'include_fields')
  const highlighted = (readNames(highlightFields, 'highlight_fields') ?? []).map(field => ({ field, isWanted: wantedTerms(query, field, termMatcher) }))
  return function * ({ record, keys, score }) {
    const { id, stored } = /** @type {import('@potoroo/search').DocumentRecord} */ (record)
    const fields = names === undefined ? stored : Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name)))
    if (highlighted.length === 0 || highlighting === undefined) return { id, keys, score, fields }
    /** @type {Map<string, string[]>} */
    const highlights = new Map()
    for (const { field, isWanted } of highlighted) {
      const texts = Object.hasOwn(stored, field) ? [stored[field]].flat().filter(each => typeof each === 'string') : []
      const found = firstOf(texts).flatMap(text => highlight(text, analyze(text, field), isWanted, highlighting))
      if (found.length > 0) highlights.set(field, found.slice(0, highlighting.number))
      yield
    }
    return { id, keys, score, fields, highlights: Object.fromEntries(highlights) }
  }
}

/** @param {string[]} texts @returns {string[]} those that are looked at for what was found */
function firstOf (texts) {
  let left = MARKED
  return texts.flatMap(text => {
    const part = text.slice(0, left)
    left -= part.length
    return part === '' ? [] : [part]
  })
}

module.exports = { runSearch }
