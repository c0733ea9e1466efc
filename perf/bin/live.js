#!/usr/bin/env node
'use strict'

// node perf/bin/live.js prints the CPU time of a commit of one document in a database without live queries, with one, and with
// 10,000 of one shape, by turns (and one more that tells when all have been told): each of the documents is in the result of one query, or of none. Beside it stands what matching each query would
// cost, and what a query keeps in memory.

const { setMaxListeners } = require('node:events')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango, compileSelector, liveFigures, liveFind } = require('@potoroo/indexes')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = 15
const COMMITS = 1000
const QUERIES = 10_000

/** @type {Record<string, { selector: (i: number) => any, doc: (i: number) => any }>} */
const SHAPES = {
  'two equalities': { selector: i => ({ type: 'task', owner: `user-${i}` }), doc: i => ({ type: 'task', owner: `user-${i % QUERIES}`, n: i }) },
  'an equality and an interval': {
    selector: i => ({ type: 'offer', price: { $gte: i * 10, $lt: i * 10 + 10 } }),
    doc: i => ({ type: 'offer', price: (i * 10 + 5) % (QUERIES * 10), n: i })
  },
  'two equalities, of no query': { selector: i => ({ type: 'task', owner: `user-${i}` }), doc: i => ({ type: 'task', owner: `nobody-${i}`, n: i }) }
}

/** A database with a number of live queries, each read by somebody. */
class Followed {
  #store
  #ending = new AbortController()
  events = 0
  /** @type {Promise<void>[]} */
  #readers = []
  #marked = () => {}

  static async open (queries, selector) {
    const followed = new Followed()
    setMaxListeners(0, followed.#ending.signal)
    followed.#store = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    const mango = new Mango()
    let ready = 0
    let resolveReady
    const allReady = new Promise(resolve => { resolveReady = resolve })
    const finds = []
    if (queries === 0) return followed
    const selectors = [{ mark: true }, ...Array.from({ length: queries }, (_, i) => selector(i))]
    for (const each of selectors) finds.push(await liveFind(mango, followed.#store, { selector: each }, { signal: followed.#ending.signal }))
    followed.#readers = finds.map(async (find, i) => {
      for await (const page of find) {
        for (const { text } of page) {
          if (text.startsWith('{"type":"ready"')) {
            if (++ready === selectors.length) resolveReady()
          } else if (i === 0) followed.#marked()
          else followed.events++
        }
      }
    })
    await allReady
    return followed
  }

  get figures () { return liveFigures(this.#store) }

  /** Microseconds of CPU time that each commit took, until all queries were told. */
  async cost (docOf, round) {
    const before = process.cpuUsage()
    for (let i = 0; i < COMMITS; i++) await this.#store.put({ _id: `${round}-${i}`, ...docOf(round * COMMITS + i) })
    const told = this.#readers.length === 0 ? undefined : new Promise(resolve => { this.#marked = resolve })
    await this.#store.put({ _id: `mark-${round}`, mark: true })
    await told
    const { user, system } = process.cpuUsage(before)
    return (user + system) / COMMITS
  }

  async close () {
    this.#ending.abort()
    await Promise.all(this.#readers)
    await this.#store.close()
  }
}

/** Microseconds to match a document against each of the selectors. */
function eachMatched (selector, docOf) {
  const matchers = Array.from({ length: QUERIES }, (_, i) => compileSelector(selector(i)))
  const before = process.cpuUsage()
  for (let i = 0; i < 100; i++) for (const matches of matchers) matches(docOf(i))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 100
}

async function measure (name, { selector, doc }) {
  const counts = [0, 1, QUERIES]
  const databases = []
  let bytes = 0
  for (const count of counts) {
    const before = memory()
    databases.push(await Followed.open(count, selector))
    if (count === QUERIES) bytes = (memory() - before) / QUERIES
  }
  const costs = counts.map(() => [])
  for (let round = 0; round < ROUNDS; round++) for (const [i, database] of databases.entries()) costs[i].push(await database.cost(doc, round))
  const [none, one, all] = costs.map(median)
  const { queries, shapes } = databases[2].figures
  console.log(`${name}: a commit ${none.toFixed(1)} µs without live queries, ${one.toFixed(1)} with 1, ${all.toFixed(1)} with ${queries - 1} of ${shapes - 1} shape (${databases[2].events} events); ` +
    `${eachMatched(selector, doc).toFixed(0)} to match each; ${(bytes / 1024).toFixed(1)} KB a query`)
  for (const database of databases) await database.close()
}

function memory () {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

async function main () {
  for (const [name, shape] of Object.entries(SHAPES)) await measure(name, shape)
}

main()
