'use strict'

const { createHash } = require('node:crypto')
const { ALL_DOCS } = require('./index-descriptor')
const { Conditions } = require('./conditions')
const { samePath } = require('./path')
const { orderOf, rangesOf } = require('./ranges')

/**
 * A part of an index, or of all documents, that is read from one end to the other.
 *
 * @typedef {object} Scan
 * @property {import('./index-descriptor').IndexDescriptor} index
 * @property {number} number its place in the plan
 * @property {string} low
 * @property {string} high
 * @property {string} head
 * @property {import('./ranges').Order} order
 * @property {boolean} covers its rows say all that is asked for: no document is read
 * @property {((doc: any, length: number) => boolean | Promise<boolean>) | null} accepts what it is to bring, where that is less than all that
 *   matches
 * @property {(scan: any, options: any) => AsyncGenerator<any>} [read] its rows come from elsewhere
 */

/**
 * A way to find all documents that match.
 *
 * @typedef {object} Candidate
 * @property {import('./index-descriptor').IndexDescriptor[]} indexes the first is the one to show
 * @property {Scan[]} scans in the order of reading
 * @property {import('./ranges').Range[]} absent as of `rangesOf`, in the first index
 * @property {boolean} merges
 * @property {boolean} narrows whether it looks at less than all rows
 * @property {() => object} [adaptive] what was learned from requests such as this
 * @property {string} print tells it from others of the same request, on the next page too
 */

/**
 * A request, and what the planner knows of it.
 *
 * @typedef {object} Known
 * @property {Conditions} conditions
 * @property {string[][]} read fields that are shown or looked at
 * @property {string[][]} indexable fields that an index serves, in CouchDB's eyes
 * @typedef {import('./find-request').FindRequest & Known} Asked
 */

/**
 * One index, or all documents.
 *
 * @param {import('./index-descriptor').IndexDescriptor} index
 * @param {Asked} request
 * @param {Conditions} [conditions]
 * @returns {Candidate | null} where it cannot sort so
 */
function candidateOf (index, request, conditions = request.conditions) {
  if (index === ALL_DOCS) return ofAllDocs(request, conditions)
  const order = orderOf(index.columns, conditions, request.sort)
  const found = order && rangesOf(index.columns, conditions, order)
  if (order === null || found === null) return null
  const covers = coversQuery(index, request)
  const scans = found.ranges.map(range => ({ ...range, index, order, covers }))
  return toCandidate(request, { indexes: [index], scans, absent: found.absent, merges: order.merges, narrows: index.columns.length > 0 && conditions.narrows(index.columns[0]) })
}

function ofAllDocs (request, conditions) {
  const { ids } = conditions
  const order = orderOf(ALL_DOCS.columns, conditions, request.sort)
  if (order === null) return null
  const scans = ids.map(({ low, high }) => ({ index: ALL_DOCS, low, high, head: '', order, covers: false }))
  return toCandidate(request, { indexes: [ALL_DOCS], scans, absent: [], merges: false, narrows: conditions.narrowsIds })
}

/**
 * The branches of an `$or`, each by an index of its own. Without a sort their documents come one branch
 * after the other, as they are written; one that several have comes with the first of them.
 *
 * @param {import('./index-descriptor').IndexDescriptor[]} indexes in the order of preference
 * @param {Asked} request
 * @param {(node: any) => (doc: any, length: number) => boolean | Promise<boolean>} compile
 * @returns {Candidate | null} where a branch has none that narrows it
 */
function unionOf (indexes, request, compile) {
  const branches = branchesOf(request.node)
  if (branches === null || branches.length > MOST_BRANCHES) return null
  const candidates = branches.map(branch => branchCandidate(indexes, request, new Conditions(branch)))
  if (candidates.length < 2 || candidates.includes(null)) return null
  const matchers = branches.map(branch => compile(branch))
  const merges = request.sort.length > 0
  const scans = candidates.flatMap(({ scans }, i) => scans.map(scan => ({ ...scan, accepts: firstOf(matchers, i) })))
  if ((merges && scans.length > MOST_MERGED) || hasDoubles(scans)) return null
  const used = [...new Set(candidates.flatMap(({ indexes }) => indexes))]
  return toCandidate(request, { indexes: used, scans, absent: [], merges, narrows: true })
}

