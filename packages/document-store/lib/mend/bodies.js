'use strict'

const { compareLeaves, decodeHash, encodeRevision } = require('../revision-tree/revision')
const { isPayload, readDocument, writeDocument } = require('./document')
const { rebuildTree } = require('./rebuild')

/**
 * @import { Mending } from './mending'
 * @import { KeptAttachments } from './attachments'
 * @import { Lost } from './changes'
 * @import { Tree } from '../revision-tree/encode'
 * @import { Loss } from '../..'
 *
 * @typedef {{ id: string, tree: Tree | null, winner: string, bodies: Map<string, string> }} Revisions of a document: its
 *   tree, or the bodies of one that has none
 */

/**
 * Mends the bodies that are kept beside documents, those of documents whose record is lost among them: such a
 * document comes back with the revisions whose bodies are there.
 *
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {Lost} lost documents; those that come back are taken out
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendBodies (mending, attachments, lost) {
  const { layout } = mending
  let at = /** @type {Revisions | null} */ (null)
  for await (const page of mending.entries(layout.range(layout.revisions))) {
    for (const [key, payload] of page) {
      const { id, rev } = layout.revisionOf(key)
      if (id !== at?.id) {
        if (at !== null) yield * rebuild(mending, attachments, lost, at)
        at = { id, bodies: new Map(), ...await documentOf(mending, id) }
      }
      yield * mendBody(mending, attachments, at, key, rev, payload)
    }
  }
  if (at !== null) yield * rebuild(mending, attachments, lost, at)
  await mending.flush()
}

/** @param {Mending} mending @param {string} id */
async function documentOf (mending, id) {
  const text = await mending.get(mending.layout.document(id))
  const document = text === undefined ? null : readDocument(text)
  return { tree: document?.tree ?? null, winner: document?.record.rev ?? '' }
}

/**
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {Revisions} at
 * @param {string} key
 * @param {string} encoded
 * @param {string} payload
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendBody (mending, attachments, at, key, encoded, payload) {
  const rev = revisionOf(encoded)
  if (rev === null || !isPayload(payload)) {
    yield { kind: 'revision', id: at.id, rev: encoded }
    return mending.remove(key)
  }
  if (at.tree === null) {
    at.bodies.set(rev, payload)
    return
  }
  if (!at.tree.has(rev) || rev === at.winner) {
    if (rev !== at.winner) yield { kind: 'revision', id: at.id, rev }
    return mending.remove(key)
  }
  yield * keepBody(mending, attachments, at.id, rev, key, payload)
}

/**
 * Decodes a revision; null where none is stored so.
 *
 * @param {string} encoded
 */
function revisionOf (encoded) {
  try {
    const rev = decodeHash(encoded)
    return /^[1-9]\d*-/.test(rev) && encodeRevision(rev) === encoded ? rev : null
  } catch {
    return null
  }
}

/**
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {string} id
 * @param {string} rev
 * @param {string} key
 * @param {string} stored
 * @returns {AsyncGenerator<Loss>}
 */
async function * keepBody (mending, attachments, id, rev, key, stored) {
  const { payload, lost } = attachments.keep(stored)
  for (const loss of lost) yield { kind: 'attachment', id, rev, ...loss }
  if (payload !== stored) await mending.put(key, payload)
  mending.revisions += Buffer.byteLength(payload)
  mending.bodies++
}

/**
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {Lost} lost
 * @param {Revisions} at
 * @returns {AsyncGenerator<Loss>}
 */
async function * rebuild (mending, attachments, lost, { id, bodies }) {
  if (bodies.size === 0) return
  const { layout } = mending
  const change = lost.get(id)
  const { tree, leaves } = rebuildTree(bodies, change, { id, key: mending.accessKey })
  const [winner] = leaves.sort(compareLeaves)
  if (!change?.leaves.every(rev => tree.has(rev))) yield { kind: 'document', id, rev: winner.rev, lostRev: change?.leaves.find(rev => !tree.has(rev)) }
  for (const [rev, payload] of bodies) {
    const key = layout.revision(id, encodeRevision(rev))
    if (rev === winner.rev) await mending.remove(key)
    else if (tree.has(rev)) yield * keepBody(mending, attachments, id, rev, key, payload)
    else {
      yield { kind: 'revision', id, rev }
      await mending.remove(key)
    }
  }
  const { payload, lost: gone } = attachments.keep(/** @type {string} */ (bodies.get(winner.rev)))
  for (const loss of gone) yield { kind: 'attachment', id, rev: winner.rev, ...loss }
  await mending.put(layout.document(id), writeDocument(tree, change?.seq ?? 0, '', payload))
  lost.delete(id)
}

module.exports = { mendBodies }
