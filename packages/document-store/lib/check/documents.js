'use strict'

const { decodeChange, DocumentRecord, encodeDocument } = require('../media/record')
const { encodeRevision } = require('../revision-tree/revision')
const { encodeTree } = require('../revision-tree/encode')
const { leavesOf } = require('../revision-tree/leaves')
const { guarded } = require('./guarded')
const { checkPayload } = require('./payload')

/**
 * @import { Node } from '../revision-tree/encode'
 * @import { Scan } from './scan'
 */

/**
 * Checks each document: its tree, the bodies of its leaves, its change.
 *
 * @param {Scan} scan
 */
async function * checkDocuments (scan) {
  for await (const page of scan.entries(scan.layout.range(scan.layout.documents))) {
    for (const [key, text] of page) {
      const id = scan.layout.idOf(key)
      const what = `document ${JSON.stringify(id)}`
      yield * guarded(`The record of ${what}`, checkDocument(scan, what, id, text))
    }
  }
}

/** @param {Scan} scan @param {string} what @param {string} id @param {string} text */
async function * checkDocument (scan, what, id, text) {
  const record = new DocumentRecord(text)
  const tree = record.revisions
  const leaves = leavesOf(tree)
  if (encodeTree(tree) !== record.tree) yield `The revision tree of ${what} is garbled`
  if (text !== encodeDocument(record.deleted, record.seq, record.winner, record.rest, record.origin, record.payload)) yield `The record of ${what} is garbled`
  if (leaves[0]?.rev !== record.rev) yield `The winner of ${what} is not the winner of its tree`
  count(scan.found, record, text)
  yield * checkPayload(scan, what, record.payload)
  yield * checkStored(scan, what, id, record, leaves)
}

/** @param {Scan['found']} found @param {DocumentRecord} record @param {string} text */
function count (found, record, text) {
  found[record.deleted ? 'deleted' : 'live']++
  found.records += Buffer.byteLength(text)
  if (!record.deleted) found.external += Buffer.byteLength(record.payload)
}

/**
 * Checks what is kept beside the document's record.
 *
 * @param {Scan} scan
 * @param {string} what
 * @param {string} id
 * @param {DocumentRecord} record
 * @param {Node[]} leaves
 */
async function * checkStored (scan, what, id, record, leaves) {
  const { layout } = scan
  const [change, ...payloads] = await scan.getMany([
    layout.sequence(record.seq), ...leaves.map(({ rev }) => layout.revision(id, encodeRevision(rev)))
  ])
  const expected = { id, deleted: record.deleted, leaves: leaves.map(({ rev }) => rev) }
  if (change === undefined || JSON.stringify(decodeChange(change)) !== JSON.stringify(expected)) {
    yield `The change ${record.seq} does not say what ${what} is`
  }
  for (let i = 0; i < leaves.length; i++) {
    const inline = leaves[i].rev === record.rev
    if (inline && payloads[i] !== undefined) yield `The winner of ${what} is stored twice`
    if (!inline && payloads[i] === undefined) yield `The body of ${what} at ${leaves[i].rev} is missing`
  }
}

/**
 * Checks that each change belongs to a document, which says so.
 *
 * @param {Scan} scan
 */
async function * checkChanges (scan) {
  const { layout } = scan
  for await (const page of scan.entries(layout.range(layout.sequences))) {
    for (const [key, text] of page) yield * guarded(`The change at ${JSON.stringify(key)}`, checkChange(scan, key, text))
  }
}

/** @param {Scan} scan @param {string} key @param {string} text */
async function * checkChange (scan, key, text) {
  const { layout } = scan
  const seq = layout.sequenceOf(key)
  if (layout.sequence(seq) !== key) yield `The change at ${JSON.stringify(key)} has no sequence`
  const { id } = decodeChange(text)
  const [record] = await scan.getMany([layout.document(id)])
  if (record === undefined || new DocumentRecord(record).seq !== seq) {
    yield `The change ${seq} is not the last one of document ${JSON.stringify(id)}`
  }
  scan.lastChange = Math.max(scan.lastChange, seq)
}

module.exports = { checkDocuments, checkChanges }
