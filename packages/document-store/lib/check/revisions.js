'use strict'

const { DocumentRecord } = require('../media/record')
const { decodeHash, encodeRevision } = require('../revision-tree/revision')
const { guarded } = require('./guarded')
const { checkPayload } = require('./payload')

/**
 * @import { Scan } from './scan'
 */

const EMPTY = new Map()

/**
 * Checks that each body that is kept beside a document belongs to a revision in its tree.
 *
 * @param {Scan} scan
 */
async function * checkRevisions (scan) {
  const { layout } = scan
  const last = { id: null, tree: EMPTY }
  for await (const page of scan.entries(layout.range(layout.revisions))) {
    for (const [key, payload] of page) {
      yield * guarded(`The body at ${JSON.stringify(key)}`, checkRevision(scan, last, key, payload))
    }
  }
}

/**
 * @param {{ id: string | null, tree: Map<string, any> }} last the document of the revision before
 * @param {Scan} scan
 * @param {string} key
 * @param {string} payload
 */
async function * checkRevision (scan, last, key, payload) {
  const { id, rev: encoded } = scan.layout.revisionOf(key)
  if (id !== last.id) Object.assign(last, { id, tree: await treeOf(scan, id) })
  const rev = decodeHash(encoded)
  const what = `document ${JSON.stringify(id)} at ${rev}`
  if (!last.tree.has(rev) || encodeRevision(rev) !== encoded) yield `The body of ${what} belongs to no revision`
  scan.found.revisions += Buffer.byteLength(payload)
  scan.found.bodies++
  yield * checkPayload(scan, what, payload)
}

/**
 * Returns the tree of a document, an empty one if there is none that can be read: that is told elsewhere.
 *
 * @param {Scan} scan
 * @param {string} id
 */
async function treeOf (scan, id) {
  const [text] = await scan.getMany([scan.layout.document(id)])
  if (text === undefined) return EMPTY
  try {
    const record = new DocumentRecord(text)
    return record.revisions
  } catch {
    return EMPTY
  }
}

module.exports = { checkRevisions }
