'use strict'

const crypto = require('node:crypto')
const { historyOf } = require('../revision-tree/leaves')
const { parseRevision } = require('../revision-tree/revision')

/**
 * @import { Core } from '../store/core'
 * @import { Node, Tree } from '../revision-tree/encode'
 * @import { Document } from '../..'
 */

/**
 * Makes a revision that deletes what somebody saw, for a user who may no longer see a document: it is nowhere in the document. Its hash
 * can be made here alone, so whoever has it was told of it. A replicator stores it like any other; a later revision that they may
 * see again wins over it.
 *
 * @param {Core} core
 * @param {string} id
 * @param {string} rev that was seen
 */
function goneRevision (core, id, rev) {
  const { generation } = parseRevision(rev)
  const hash = crypto.createHmac('sha256', core.accessKey).update(`gone\n${id}\n${rev}`).digest('hex').slice(0, 32)
  return `${generation + 1}-${hash}`
}

/**
 * The revision of a document that a deletion such as these follows.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Tree} tree
 * @param {string} rev
 * @returns {Node | null} null where it is none
 */
function goneAfter (core, id, tree, rev) {
  const { generation, hash } = parseRevision(rev)
  if (!/^[0-9a-f]{32}$/.test(hash)) return null
  for (const node of tree.values()) if (node.generation === generation - 1 && goneRevision(core, id, node.rev) === rev) return node
  return null
}

/**
 * Reads it as a replicator does.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Tree} tree
 * @param {string} rev
 * @param {{ revs?: boolean }} options
 * @returns {Document | null} null where it is none
 */
function goneDocument (core, id, tree, rev, { revs }) {
  const node = goneAfter(core, id, tree, rev)
  if (node === null) return null
  /** @type {Document} */
  const document = { id, rev, deleted: true, body: '{}', attachments: null }
  if (!revs) return document
  const { start, ids } = historyOf(node)
  return { ...document, revisions: { start: start + 1, ids: [parseRevision(rev).hash, ...ids].slice(0, core.revsLimit) } }
}

module.exports = { goneAfter, goneDocument, goneRevision }
