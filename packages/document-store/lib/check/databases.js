'use strict'

const { Keyspace } = require('../keyspace')
const { Layout, after } = require('../layout')
const { check } = require('./check')
const { pagesOf } = require('./pages')

/** Problems of one database that are kept. */
const MOST = 1000

/**
 * The same of a catalogue of databases (see databases.js) and of each of them.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, onLeftover?: (sentence: string) => void }} [options] the prefix of the
 *   catalogue; `onLeftover` as in `check`
 * @returns {AsyncGenerator<string>} problems, those of a database with its name in front
 */
async function * checkDatabases (level, { prefix = '', onLeftover = () => {} } = {}) {
  const keyspace = new Keyspace(level)
  const numbers = await numbersOf(keyspace, prefix)
  const next = Number(await keyspace.get(prefix + 'q') ?? '1')
  for (const [number, name] of numbers) {
    if (!(Number(number) < next)) yield `The number ${number} of database ${name} will be given again`
    const prefixOfOne = `${prefix}b${number}/`
    if (await keyspace.get(new Layout(prefixOfOne).meta('destroying')) !== undefined) {
      yield `${name}: The database is there, and is marked as being deleted: opening it would remove it`
      continue
    }
    const options = { prefix: prefixOfOne, onLeftover: sentence => onLeftover(`${name}: ${sentence}`) }
    for await (const problem of check(level, options)) yield `${name}: ${problem}`
  }
  const dropped = yield * checkDropped(keyspace, prefix, numbers, onLeftover)
  yield * checkKeys(keyspace, prefix, numbers, dropped)
}

/**
 * The same while others write, create and drop databases: each database as it is at one moment. What
 * belongs to no database cannot be told then.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string }} [options] the prefix of the catalogue
 * @returns {AsyncGenerator<string>} problems, with the name of the database in front
 */
async function * checkOnline (level, { prefix = '' } = {}) {
  const keyspace = new Keyspace(level)
  for (const [number, name] of await numbersOf(keyspace, prefix)) {
    const problems = []
    try {
      for await (const problem of check(level, { prefix: `${prefix}b${number}/` })) if (problems.length < MOST) problems.push(problem)
    } catch (error) {
      if (level.status !== 'open') throw error
      problems.push(`The rest of the database cannot be read: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`)
    }
    // One that was dropped meanwhile was being cleared.
    if (problems.length > 0 && await keyspace.get(`${prefix}n${name}`) === number) yield * problems.map(problem => `${name}: ${problem}`)
  }
}

/** number → name */
async function numbersOf (keyspace, prefix) {
  const names = prefix + 'n'
  const entries = await keyspace.entries({ gte: names, lt: after(names) }).all()
  return new Map(entries.map(([key, number]) => [number, key.slice(names.length)]))
}

/** Databases that were deleted, of which there may still be something. */
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

/** Every key is one of the catalogue's or one of a database's. */
async function * checkKeys (keyspace, prefix, numbers, dropped) {
  const range = prefix === '' ? {} : { gte: prefix, lt: after(prefix) }
  for await (const page of pagesOf(keyspace.keys(range))) {
    for (const key of page) {
      const own = key.slice(prefix.length)
      const number = /^b(\d+)\//.exec(own)?.[1]
      if (number !== undefined && (numbers.has(number) || dropped.has(number))) continue
      if (own !== 'q' && own[0] !== 'n' && own[0] !== 'x') yield `The key ${JSON.stringify(key)} belongs to no database`
    }
  }
}

module.exports = { checkDatabases, checkOnline }
