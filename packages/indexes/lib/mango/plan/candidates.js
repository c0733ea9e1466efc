'use strict'

const { createHash } = require('node:crypto')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { Conditions } = require('./conditions')
const { samePath } = require('../selector/path')
const { orderOf, rangesOf } = require('./ranges')

/**
 * @typedef {import('../selector/normalize-selector').Combination} Combination
 * @typedef {import('../selector/normalize-selector').Node} Node
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../selector/match-in-turns').Accepts} Accepts
 */

/**
 * A part of an index, or of all documents, that is read from one end to the other.
 *
 * @typedef {object} Scan
 * @property {import('../indexes/index-descriptor').IndexDescriptor} index
 * @property {number} number its place in the plan
 * @property {string} low
 * @property {string} high
 * @property {string} head
 * @property {import('./ranges').Order} order
 * @property {boolean} covers its rows say all that is asked for: no document is read
 * @property {Accepts | null} accepts what it is to bring, where that is less than all that matches
 * @property {(scan: import('../run/scan-rows').ScanPart, options: import('../run/scan-rows').ReadOptions) => AsyncGenerator<import('../run/scan-rows').ScanRow[]>} [read]
 *   its rows come from elsewhere
 */

/** @typedef {Omit<Scan, 'number' | 'accepts'> & Partial<Pick<Scan, 'accepts'>>} NewScan a scan that has no place in a plan yet */

/**
 * A way to find all documents that match.
 *
 * @typedef {{ descending: boolean[], valuesOf: (key: any[]) => any[], accepts: (key: unknown) => boolean }} Ranking the values of a row's key that it is ranked
 *   by, and their directions; accepts: what may be the key of a row
 * @typedef {object} Candidate
 * @property {import('../indexes/index-descriptor').IndexDescriptor[]} indexes the first is the one to show
 * @property {Scan[]} scans in the order of reading
 * @property {import('./ranges').Range[]} absent as of `rangesOf`, in the first index
 * @property {boolean} merges
 * @property {boolean} narrows whether it looks at less than all rows
 * @property {() => object} [adaptive] what was learned from requests such as this
 * @property {Ranking} [ranking] of rows that come in the order of a rank
 * @property {(isWanted?: () => boolean) => Promise<import('../vector/mixed-ranks').RankList[]>} [lists] what it mixes, where several databases mix theirs
 * @property {string} print tells it from others of the same request, on the next page too
 */

/**
 * A request, and what the planner knows of it.
 *
 * @typedef {object} Known
 * @property {Conditions} conditions
 * @property {string[][]} read fields that are shown or looked at
 * @property {string[][]} indexable fields that an index serves, in CouchDB's eyes
 * @typedef {import('../request/find-request').FindRequest & Known} Asked
 */

/**
 * One index, or all documents.
 *
 * @param {import('../indexes/index-descriptor').IndexDescriptor} index
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
  const scans = found.ranges.map(({ low, high, head }) => ({ index, low, high, head, order, covers }))
  return toCandidate(request, { indexes: [index], scans, absent: found.absent, merges: order.merges, narrows: index.columns.length > 0 && conditions.narrows(index.columns[0]) })
}

/** @param {Asked} request @param {Conditions} conditions */
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
 * @param {import('../indexes/index-descriptor').IndexDescriptor[]} indexes in the order of preference
 * @param {Asked} request
 * @param {(node: Node) => Accepts} compile
 * @returns {Candidate | null} where a branch has none that narrows it
 */