/** Ranges that are open at once, and branches that are planned: more of them are no better than a scan. */
const MOST_MERGED = 100
const MOST_BRANCHES = 100

/** Each branch with what has to hold beside it. */
function branchesOf (node) {
  if (node.op === '$or') return node.parts
  if (node.op !== '$and') return null
  const at = node.parts.findIndex(part => part.op === '$or' && part.parts.length > 1)
  if (at === -1) return null
  return node.parts[at].parts.map(branch => ({ op: '$and', parts: [branch, ...node.parts.filter((part, i) => i !== at)] }))
}

function branchCandidate (indexes, request, conditions) {
  for (const index of [...indexes, ALL_DOCS]) {
    if (!hasAll(index, conditions, request.sort) || (index === ALL_DOCS && request.sort.length > 0)) continue
    if (index.partial !== null) continue
    const candidate = candidateOf(index, request, conditions)
    if (candidate !== null && candidate.narrows && !candidate.merges && candidate.absent.length === 0) return candidate
  }
  return null
}

/** What a branch brings: no branch before it does. */
function firstOf (matchers, branch) {
  return (doc, length) => isFirst(matchers, branch, doc, length, 0)
}

/** From the matcher `i` on. @returns {boolean | Promise<boolean>} */
function isFirst (matchers, branch, doc, length, i) {
  for (; i <= branch; i++) {
    const matched = matchers[i](doc, length)
    if (matched instanceof Promise) return matched.then(yes => yes ? i === branch : isFirst(matchers, branch, doc, length, i + 1))
    if (matched) return i === branch
  }
  return false
}

/** Branches that read the same had better be read once. */
function hasDoubles (scans) {
  return new Set(scans.map(({ index, low, high }) => JSON.stringify([index.ddoc, index.name, low, high]))).size < scans.length
}

/**
 * Whether the index has all documents that match, if it is not partial: those that lack a field of the sort are
 * not asked for.
 *
 * @param {import('./index-descriptor').IndexDescriptor} index
 * @param {Conditions} conditions
 * @param {string[][]} sort
 */
function hasAll ({ columns }, conditions, sort) {
  return columns.every(column => conditions.requires(column) || sort.some(path => samePath(path, column)))
}

/** Whether a row has all that is shown and looked at. */
function coversQuery ({ columns }, { fields, read }) {
  if (fields === undefined) return false
  return read.every(path => (path.length === 1 && path[0] === '_id') || columns.some(column => samePath(column, path)))
}

/**
 * @param {{ descending: boolean }} request
 * @param {{ indexes: Candidate['indexes'], scans: any[], absent: Candidate['absent'], merges: boolean, narrows: boolean }} parts
 * @returns {Candidate}
 */
function toCandidate ({ descending }, { indexes, scans, ...rest }) {
  const inOrder = descending && !rest.merges ? scans.toReversed() : scans
  const numbered = inOrder.map((scan, number) => ({ accepts: null, ...scan, number }))
  return { indexes, scans: numbered, ...rest, print: printOf(indexes, numbered.length, rest.merges) }
}

/** @type {WeakMap<object, string>} */
const prints = new WeakMap()

function printOf (indexes, count, merges) {
  return `${indexes.map(printOfIndex).join('')}${merges ? '+' : '.'}${count}`
}

function printOfIndex (index) {
  let print = prints.get(index)
  if (print === undefined) {
    const { ddoc, name, def } = index
    print = createHash('md5').update(JSON.stringify([ddoc, name, def])).digest('base64url').slice(0, 8)
    prints.set(index, print)
  }
  return print
}

module.exports = { branchesOf, candidateOf, coversQuery, hasAll, unionOf }
