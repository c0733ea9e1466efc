'use strict'

/**
 * @typedef {import('../plan/candidates').Candidate} Candidate
 * @typedef {{ id: string, rank: number }} Ranked
 *
 * The first ids of an order, each with the values that it is compared by.
 * @typedef {{ descending: boolean[], rows: Array<[id: string, values: any[]]> }} RankList
 *
 * The part of one of several databases: its ids, with their place among those of all.
 * @typedef {Array<[id: string, place: number, rank: number]>} RankedPart
 */

/** Ranks that are mixed, of the text and of the vectors, at least. */
const LEAST = 100

/** The constant of reciprocal rank fusion: the first few count alike. */
const RANK = 60

/** Ranks of each list that are mixed. @param {number} k documents that are asked for */
function depthOf (k) { return Math.max(LEAST, 4 * k) }

/**
 * Mixes lists of ids by reciprocal rank fusion.
 *
 * @param {string[][]} lists the first of each is the best
 * @returns {Ranked[]}
 * @see Cormack, Clarke, Büttcher: Reciprocal rank fusion outperforms Condorcet and individual rank learning methods. SIGIR 2009
 */
function mixRanks (lists) {
  /** @type {Map<string, number>} */
  const scores = new Map()
  for (const list of lists) list.forEach((id, at) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK + at + 1)))
  return [...scores].sort(([left, its], [right, other]) => other - its || (left < right ? -1 : 1)).map(([id, rank]) => ({ id, rank }))
}

/**
 * The lists of one database: by the vectors, and by the text.
 *
 * @param {AsyncGenerator<Ranked[]>} byVector the nearest first
 * @param {Candidate} byText
 * @param {{ k: number, isWanted?: () => boolean }} options isWanted: whether somebody still waits
 * @returns {Promise<RankList[]>}
 */
async function listsOf (byVector, { scans: [scan], ranking }, { k, isWanted }) {
  const depth = depthOf(k)
  const { descending, valuesOf } = /** @type {NonNullable<Candidate['ranking']>} */ (ranking)
  const { read } = /** @type {Required<import('../plan/candidates').Scan>} */ (scan)
  const [near, texts] = await Promise.all([firstOf(byVector, depth), firstOf(read(scan, { wanted: depth, isWanted, descending: false }), depth)])
  return [
    { descending: [true], rows: near.map(({ id, rank }) => [id, [rank]]) },
    { descending, rows: texts.map(({ id, key }) => [id, valuesOf(key)]) }
  ]
}

/** @template Row @param {AsyncIterable<Row[]>} pages @param {number} count @returns {Promise<Row[]>} */
async function firstOf (pages, count) {
  /** @type {Row[]} */
  const first = []
  for await (const page of pages) {
    first.push(...page)
    if (first.length >= count) break
  }
  return first.slice(0, count)
}

/**
 * Mixes the lists of several databases.
 *
 * @param {RankList[][]} answers the lists of each
 * @param {number} k
 * @param {(descending: boolean[]) => (a: any[], b: any[]) => number} comparisonOf values of rows
 * @returns {RankedPart[]} the part of each
 */
function mixDatabases (answers, k, comparisonOf) {
  /** @type {Map<string, number>} */
  const databases = new Map()
  const lists = answers[0].map(({ descending }, at) => {
    const compare = comparisonOf(descending)
    const rows = answers.flatMap((lists, database) => lists[at].rows.map(([id, values]) => ({ id, values, database })))
    const first = rows.sort((a, b) => compare(a.values, b.values)).slice(0, depthOf(k))
    for (const { id, database } of first) databases.set(id, database)
    return first.map(({ id }) => id)
  })
  /** @type {RankedPart[]} */
  const parts = answers.map(() => [])
  mixRanks(lists).forEach(({ id, rank }, place) => parts[/** @type {number} */ (databases.get(id))].push([id, place, rank]))
  return parts
}

module.exports = { listsOf, mixDatabases, mixRanks }
