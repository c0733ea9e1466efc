'use strict'

const { publicName } = require('@potoroo/document-store')
const { coversQuery } = require('./candidates')
const { explainCandidates } = require('./explain-candidates')
const { ALL_DOCS, listIndex } = require('../indexes/index-descriptor')
const { printSelector } = require('../selector/normalize-selector')
const { escapePath } = require('../selector/path')
const { fieldsOf } = require('../selector/selector-fields')
const { sortsOf } = require('../text/candidate')
const { textFields } = require('../text/query')

/**
 * @typedef {import('./candidates').Asked} Asked
 * @typedef {import('./candidates').Candidate} Candidate
 * @typedef {import('./conditions').Conditions} Conditions
 */

/**
 * Makes the answer of `POST /{db}/_explain`. Beside CouchDB's members it has `ranges`, if several ranges are
 * read, or several indexes.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {import('./candidates').Asked} request
 * @param {ReturnType<typeof import('./planner').judgeIndexes>} judged
 * @param {import('./candidates').Candidate | null} chosen
 * @see https://docs.couchdb.org/en/stable/api/database/find.html#db-explain
 */
function explainFind (database, request, judged, chosen) {
  const { node, options } = request
  return {
    dbname: publicName(database.name),
    index: chosen === null ? null : listIndex(chosen.indexes[0]),
    partitioned: database.partitioned,
    ...(chosen?.adaptive !== undefined && { adaptive: chosen.adaptive() }),
    selector: printSelector(node),
    opts: { ...options, bookmark: options.bookmark ?? 'nil' },
    limit: options.limit,
    skip: options.skip,
    fields: options.fields,
    index_candidates: explainCandidates(request, judged, chosen),
    selector_hints: [hintsOf('json', request, request.indexable.map(escapePath)), hintsOf('text', request, textFields(request.node))],
    ...(chosen !== null && (['text', 'nouveau', 'vector'].includes(chosen.indexes[0].type) ? explainText(request) : explainChoice(request, chosen)))
  }
}

/** @param {string} type of indexes @param {Pick<Asked, 'node'>} request @param {string[]} indexable names */
function hintsOf (type, { node }, indexable) {
  const served = new Set(indexable.toSorted())
  const all = [...new Set(fieldsOf(node).map(escapePath))].sort()
  return { type, indexable_fields: [...served], unindexable_fields: all.filter(field => !served.has(field)) }
}

/** @param {Asked} request */
function explainText (request) {
  const { options, descending } = request
  const sort = sortsOf(request)?.map(each => 'field' in each ? `${descending ? '-' : ''}${each.field}<${each.by}>` : '')
  return { partition: options.partition === '' ? null : options.partition, sort: sort ?? 'relevance' }
}

/** @param {Asked} request @param {Candidate} chosen */
function explainChoice (request, chosen) {
  const { conditions, options, descending } = request
  const [index] = chosen.indexes
  const covering = chosen.indexes.every(each => each !== ALL_DOCS && coversQuery(each, request)) && chosen.scans.every(({ covers }) => covers)
  const isNothing = chosen.scans.length === 0 || ('parts' in request.node && request.node.parts.length === 0)
  const { start, end } = isNothing ? { start: null, end: null } : index === ALL_DOCS ? idEdges(conditions) : edgesOf(index.columns, conditions)
  return {
    mrargs: {
      include_docs: options.r === 1 && !covering,
      view_type: 'map',
      reduce: false,
      partition: options.partition === '' ? null : options.partition,
      start_key: descending ? end : start,
      end_key: descending ? start : end,
      direction: descending ? 'rev' : 'fwd',
      stable: options.stable || options.stale === 'ok',
      update: options.update && options.stale !== 'ok',
      conflicts: options.conflicts || 'undefined'
    },
    covering,
    ...(chosen.scans.length > 1 && { ranges: explainRanges(chosen, request) })
  }
}

/** @param {Conditions} conditions */
function idEdges ({ ids }) {
  return { start: ids[0].first?.value ?? null, end: ids[ids.length - 1].last?.value ?? '<MAX>' }
}

/**
 * The keys between which all that matches is, as CouchDB gives them.
 *
 * @param {string[][]} columns
 * @param {Conditions} conditions
 */
function edgesOf (columns, conditions) {
  /** @type {Array<Pick<import('./intervals').Interval, 'first' | 'last'>>} */
  const bounds = []
  for (const column of columns) {
    if (!conditions.narrows(column) && !conditions.requires(column)) break
    const intervals = conditions.intervals(column)
    bounds.push({ first: intervals[0]?.first, last: intervals.at(-1)?.last })
  }
  const values = (/** @type {'first' | 'last'} */ side) => {
    const open = bounds.findIndex(bound => bound[side] === undefined)
    return bounds.slice(0, open === -1 ? undefined : open).map(bound => bound[side]?.value)
  }
  return { start: values('first'), end: [...values('last'), '<MAX>'] }
}

/**
 * How many ranges of each index are read, and how.
 *
 * @param {Candidate} chosen
 * @param {Asked} request
 */
function explainRanges ({ indexes, scans, merges }, { sort }) {
  return {
    order: merges ? 'merged' : sort.length > 0 ? 'sorted' : 'one after the other',
    indexes: indexes.map(index => ({ ddoc: index.ddoc, name: index.name, ranges: scans.filter(scan => scan.index === index).length }))
  }
}

module.exports = { explainFind }