function unionOf (indexes, request, compile) {
  const branches = branchesOf(request.node)
  if (branches === null || branches.length > MOST_BRANCHES) return null
  const candidates = branches.map(branch => branchCandidate(indexes, request, new Conditions(branch))).filter(candidate => candidate !== null)
  if (branches.length < 2 || candidates.length < branches.length) return null
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

/**
 * Each branch with what has to hold beside it.
 *
 * @param {Node} node
 * @returns {Node[] | null}
 */
function branchesOf (node) {
  if (node.op === '$or') return node.parts
  if (node.op !== '$and') return null
  const or = /** @type {Combination | undefined} */ (node.parts.find(part => part.op === '$or' && part.parts.length > 1))
  if (or === undefined) return null
  return or.parts.map(branch => ({ op: '$and', parts: [branch, ...node.parts.filter(part => part !== or)] }))
}

/** @param {IndexDescriptor[]} indexes @param {Asked} request @param {Conditions} conditions */
function branchCandidate (indexes, request, conditions) {
  for (const index of [...indexes, ALL_DOCS]) {
    if (!hasAll(index, conditions, request.sort) || (index === ALL_DOCS && request.sort.length > 0)) continue
    if (index.partial !== null) continue
    const candidate = candidateOf(index, request, conditions)
    if (candidate !== null && candidate.narrows && !candidate.merges && candidate.absent.length === 0) return candidate
  }
  return null
}

/**
 * Accepts the documents that a branch brings and no branch before it.
 *
 * @param {Accepts[]} matchers
 * @param {number} branch
 * @returns {Accepts}
 */
function firstOf (matchers, branch) {
  return (doc, length, asker) => isFirst(matchers, branch, doc, length, asker, 0)
}

/**
 * From the matcher `i` on.
 *
 * @param {Accepts[]} matchers
 * @param {number} branch
 * @param {any} doc
 * @param {number} length
 * @param {string | undefined} asker
 * @param {number} i
 * @returns {boolean | Promise<boolean>}
 */
function isFirst (matchers, branch, doc, length, asker, i) {
  for (; i <= branch; i++) {
    const matched = matchers[i](doc, length, asker)
    if (matched instanceof Promise) return matched.then(yes => yes ? i === branch : isFirst(matchers, branch, doc, length, asker, i + 1))
    if (matched) return i === branch
  }
  return false
}

/** Branches that read the same had better be read once. @param {Array<Pick<Scan, 'index' | 'low' | 'high'>>} scans */
function hasDoubles (scans) {
  return new Set(scans.map(({ index, low, high }) => JSON.stringify([index.ddoc, index.name, low, high]))).size < scans.length
}

/**
 * Whether the index has all documents that match, if it is not partial: those that lack a field of the sort are
 * not asked for.
 *
 * @param {import('../indexes/index-descriptor').IndexDescriptor} index
 * @param {Conditions} conditions
 * @param {string[][]} sort
 */
function hasAll ({ columns }, conditions, sort) {
  return columns.every(column => conditions.requires(column) || sort.some(path => samePath(path, column)))
}

/**
 * Whether a row has all that is shown and looked at.
 *
 * @param {Pick<IndexDescriptor, 'columns'>} index
 * @param {Pick<Asked, 'fields' | 'read'>} request
 */
function coversQuery ({ columns }, { fields, read }) {
  if (fields === undefined) return false
  return read.every(path => (path.length === 1 && path[0] === '_id') || columns.some(column => samePath(column, path)))
}

/**
 * @param {{ descending: boolean }} request
 * @param {{ indexes: IndexDescriptor[], scans: NewScan[], absent: Candidate['absent'], merges: boolean, narrows: boolean }} parts
 * @returns {Candidate}
 */
function toCandidate ({ descending }, { indexes, scans, absent, merges, narrows }) {
  const inOrder = descending && !merges ? scans.toReversed() : scans
  const numbered = inOrder.map(numberedScan)
  return { indexes, scans: numbered, absent, merges, narrows, print: printOf(indexes, numbered.length, merges) }
}

/** Names each member: a copy by `...` costs some times as much. @param {NewScan} scan @param {number} number @returns {Scan} */
function numberedScan ({ index, low, high, head, order, covers, accepts = null }, number) {
  return { index, number, low, high, head, order, covers, accepts }
}

/**
 * A scan whose rows come from elsewhere, in the order of a rank.
 *
 * @param {IndexDescriptor} index
 * @param {NonNullable<Scan['read']>} read
 * @returns {Scan}
 */
function rankedScan (index, read) {
  return { index, number: 0, low: '', high: '', head: '', order: { merges: false, sources: [], head: 1, tail: [] }, covers: false, accepts: null, read }
}

/**
 * Brings the indexes of a find up to date.
 *
 * @param {IndexDescriptor[]} indexes
 * @returns {Promise<void> | undefined} undefined where nothing is to be done
 */
function bringUp (indexes) {
  for (let i = 0; i < indexes.length; i++) {
    if (indexes[i] === ALL_DOCS) continue
    const opened = indexes[i].open()
    const updating = opened instanceof Promise ? opened.then(({ update }) => update()) : opened.update()
    if (updating !== undefined) return updating.then(() => bringUp(indexes.slice(i + 1)))
  }
}

/** @type {WeakMap<object, string>} */
const prints = new WeakMap()

/** @param {IndexDescriptor[]} indexes @param {number} count @param {boolean} merges */
function printOf (indexes, count, merges) {
  return `${indexes.map(printOfIndex).join('')}${merges ? '+' : '.'}${count}`
}

/** @param {IndexDescriptor} index */
function printOfIndex (index) {
  let print = prints.get(index)
  if (print === undefined) {
    const { ddoc, name, def } = index
    print = createHash('md5').update(JSON.stringify([ddoc, name, def])).digest('base64url').slice(0, 8)
    prints.set(index, print)
  }
  return print
}

module.exports = { branchesOf, bringUp, candidateOf, coversQuery, hasAll, rankedScan, unionOf }
