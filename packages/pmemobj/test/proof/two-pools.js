'use strict'

// Moves money between two pools, each transfer in a transaction over both, until the process is killed. Each is
// acknowledged on the standard output once it is durable.
//
//   two-pools.js FOLDER SEED [CALLS]   with CALLS, it kills itself after that many calls that write

const fs = require('node:fs')
const path = require('node:path')
const { Pool } = require('../..')
const { randomFrom } = require('./random')

const MONEY = 1000
const LOG = 'transfers'
const NAMES = ['a', 'b']
/** Indices of bytes that change, in pages of their own: a buffer as big as that is changed in a draft. */
const PLACES = [0, 1000, 40000, 65535]
/** Calls of the addon that write. */
const WRITES = ['commit', 'put', 'del', 'flush']

/** Opens both in a folder, in an order. @param {string} folder @param {object} [options] @param {string[]} [order] */
function openBoth (folder, options = {}, order = NAMES) {
  const opened = new Map(order.map(name => [name, Pool.open(path.join(folder, name), options)]))
  const pools = NAMES.map(name => opened.get(name))
  for (const pool of pools) pool.root ??= { done: 0, money: MONEY, entries: new Map(), bytes: new Float64Array(PLACES.at(-1) + 1).fill(MONEY) }
  return pools
}

/** One transfer, or a part of one that is given up. */
function transfer (pools, random) {
  const [from, to] = random() < 0.5 ? pools : [...pools].reverse()
  const amount = Math.floor(random() * 100)
  return Pool.transaction(random() < 0.5 ? pools : [...pools].reverse(), () => {
    const withBytes = random() < 0.3 ? to : undefined
    from.root.money -= amount
    if (random() < 0.1) throw new RangeError('given up')
    to.root.money += amount
    for (const pool of pools) change(pool, random, pool === withBytes)
    return from.root.done
  })
}

/** Notes a transfer in one of both, in all its places. */
function change (pool, random, withBytes) {
  const { root } = pool
  const number = ++root.done
  pool.map(LOG).put('last', String(number))
  root.entries.set(number, { note: 'n'.repeat(random() < 0.1 ? 2000 : 10) })
  root.entries.delete(number - 10)
  if (!withBytes) return
  pool.transaction(() => {
    for (const place of PLACES) root.bytes[place] = number
    root.withBytes = number
  }, { snapshot: 'auto' })
}

/** @returns {string | undefined} what is wrong with what is there */
function problemOf ([a, b]) {
  const { done, money } = a.root
  if (b.root.done !== done) return `one has ${done} transfers, the other one ${b.root.done}`
  if (money + b.root.money !== 2 * MONEY) return `there are ${money} and ${b.root.money}`
  for (const { root, last } of [a, b].map(pool => ({ root: pool.root, last: pool.map(LOG).get('last', { encoding: 'utf8' }) }))) {
    if (last !== (done === 0 ? undefined : String(done))) return `the map has ${last}, the objects ${done}`
    if (root.entries.size !== Math.min(done, 10) || (done > 0 && !root.entries.has(done))) return `of ${done} there are ${[...root.entries.keys()]}`
    const bytes = PLACES.map(place => root.bytes[place])
    if (bytes.some(each => each !== (root.withBytes ?? MONEY))) return `the bytes have ${bytes}, the objects ${root.withBytes}`
  }
}

/** Kills the process after some calls that write. */
function killAfter (calls) {
  const binding = require('../../lib/binding/binding')
  for (const name of WRITES) {
    const usual = binding[name]
    binding[name] = (...args) => {
      const given = usual(...args)
      if (--calls > 0) return given
      process.kill(process.pid, 'SIGKILL')
      for (;;);
    }
  }
}

function work (folder, seed, calls) {
  const pools = openBoth(folder)
  for (const pool of pools) pool.map(LOG)
  if (calls !== undefined) killAfter(calls)
  const random = randomFrom(seed)
  for (;;) {
    try {
      fs.writeSync(1, `${transfer(pools, random)}\n`)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
}

if (require.main === module) work(process.argv[2], Number(process.argv[3]), process.argv[4] && Number(process.argv[4]))

module.exports = { LOG, openBoth, problemOf, transfer }
