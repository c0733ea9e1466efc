'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { after } = require('@potoroo/collation')
const { compareRows } = require('./row-order')
const { rangeOf } = require('./row-layout')
const { LEVELS, levelOf } = require('./sum-node')

/** Rows that are looked at, and records that are written, at once. */
const PAGE = 1024

/**
 * A view's sums in the level: the rows' keys begin with `rows`, those of nodes with `nodes`.
 * @typedef {{ rows: string, nodes: string, salt: number }} SumPlace
 *
 * A row that is put or deleted; its key without the view.
 * @typedef {{ row: string, added: boolean, removed: boolean }} RowChange
 */

/**
 * What has to be written together with changes of rows: nodes of new segments, the end of others, and
 * that what is above the changed rows is not known any more.
 *
 * @param {any} space the document store's
 * @param {SumPlace} place
 * @param {RowChange[]} changes in any order; each row once
 * @returns {Promise<any[]>} operations
 */
async function markSums (space, { nodes, salt }, changes) {
  const operations = new Map()
  const put = (level, row) => operations.set(nodes + level + row, { type: 'put', key: nodes + level + row, value: '' })
  const sorted = [...changes].sort((a, b) => compareRows(b.row, a.row))
  let positions = sorted.map(({ row, removed }) => ({ row, isGone: removed }))
  for (let level = 1; level <= LEVELS && positions.length > 0; level++) {
    const known = await knownAbove(space, nodes + level, positions)
    for (const row of known) put(level, row)
    positions = known.map(row => ({ row, isGone: false }))
  }
  for (const { row, added, removed } of changes) {
    if (!added && !removed) continue
    for (let level = levelOf(row, salt); level > 0; level--) {
      if (added) put(level, row)
      else operations.set(nodes + level + row, { type: 'del', key: nodes + level + row })
    }
  }
  return [...operations.values()]
}

/**
 * The known nodes of a level that positions are in. Where a position's row is gone, it is in the node before.
 *
 * @param {any} space
 * @param {string} prefix of the level's nodes
 * @param {Array<{ row: string, isGone: boolean }>} positions descending
 * @returns {Promise<string[]>} descending
 */
async function knownAbove (space, prefix, positions) {
  const iterator = space.keyspace.entries({ ...rangeOf(prefix), reverse: true })
  const known = []
  let last
  try {
    for (const { row, isGone } of positions) {
      if (last !== undefined && (isGone ? compareRows(row, last) > 0 : compareRows(row, last) >= 0)) continue
      iterator.seek(prefix + row)
      let entry = await nextEntry(space, iterator)
      if (isGone && entry[0] === prefix + row) entry = await nextEntry(space, iterator)
      last = entry[0].slice(prefix.length)
      if (entry[1] !== '') known.push(last)
    }
  } finally {
    await iterator.close()
  }
  return known
}

async function nextEntry (space, iterator) {
  const [entry] = await space.nextPage(iterator, 1)
  return entry
}

/**
 * Writes the nodes of a view that has none, all of them not known, but for what is to be written last.
 *
 * @param {any} space
 * @param {SumPlace} place
 * @returns {Promise<any[]>} the last operations
 */
async function makeSums (space, { rows, nodes, salt }) {
  // What a crash may have left.
  await space.keyspace.clear(rangeOf(nodes))
  const operations = []
  const put = (level, row) => operations.push({ type: 'put', key: nodes + level + row, value: '' })
  for (let level = 1; level <= LEVELS; level++) put(level, '')
  const iterator = space.keyspace.keys({ gte: rows, lt: after(rows) })
  try {
    for (let page = await space.nextPage(iterator, PAGE); page.length > 0; page = await space.nextPage(iterator, PAGE)) {
      for (const key of page) {
        const row = key.slice(rows.length)
        for (let level = levelOf(row, salt); level > 0; level--) put(level, row)
      }
      if (operations.length >= PAGE) await space.keyspace.write(operations.splice(0))
      await nextRound()
    }
  } finally {
    await iterator.close()
  }
  return operations
}

module.exports = { markSums, makeSums }
