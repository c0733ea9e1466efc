'use strict'

const { collate } = require('pouchdb-collate')
const { reduceView } = require('../reduces/reduce-view')
const { rangesOf } = require('./query-options')
const { reducerOf } = require('./reduces')

/**
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../reduces/reducer').PlainReducer} PlainReducer
 * @typedef {import('../reduces/reducer').Reducer} Reducer
 * @typedef {import('./run-query').Source} Source
 * @typedef {import('./query-options').QueryOptions} QueryOptions
 */

/**
 * Groups and reduces the rows of a query.
 *
 * @param {import('./run-query').Source} source
 * @param {QueryOptions} options of `db.query`, checked
 * @param {any} reduce source or function
 * @param {(error: any, group: any) => void} [onError] of a function of the application's
 * @returns {Promise<Array<{ key: any, value: any }>>}
 */
async function reduceQuery (source, options, reduce, onError) {
  const reducer = reducerOf(reduce, onError)
  const skip = options.skip || 0
  const limit = typeof options.limit === 'number' ? options.limit : Infinity
  const level = levelOf(options)
  // How many rows there are in all is known.
  if (reducer.reads === 'nothing' && level === 0 && isOfAll(options)) return countOf(source).slice(skip, skip + limit)
  const ranges = rangesOf(options)
  // Groups that are skipped are reduced, too: they may be errors.
  if (reducer.rereduces && source.snapshot !== undefined && areApart(options)) {
    return (await reduceBySums(/** @type {Required<Source>} */ (source), ranges, { level, limit: skip + limit }, reducer)).slice(skip)
  }
  const groups = await readGroups(source, ranges, level, skip + limit)
  return groups.map(({ key, rows }) => ({ value: valueOf(reducer, rows), key })).slice(skip)
}

/** How much of an array key makes a group: 0 for one group of all rows. @param {QueryOptions} options */
function levelOf ({ group, group_level: level }) { return level !== undefined && level > 0 ? level : group ? Infinity : 0 }

const NARROWING = /** @type {const} */ (['key', 'keys', 'startkey', 'start_key', 'endkey', 'end_key'])

/** @param {QueryOptions} options */
function isOfAll (options) { return NARROWING.every(name => options[name] === undefined) }

/** @param {import('./run-query').Source} source */
function countOf ({ counts: [value] }) { return value === 0 ? [] : [{ value, key: null }] }

/** Whether no group is of several ranges. @param {QueryOptions} options */
function areApart ({ keys, group, group_level: level }) {
  return keys === undefined || keys.length < 2 || (group && !level && keys.every((/** @type {any} */ key, /** @type {number} */ i) => i === 0 || collate(keys[i - 1], key) !== 0))
}

/**
 * @param {Required<Source>} source
 * @param {KeyRange[]} ranges
 * @param {{ level: number, limit: number }} options
 * @param {Reducer} reducer
 */
async function reduceBySums (source, ranges, options, reducer) {
  await source.prepareSums(0, options.level === 0 ? ranges[0] : undefined)
  const snapshot = await source.snapshot()
  try {
    const rows = []
    for await (const page of reduceView(snapshot, 0, ranges, options, reducer)) {
      for (const { key, value } of page) rows.push({ value, key: JSON.parse(key) })
    }
    return rows
  } finally {
    await snapshot.close()
  }
}

/**
 * The rows of the first groups, whichever ranges they are in.
 *
 * @param {Source} source
 * @param {KeyRange[]} ranges
 * @param {number} level
 * @param {number} most
 */
async function readGroups (source, ranges, level, most) {
  const groups = []
  for (const range of ranges) {
    for await (const page of source.pages(0, range)) {
      for (const row of page) {
        const key = level === 0 ? null : Array.isArray(row.key) ? row.key.slice(0, level) : row.key
        const last = groups.at(-1)
        if (last !== undefined && collate(last.key, key) === 0) last.rows.push(row)
        else if (groups.length >= most) return groups
        else groups.push({ key, rows: [row] })
      }
    }
  }
  return groups
}

/** @param {PlainReducer} reducer @param {any[]} rows */
function valueOf (reducer, rows) {
  if (reducer.reads === 'nothing') return rows.length
  return reducer.reduce([reducer.reads === 'values' ? rows.map(({ value }) => value) : rows])[0]
}

module.exports = { reduceQuery }
