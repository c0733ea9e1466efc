'use strict'

const { comparator, readSorts } = require('@potoroo/indexes')

/**
 * @typedef {import('@potoroo/indexes').SearchResult} SearchResult
 * @typedef {import('@potoroo/indexes').SearchArgs} SearchArgs
 * @typedef {import('@potoroo/indexes').SearchHit & { shard: number }} PlacedHit
 */

/**
 * Merges what shards have found of a search. `after` is a list of each shard's.
 *
 * @param {SearchResult[]} results
 * @param {SearchArgs} args
 * @param {Array<any[] | null>} before the places after which the shards were asked
 * @returns {SearchResult}
 */
function mergeResults (results, args, before) {
  const [{ sort }] = results
  const compare = inShards(comparator(sort))
  const hits = placed(results.map(({ hits }) => hits)).sort(compare).slice(0, args.limit)
  const after = [...before]
  for (const { shard, keys } of hits) after[shard] = keys
  return {
    total: results.reduce((sum, { total }) => sum + total, 0),
    hits,
    sort,
    after: after.every(keys => keys === null) ? undefined : after,
    counts: sumOf(results.map(({ counts }) => counts)),
    ranges: sumOf(results.map(({ ranges }) => ranges)),
    groups: args.group && mergeGroups(results, args, compare),
    latency: Math.max(...results.map(({ latency }) => latency))
  }
}

/** @param {(a: any[], b: any[]) => number} compare keys @returns {(a: PlacedHit, b: PlacedHit) => number} */
function inShards (compare) { return (a, b) => compare(a.keys, b.keys) || a.shard - b.shard }

/** @template T @param {T[][]} lists of each shard @returns {Array<T & { shard: number }>} */
function placed (lists) { return lists.flatMap((list, shard) => list.map(each => ({ ...each, shard }))) }

/** @param {Array<Record<string, Record<string, number>> | undefined>} facets */
function sumOf (facets) {
  if (facets[0] === undefined) return undefined
  /** @type {Record<string, Record<string, number>>} */
  const sums = Object.create(null)
  for (const each of facets) {
    for (const [field, values] of Object.entries(each ?? {})) {
      const sum = new Map(Object.entries(sums[field] ?? {}))
      for (const [value, count] of Object.entries(values)) sum.set(value, (sum.get(value) ?? 0) + count)
      sums[field] = Object.fromEntries(sum)
    }
  }
  return sums
}

/** @param {SearchResult[]} results @param {SearchArgs} args @param {(a: PlacedHit, b: PlacedHit) => number} compare */
function mergeGroups (results, { group, limit }, compare) {
  const compareBest = comparator(readSorts(group?.sort))
  /** @type {Map<any, { by: any, total: number, best: any[], hits: PlacedHit[] }>} */
  const groups = new Map()
  results.forEach(({ groups: found = [] }, shard) => {
    for (const { by, total, best, hits } of found) {
      const own = hits.map(hit => ({ ...hit, shard }))
      const known = groups.get(by)
      if (known === undefined) groups.set(by, { by, total, best, hits: own })
      else groups.set(by, { by, total: total + known.total, best: compareBest(best, known.best) < 0 ? best : known.best, hits: [...known.hits, ...own] })
    }
  })
  return [...groups.values()].sort((a, b) => compareBest(a.best, b.best)).slice(0, limit)
    .map(each => ({ ...each, hits: each.hits.sort(compare).slice(0, group?.limit) }))
}

module.exports = { mergeResults }
