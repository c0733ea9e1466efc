'use strict'

const { makeKeys, makeValue } = require('../lib/data/samples')
const { expectRows } = require('../lib/data/expect')
const { footprint, prepareFootprint, bytesOnMedia } = require('../lib/run/footprint')

const LOAD_BATCH = 1000
const MANY = 100
const PAGE = 1000
const RANGES = 256
const RAW = 16 + 200

/** The common parts. Durable trials write, and are measured on a disk, too. */
const reads = { unit: 'get', size: 100_000, step: 1000, prepare: withKeys }
const writes = { unit: 'put', size: 100_000, durable: true, prepare: withNewKeys }
const scans = { unit: 'row', needs: 'iterator', size: 100_000, step: 1, prepare: withKeys }
const whole = { needs: 'files', size: 1_000_000 }

/** @type {import('../lib/run/catalogue').Trial[]} */
module.exports = [
  putBy(10),
  putBy(100),
  { ...writes, name: 'put', step: 100, most: 200_000, run: putAll },
  batchOf(100),
  batchOf(1000),
  {
    ...reads,
    name: 'get',
    needs: 'get',
    async run ({ level, keys }, start, step) {
      for (let index = start; index < start + step; index++) expectValue(await level.get(keys[index % keys.length]))
    }
  },
  {
    ...reads,
    name: 'getSync',
    needs: 'getSync',
    async run ({ level, keys }, start, step) {
      for (let index = start; index < start + step; index++) expectValue(level.getSync(keys[index % keys.length]))
    }
  },
  {
    // The keys are not neighbours.
    ...reads,
    name: `getMany of ${MANY}`,
    needs: 'getMany',
    step: 10 * MANY,
    async run ({ level, keys }, start, step) {
      for (let index = start; index < start + step; index += MANY) {
        const from = index % (keys.length - MANY + 1)
        for (const value of await level.getMany(keys.slice(from, from + MANY))) expectValue(value)
      }
    }
  },
  { ...scans, name: 'scan', run: ({ level, keys }) => scan(level, keys.length, { reverse: false }) },
  { ...scans, name: 'scan in reverse', run: ({ level, keys }) => scan(level, keys.length, { reverse: true }) },
  {
    // A range is all keys with the same two first digits.
    name: 'clear of a range',
    unit: 'entry',
    needs: 'clear',
    size: 100_000,
    step: 1,
    most: RANGES,
    async prepare (level, { size }) {
      const counts = new Array(RANGES).fill(0)
      for (const key of await load(level, size)) counts[parseInt(key.slice(0, 2), 16)]++
      return { level, counts }
    },
    async run ({ level, counts }, start) {
      const bound = start.toString(16).padStart(2, '0')
      await level.clear({ gte: bound, lt: `${bound}g` })
      const iterator = level.iterator({ gte: bound, limit: 1 })
      const [first] = await iterator.nextv(1)
      await iterator.close()
      if (first?.[0].startsWith(bound)) throw new Error(`${first[0]} is still there`)
      return counts[start]
    }
  },
  {
    ...whole,
    name: 'close and open',
    unit: 'entry',
    step: 1,
    async prepare (level, { size, reopen }) {
      const keys = await load(level, size)
      return { current: level, size, key: keys[0], reopen }
    },
    async run (state) {
      await state.current.close()
      state.current = await state.reopen()
      expectValue((await state.current.getMany([state.key]))[0])
      return state.size
    }
  },
  { ...whole, ...footprint, name: 'DRAM', unit: 'entry', prepare: prepareFootprint(load) },
  {
    // The entries came in random order.
    ...whole,
    name: 'bytes on media',
    unit: 'raw byte',
    figure: 'bytes',
    async prepare (level, { size, folder }) {
      await load(level, size)
      await level.close()
      return { size, folder }
    },
    run: async ({ size, folder }) => bytesOnMedia(folder) / (size * RAW)
  }
]

/** Durable puts by several writers at once, each of whom awaits its own. */
function putBy (writers) {
  const each = 10
  return {
    ...writes,
    name: `put by ${writers} at once`,
    step: writers * each,
    most: 500_000,
    async run (state, start) {
      await Promise.all(Array.from({ length: writers }, (_, writer) => putAll(state, start + writer * each, each)))
    }
  }
}

async function putAll ({ level, keys }, start, count) {
  for (let index = start; index < start + count; index++) await level.put(keys[index], makeValue(index), { sync: true })
}

/** Durable batches of new entries. */
function batchOf (count) {
  return {
    ...writes,
    name: `batch of ${count}`,
    step: count,
    most: 500_000,
    async run ({ level, keys }, start, step) { await level.batch(puts(keys.slice(start, start + step), start), { sync: true }) }
  }
}

async function scan (level, size, options) {
  const iterator = level.iterator(options)
  let rows = 0
  for (let page; (page = await iterator.nextv(PAGE)).length > 0;) rows += page.length
  await iterator.close()
  expectRows({ length: rows }, size)
  return rows
}

async function withKeys (level, { size }) {
  return { level, keys: await load(level, size) }
}

/** Keys that `load` does not use, as many as a measurement can want. */
async function withNewKeys (level, { size }) {
  await load(level, size)
  return { level, keys: makeKeys(1_000_000, 7) }
}

/**
 * Fills a level with `size` entries under random keys of 16 bytes, values of 200 bytes.
 *
 * @returns {Promise<string[]>} the keys, in no order
 */
async function load (level, size) {
  const keys = makeKeys(size)
  for (let start = 0; start < size; start += LOAD_BATCH) await level.batch(puts(keys.slice(start, start + LOAD_BATCH), start))
  return keys
}

function puts (keys, start) {
  return keys.map((key, index) => ({ type: 'put', key, value: makeValue(start + index) }))
}

function expectValue (value) {
  if (value.length !== 200) throw new Error(`Not the value: ${value}`)
}
