#!/usr/bin/env node
'use strict'

// node perf/bin/adaptive.js prints what it costs a find that no learned index will help that its database learns: CPU time of
// the same find in one database by turns, with learning and without. A word after it chooses finds.

const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { AdaptiveIndexes, Mango } = require('@potoroo/indexes')
const { choose, readOptions } = require('../lib/run/command-line')

const ROUNDS = 300
const MILLISECONDS = 10

const document = n => ({
  _id: `d${String(n).padStart(6, '0')}`,
  n,
  kind: `kind ${n % 3}`,
  even: n % 2 === 0,
  name: `Ada Lovelace ${n}`,
  email: `ada${n}@example.com`,
  address: { street: '12 St James Square', zip: '10115', city: 'Berlin' }
})

/** Finds by their names: how many documents the database has, and the body. */
const FINDS = {
  'by id': [10000, { selector: { _id: 'd000500' } }],
  'by an index of a design document': [10000, { selector: { email: 'ada77@example.com' } }],
  'a scan that soon has enough': [10000, { selector: { even: true } }],
  'a scan of which most match': [10000, { selector: { kind: { $in: ['kind 0', 'kind 1'] } }, limit: 10000 }],
  'a scan of which nothing matches, by a range that most are in': [10000, { selector: { n: { $gte: 10 }, name: { $regex: 'Grace' } } }],
  'a scan of all': [10000, { selector: {}, limit: 10000 }],
  'a scan of a small database': [900, { selector: { kind: 'kind 1', n: { $gt: 890 } } }]
}

/** @param {number} count */
async function database (count) {
  const store = await DocumentStore.open(new MemoryLevel())
  await store.write(Array.from({ length: count }, (_, n) => document(n)))
  await new Mango().create(store, { index: { fields: ['email'] } })
  return store
}

/** Microseconds of CPU time of one, of as many as take some time. */
async function cost (find, times) {
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) await find()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** The one that a tenth are below: other work on the machine only adds. @param {number[]} costs */
function lowest (costs) { return costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 10)] }

async function main () {
  const { positionals: [only = ''] } = readOptions({ allowPositionals: true })
  for (const [name, [count, body]] of choose(Object.entries(FINDS), only, { option: 'NAME', nameOf: ([name]) => name, isPattern: false })) {
    const store = await database(count)
    const adaptive = new AdaptiveIndexes()
    const mangos = [new Mango(), new Mango({ adaptive })]
    const finds = mangos.map(mango => () => mango.find(store, body))
    for (const find of finds) await cost(find, 20)
    const times = Math.max(1, Math.round(MILLISECONDS * 1000 / await cost(finds[0], 5)))
    const costs = [[], []]
    for (let round = 0; round < ROUNDS; round++) for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) costs[i].push(await cost(finds[i], times))
    const [plain, learning] = costs.map(lowest)
    const learned = (await adaptive.describe(store)).indexes.length
    console.log(`${name}: ${plain.toFixed(1)} µs, learning ${((learning / plain - 1) * 100).toFixed(1)} % more${learned > 0 ? ' (it learned an index)' : ''}`)
    await store.close()
  }
}

main()
