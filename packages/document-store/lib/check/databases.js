'use strict'

const { Keyspace } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { check } = require('./check')
const { inOrder } = require('./damage')
const { readablePages } = require('./readable-pages')

/**
 * @import { Level } from '../media/keyspace'
 */

/** Problems of one database that are kept. */
const MOST = 1000

/** The first letters of the catalogue's keys. */
const STORES = new Set(['n', 's', 'x'])

/**
 * Checks a catalogue of databases (see databases.js) and each of them.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, onLeftover?: (sentence: string) => void, faults?: import('../..').Fault[] }} [options] the
 *   prefix of the catalogue; the others as in `check`
 * @returns {AsyncGenerator<string>} problems, those of a database with its name in front
 */
async function * checkDatabases (level, { prefix = '', onLeftover = () => {}, faults = [] } = {}) {
  const keyspace = new Keyspace(level)
  const numbers = await numbersOf(keyspace, prefix, faults)
  yield * damageOfNone(prefix, numbers, faults)
  const next = Number(await keyspace.get(prefix + 'q') ?? '1')
  for (const [number, name] of numbers) {
    if (!(Number(number) < next)) yield `The number ${number} of database ${name} will be given again`
    const prefixOfOne = `${prefix}b${number}/`
    if (await keyspace.get(new Layout(prefixOfOne).meta('destroying')) !== undefined) {
      yield `${name}: The database is there, and is marked as being deleted: opening it would remove it`
      continue
    }
    const options = { prefix: prefixOfOne, faults, onLeftover: (/** @type {string} */ sentence) => onLeftover(`${name}: ${sentence}`) }
    for await (const problem of problemsOf(level, options)) yield `${name}: ${problem}`
  }
  const dropped = yield * checkDropped(keyspace, prefix, numbers, onLeftover)
  yield * checkKeys(keyspace, prefix, numbers, dropped, faults)
}

/**
 * Checks the same while others write, create and drop databases: each database as it is at one moment. Keys that
 * belong to no database cannot be told then.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, faults?: import('../..').Fault[] }} [options] as of `checkDatabases`
 * @returns {AsyncGenerator<string>} problems, with the name of the database in front
 */
async function * checkOnline (level, { prefix = '', faults = [] } = {}) {
  const keyspace = new Keyspace(level)
  for (const [number, name] of await numbersOf(keyspace, prefix, faults)) {
    const problems = []
    for await (const problem of problemsOf(level, { prefix: `${prefix}b${number}/`, faults })) if (problems.length < MOST) problems.push(problem)
    // One that was dropped meanwhile was being cleared.
    if (problems.length > 0 && await keyspace.get(`${prefix}n${name}`) === number) yield * problems.map(problem => `${name}: ${problem}`)
  }
}

/** @param {Level} level @param {import('../..').CheckOptions} options */
async function * problemsOf (level, options) {
  try {
    yield * check(level, options)
  } catch (error) {
    if (level.status !== 'open') throw error
    yield `The rest of the database cannot be read: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`
  }
}

/**
 * Returns the names of databases by number.
 *
 * @param {Keyspace} keyspace
 * @param {string} prefix
 * @param {import('../..').Fault[]} faults
 */
async function numbersOf (keyspace, prefix, faults) {
  const names = prefix + 'n'
  /** @type {Map<string, string>} */
  const numbers = new Map()
  const options = { faults: inOrder(faults), onGap: () => {} }
  for await (const page of readablePages(bounds => keyspace.entries(bounds), { gte: names, lt: after(names) }, options)) {
    for (const [key, number] of page) numbers.set(number, key.slice(names.length))
  }
  return numbers
}

/**
 * Tells of the damage that belongs to no database.
 *
 * @param {string} prefix
 * @param {Map<string, string>} numbers
 * @param {import('../..').Fault[]} faults
 */
function * damageOfNone (prefix, numbers, faults) {
  for (const { kind, key } of inOrder(faults)) {
    const own = key.startsWith(prefix) ? key.slice(prefix.length) : ''
    const number = /^b(\d+)\//.exec(own)?.[1]
    if (number !== undefined && numbers.has(number)) continue
    if (kind === 'value' && own[0] === 'n') yield `The entry of database ${own.slice(1)} is damaged`
    else yield kind === 'value' ? `The value of the key ${JSON.stringify(key)} is damaged` : `Entries from the key ${JSON.stringify(key)} on are damaged`
  }
}

/**
 * Checks the marks of databases that were deleted, of which there may still be something.
 *
 * @param {Keyspace} keyspace
 * @param {string} prefix
 * @param {Map<string, string>} numbers
 * @param {(sentence: string) => void} onLeftover
 */
async function * checkDropped (keyspace, prefix, numbers, onLeftover) {
  const marks = prefix + 'x'
  const dropped = new Set()
  for (const key of await keyspace.keys({ gte: marks, lt: after(marks) }).all()) {
    const number = key.slice(marks.length)
    if (numbers.has(number)) yield `The database ${numbers.get(number)} is there, and is marked as deleted: the next start would remove it`
    else onLeftover(`The next start removes what is left of a database that was deleted, number ${number}`)
    dropped.add(number)
  }
  return dropped
}

/**
 * Checks that every key is one of the catalogue's or one of a database's.
 *
 * @param {Keyspace} keyspace
 * @param {string} prefix
 * @param {Map<string, string>} numbers
 * @param {Set<string>} dropped
 * @param {import('../..').Fault[]} faults
 */
async function * checkKeys (keyspace, prefix, numbers, dropped, faults) {
  // Keys of a database whose entry is damaged are lost with it.
  if (faults.some(({ key }) => key.toString().startsWith(`${prefix}n`))) return
  const range = prefix === '' ? {} : { gte: prefix, lt: after(prefix) }
  for await (const page of readablePages(bounds => keyspace.keys(bounds), range, { faults: inOrder(faults), onGap: () => {} })) {
    for (const key of page) {
      const own = key.slice(prefix.length)
      const number = /^b(\d+)\//.exec(own)?.[1]
      if (number !== undefined && (numbers.has(number) || dropped.has(number))) continue
      if (own !== 'q' && !STORES.has(own[0])) yield `The key ${JSON.stringify(key)} belongs to no database`
    }
  }
}

module.exports = { checkDatabases, checkOnline }
