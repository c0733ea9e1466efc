'use strict'

const { builtInReduce } = require('./built-in-reduces')

/** Rows that a JavaScript function reduces at once; more are reduced in parts and those again. */
const CHUNK = 1000

/**
 * Groups rows and reduces each group.
 *
 * @param {AsyncIterable<{ id: string, key: any, value: any }>} rows in order
 * @param {{ level: number, collation: import('@potoroo/collation').Collation, skip?: number, limit?: number }} options
 *   level: how much of an array key counts; 0 for one group of all
 * @param {Reducer} reducer
 * @returns {Promise<Array<{ key: any, value: any }>>}
 */
async function reduceRows (rows, { level, collation, skip = 0, limit = Infinity }, reducer) {
  /** @type {Array<{ key: any, rows: any[] }>} */
  const groups = []
  for await (const row of rows) {
    const key = groupKey(row.key, level)
    const last = groups.at(-1)
    if (last !== undefined && collation.compare(last.key, key) === 0) last.rows.push(row)
    else if (groups.length >= skip + limit) break
    else groups.push({ key, rows: [row] })
  }
  const wanted = groups.slice(skip, skip + limit)
  const values = await reducer(wanted.map(group => group.rows))
  return wanted.map(({ key }, i) => ({ key, value: values[i] }))
}

function groupKey (key, level) {
  if (level === 0) return null
  return Array.isArray(key) && key.length > level ? key.slice(0, level) : key
}

/**
 * @typedef {(groups: any[][]) => Promise<any[]>} Reducer the rows of each group → its value
 *
 * @param {string} source
 * @param {import('@potoroo/query-server').Functions['library']} library
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @param {import('@potoroo/query-server').Origin} origin
 * @returns {Reducer}
 */
function reducerFor (source, library, queryServer, origin) {
  const builtIn = builtInReduce(source)
  if (builtIn !== undefined) return async groups => groups.map(builtIn)
  const functions = { sources: [source], library, origin }
  const run = async (groups, rereduce) => (await queryServer.reduce(functions, groups, rereduce)).map(([value]) => value)
  return groups => reduceInParts(groups, run)
}

async function reduceInParts (groups, run) {
  const values = []
  for (const rows of groups) {
    const parts = []
    for (let at = 0; at < rows.length; at += CHUNK) parts.push(rows.slice(at, at + CHUNK))
    values.push(parts)
  }
  const flat = await run(values.flat().map(rows => [rows.map(({ id, key }) => [key, id]), rows.map(({ value }) => value)]), false)
  let next = 0
  const partial = values.map(parts => parts.map(() => flat[next++]))
  const several = partial.filter(list => list.length > 1)
  const again = several.length === 0 ? [] : await run(several.map(list => [null, list]), true)
  return partial.map(list => list.length === 1 ? list[0] : again.shift())
}

module.exports = { reduceRows, reducerFor }
