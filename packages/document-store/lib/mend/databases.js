'use strict'

const { Keyspace, del, put } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { isStorable } = require('../commit/storable')
const { explain } = require('./explain')
const { mend } = require('./mend')
const { freeName, mendSharded } = require('./shards')

/**
 * @import { Missing } from '../..'
 */

const NUMBER = /^[1-9]\d{0,15}$/

/**
 * Mends a catalogue of databases (see databases.js) and each of them. A database whose name
 * is lost is called `salvaged-<number>`.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, renew?: boolean, missing?: import('../..').Missing[] }} [options] `missing`:
 *   what is known to be lost of the level; of it is told what is not lost otherwise
 * @returns {AsyncGenerator<import('../..').Loss>} what is lost, with the name of its database
 */
async function * mendDatabases (level, { prefix = '', renew = false, missing = [] } = {}) {
  const keyspace = new Keyspace(level)
  const gone = await stillMissing(keyspace, missing)
  const names = yield * mendCatalogue(keyspace, prefix)
  const told = new Set()
  for (const [number, database] of names) {
    for await (const loss of mend(level, { prefix: `${prefix}b${number}/`, renew })) {
      if (loss.kind === 'document') told.add(`${database}/${loss.id}`)
      yield { database, ...loss }
    }
  }
  yield * mendSharded(keyspace, prefix, names)
  for (const each of gone) {
    const loss = explain(prefix, names, each)
    if (loss !== null && !told.has(`${loss.database}/${loss.id}`)) yield loss
  }
}

/**
 * Leaves out what is there again: the log of a pool may have brought it back.
 *
 * @param {Keyspace} keyspace
 * @param {Missing[]} missing
 */
async function stillMissing (keyspace, missing) {
  const gone = []
  for (const each of missing) {
    const isThere = each.kind === 'value' && await keyspace.level.get(each.from, { keyEncoding: 'buffer', valueEncoding: 'buffer' }) !== undefined
    if (!isThere) gone.push(each)
  }
  return gone
}

/**
 * @param {Keyspace} keyspace
 * @param {string} prefix
 * @returns {AsyncGenerator<import('../..').Loss, Map<string, string>>} number → name, of all databases that there are
 */
async function * mendCatalogue (keyspace, prefix) {
  const numbers = yield * numbersIn(keyspace, prefix)
  const names = new Map()
  const operations = []
  const remove = (/** @type {string} */ key) => { operations.push(del(key)) }
  for (const [key, number] of await all(keyspace, prefix + 'n')) {
    const name = key.slice(prefix.length + 1)
    if (NUMBER.test(number) && !names.has(number) && name !== '' && isStorable(name)) names.set(number, name)
    else {
      yield { kind: 'entry', name }
      remove(key)
    }
  }
  const dropped = new Set((await all(keyspace, prefix + 'x')).map(([key]) => key.slice(prefix.length + 1)))
  for (const number of dropped) if (names.has(number) || !NUMBER.test(number)) remove(prefix + 'x' + number)
  for (const number of numbers) {
    if (names.has(number) || dropped.has(number)) continue
    const name = freeName(names, number)
    names.set(number, name)
    operations.push(put(prefix + 'n' + name, number))
    yield { kind: 'name', database: name }
  }
  const next = String(Math.max(1, ...[...names.keys(), ...dropped].filter(number => NUMBER.test(number)).map(number => Number(number) + 1)))
  const stored = await keyspace.get(prefix + 'q')
  if (stored === undefined || !NUMBER.test(stored) || Number(stored) < Number(next)) operations.push(put(prefix + 'q', next))
  if (operations.length > 0) await keyspace.write(operations)
  return names
}

/** @param {Keyspace} keyspace @param {string} store */
function all (keyspace, store) {
  return keyspace.entries({ gte: store, lt: after(store) }).all()
}

/**
 * Returns the numbers of databases that have any key. Removes keys that belong to nothing.
 *
 * @param {Keyspace} keyspace
 * @param {string} prefix
 * @returns {AsyncGenerator<import('../..').Loss, Set<string>>}
 */
async function * numbersIn (keyspace, prefix) {
  const numbers = new Set()
  const end = prefix === '' ? {} : { lt: Buffer.from(after(prefix)) }
  const bytes = { keyEncoding: 'buffer', valueEncoding: 'buffer' }
  let from = Buffer.from(prefix)
  while (true) {
    const [key] = await keyspace.level.keys({ gte: from, ...end, limit: 1, ...bytes }).all()
    if (key === undefined) return numbers
    const own = key.subarray(Buffer.byteLength(prefix)).toString('latin1')
    const number = /^b([1-9]\d{0,15})\//.exec(own)?.[1]
    const store = ['n', 's', 'x'].includes(own[0]) ? own[0] : undefined
    if (number !== undefined) numbers.add(number)
    else if (store === undefined && own !== 'q') {
      yield { kind: 'key', key: own }
      await keyspace.level.del(key, bytes)
    }
    if (number !== undefined) from = Buffer.from(after(new Layout(`${prefix}b${number}/`).prefix))
    else from = store !== undefined ? Buffer.from(after(prefix + store)) : Buffer.concat([key, Buffer.from([0])])
  }
}

module.exports = { mendDatabases }
