#!/usr/bin/env node
'use strict'

// node perf/bin/vectors.js [count] prints what vectors near a vector cost in memory, and how many of the nearest ten are found: CPU time
// for each vector that is added, and for each query, by the graph and one by one.

const { VectorIndex } = require('@potoroo/search')
const { readNumber, readOptions } = require('../lib/run/command-line')

const QUERIES = 100
const K = 10

/** Gaussian clusters, whose number is 1 for vectors without any structure: the hardest. */
const SETS = [
  { metric: 'cosine', dimensions: 64, clusters: 100 },
  { metric: 'cosine', dimensions: 384, clusters: 100 },
  { metric: 'dot', dimensions: 128, clusters: 50 },
  { metric: 'l2', dimensions: 128, clusters: 50 },
  { metric: 'l2', dimensions: 128, clusters: 1 }
]

/** @param {number} state */
function numbers (state) {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/** @param {{ dimensions: number, clusters: number }} set */
function maker ({ dimensions, clusters }) {
  const next = numbers(7)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const centres = Array.from({ length: clusters }, () => Array.from({ length: dimensions }, normal))
  return () => centres[Math.floor(next() * clusters)].map(each => each + 0.7 * normal())
}

/** @param {() => any} action @returns {Promise<number>} microseconds of CPU time */
async function cost (action) {
  const before = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** @param {typeof SETS[number]} set @param {number} count */
async function measure (set, count) {
  const vector = maker(set)
  const index = new VectorIndex(set)
  const ids = Array.from({ length: count }, (_, at) => `d${at}`)
  for (const id of ids) index.set(id, vector())
  const build = await cost(() => index.build())
  const queries = Array.from({ length: QUERIES }, vector)
  /** @type {any[]} */
  let [near, exact] = [[], []]
  const byGraph = await cost(async () => { for (const query of queries) near.push(await index.nearest(query, K)) })
  const oneByOne = await cost(() => { exact = queries.map(query => index.rank(query, ids).slice(0, K)) })
  const found = near.reduce((sum, hits, at) => sum + hits.filter((/** @type {any} */ { id }) => exact[at].some((/** @type {any} */ hit) => hit.id === id)).length, 0)
  const micros = (/** @type {number} */ total, /** @type {number} */ times) => `${Math.round(total / times)} µs`.padStart(9)
  console.log(`${set.metric.padEnd(6)} ${String(set.dimensions).padStart(4)} dimensions, ${String(set.clusters).padStart(3)} clusters: add ${micros(build, count)}, query ${micros(byGraph, QUERIES)}, one by one ${micros(oneByOne, QUERIES)}, recall@${K} ${(found / QUERIES / K).toFixed(3)}`)
}

async function main () {
  const count = readNumber(readOptions({ allowPositionals: true }).positionals[0] ?? '20000', 'COUNT')
  console.log(`${count} vectors, ${QUERIES} queries of ${K}`)
  for (const set of SETS) await measure(set, count)
}

main()
