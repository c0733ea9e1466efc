'use strict'

const { Keyspace } = require('../keyspace')
const { after } = require('../layout')
const { check } = require('./check')
const { pagesOf } = require('./pages')

/**
 * The same of a catalogue of databases (see databases.js) and of each of them.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string }} [options] the prefix of the catalogue
 * @returns {AsyncGenerator<string>} problems, those of a database with its name in front
 */
async function * checkDatabases (level, { prefix = '' } = {}) {
  const keyspace = new Keyspace(level)
  const numbers = await numbersOf(keyspace, prefix)
  const next = Number(await keyspace.get(prefix + 'q') ?? '1')
  for (const [number, name] of numbers) {
    if (!(Number(number) < next)) yield `The number ${number} of database ${name} will be given again`
    for await (const problem of check(level, { prefix: `${prefix}b${number}/` })) yield `${name}: ${problem}`
  }
  yield * checkKeys(keyspace, prefix, numbers)
}

/** number → name */
async function numbersOf (keyspace, prefix) {
  const names = prefix + 'n'
  const entries = await keyspace.entries({ gte: names, lt: after(names) }).all()
  return new Map(entries.map(([key, number]) => [number, key.slice(names.length)]))
}

/** Every key is one of the catalogue's or one of a database's. */
async function * checkKeys (keyspace, prefix, numbers) {
  const range = prefix === '' ? {} : { gte: prefix, lt: after(prefix) }
  for await (const page of pagesOf(keyspace.keys(range))) {
    for (const key of page) {
      const own = key.slice(prefix.length)
      const number = /^b(\d+)\//.exec(own)?.[1]
      if (number !== undefined && numbers.has(number)) continue
      if (own !== 'q' && own[0] !== 'n') yield `The key ${JSON.stringify(key)} belongs to no database`
    }
  }
}

module.exports = { checkDatabases }
