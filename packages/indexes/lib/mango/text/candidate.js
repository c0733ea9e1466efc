'use strict'

const { createHash } = require('node:crypto')
const { PARTITION, Work, areKeys, findPages, termMatcher } = require('@potoroo/search')
const { rankedScan } = require('../plan/candidates')
const { mangoError } = require('../selector/mango-error')
const { textSnapshot } = require('../../index/text-index')
const { isIn, textQuery } = require('./query')

/**
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../plan/candidates').Candidate} Candidate
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('@potoroo/search').Sort} Sort
 *
 * A text index as the planner sees it.
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor & { signature: string, text: TextParts }} TextIndexDescriptor
 * @typedef {object} TextParts
 * @property {(text: string, field?: string) => import('@potoroo/search').Token[]} analyze
 * @property {Set<string> | null} fields null: all
 * @property {Set<string> | null} paths of them
 * @property {boolean} hasDefault
 * @property {import('./kinds').TextKind} kind
 * @property {import('../../index/view-index').ViewIndex} index
 */

/** @type {Sort[]} */
const RELEVANCE = [{ by: 'score', descending: true }]

/** Hits that are read at first. */
const LEAST = 16
const MOST = 200

/**
 * A find by a text index.
 *
 * @param {TextIndexDescriptor} index
 * @param {Asked} request
 * @param {string} partition '' of all
 * @returns {Candidate | null} null: the index need not have all that matches
 */
function textCandidate (index, request, partition) {
  const query = request.node.op === 'any' ? null : textQuery(request.node, index.text)
  if (query === null) return null
  const sort = [...sortsOf(request) ?? RELEVANCE, ...index.text.kind.alike]
  if (!sort.every(each => !('field' in each) || isIn(each.field, index.text))) return null
  /** @type {import('@potoroo/search').QueryNode} */
  const restricted = partition === '' ? query : { type: 'boolean', clauses: [{ occur: 'must', node: query }, { occur: 'filter', node: { type: 'term', field: PARTITION, term: partition } }] }
  const scan = rankedScan(index, ({ after }, { wanted, isWanted }) => pagesOf(index, restricted, sort, { after, wanted, isWanted, updates: request.updates }))
  const print = createHash('md5').update(JSON.stringify([index.ddoc, index.name, index.def, sort])).digest('base64url').slice(0, 8)
  const ranking = { descending: sort.map(each => each.descending), valuesOf: (/** @type {any[]} */ key) => key.slice(0, -1), accepts: (/** @type {unknown} */ key) => areKeys(key, sort) }
  return { indexes: [index], scans: [scan], absent: [], merges: false, narrows: true, ranking, print: `${print}t` }
}

/**
 * Hits are of one moment.
 *
 * @param {TextIndexDescriptor} index
 * @param {import('@potoroo/search').QueryNode} query
 * @param {Sort[]} sort
 * @param {{ after?: any[], wanted: number, isWanted?: () => boolean, updates: boolean }} options
 * @returns {AsyncGenerator<import('../run/scan-rows').ScanRow[]>}
 */
async function * pagesOf ({ text: { index } }, query, sort, { after, wanted, isWanted, updates }) {
  const limit = Math.min(MOST, Math.max(LEAST, wanted))
  const snapshot = await textSnapshot(index, updates)
  try {
    for await (const hits of findPages(snapshot.reader, query, { limit, sort, after, work: new Work({ isWanted }) }, termMatcher)) {
      yield hits.map(({ record, keys }) => ({ id: /** @type {{ id: string }} */ (record).id, key: keys }))
    }
  } finally {
    await snapshot.close()
  }
}

/** @param {Asked} request @returns {Sort[] | undefined} by relevance */
function sortsOf ({ options, node, descending }) {
  const names = Object.keys(options.sort)
  return names.length === 0 ? undefined : names.map(name => sortOf(name, node, descending))
}

/** @param {string} name @param {Node} node @param {boolean} descending @returns {Sort} */
function sortOf (name, node, descending) {
  const typed = /^(.*):(string|number)$/.exec(name)
  const type = typed === null ? typeIn(node, name) : typed[2]
  if (type === undefined) throw mangoError('text_sort_error', `Unspecified or ambiguous sort type. Try appending :number or :string to the sort field. ${name}`)
  return { by: /** @type {'number'} */ (type), field: `${typed === null ? name : typed[1]}:${type}`, descending }
}

/** The type of what a field is compared with, where that is one. @param {Node} node @param {string} name @returns {string | undefined} */
function typeIn (node, name) {
  const types = new Set(typesIn(node, name, []))
  return types.size === 1 ? [...types][0] : undefined
}

/** @param {Node} node @param {string} name @param {string[]} path @returns {string[]} */
function typesIn (node, name, path) {
  if ('parts' in node) return node.parts.flatMap(part => typesIn(part, name, path))
  if ('part' in node) return typesIn(node.part, name, node.op === 'field' ? [...path, ...node.path] : path)
  if (!('argument' in node) || path.join('.') !== name) return []
  return ['string', 'number'].includes(typeof node.argument) ? [typeof node.argument] : []
}

module.exports = { sortsOf, textCandidate }
