'use strict'

const { encodeRevision } = require('../revision-tree/revision')
const { leavesOf } = require('../revision-tree/leaves')
const { TOMBSTONE, isPayload, readDocument, writeDocument } = require('./document')

/**
 * @import { Node, Tree } from '../revision-tree/encode'
 * @import { Mending } from './mending'
 * @import { KeptAttachments } from './attachments'
 * @import { Loss } from '../..'
 */

/**
 * Mends documents whose record is whole: a leaf whose body is lost goes back to the last revision of its
 * history whose body is there. Records that are damaged are removed.
 *
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendDocuments (mending, attachments) {
  const { layout } = mending
  for await (const page of mending.entries(layout.range(layout.documents))) {
    for (const [key, text] of page) yield * mendDocument(mending, attachments, layout.idOf(key), key, text)
  }
  await mending.flush()
}

/**
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {string} id
 * @param {string} key
 * @param {string} text
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendDocument (mending, attachments, id, key, text) {
  const document = readDocument(text)
  if (document === null) return mending.remove(key)
  const { record, tree } = document
  mending.lastSeq = Math.max(mending.lastSeq, record.seq)
  for (const leaf of leavesOf(tree)) if (leaf.rev !== record.rev) yield * mendLeaf(mending, id, tree, leaf)
  const { payload, lost } = attachments.keep(record.payload)
  for (const loss of lost) yield { kind: 'attachment', id, rev: record.rev, ...loss }
  const mended = writeDocument(tree, record.seq, record.origin, payload)
  if (mended !== text) await mending.put(key, mended)
}

/**
 * Takes a leaf back to a revision whose body is there. A deletion needs no body.
 *
 * @param {Mending} mending
 * @param {string} id
 * @param {Tree} tree
 * @param {Node} leaf
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendLeaf (mending, id, tree, leaf) {
  for (let node = /** @type {Node | null} */ (leaf); node !== null && node.children === 0; node = node.parent) {
    const key = mending.layout.revision(id, encodeRevision(node.rev))
    const payload = await mending.get(key)
    if (payload !== undefined && isPayload(payload)) return
    if (node === leaf) yield { kind: 'revision', id, rev: leaf.rev }
    if (node.deleted) return mending.put(key, TOMBSTONE)
    tree.delete(node.rev)
    if (node.parent !== null) node.parent.children--
  }
}

module.exports = { mendDocuments }
