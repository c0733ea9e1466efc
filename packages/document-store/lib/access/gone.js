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

/** The revisions of a document that deletions such as these would follow: each generation is looked at once, however many are asked for. */
class GoneRevisions {
  #core
  #id
  #tree
  /** Nodes by their generation. @type {Map<number, Node[]> | null} */
  #nodes = null
  /** Nodes by the deletions that would follow them, of the generations that were asked for. @type {Map<string, Node>} */
  #followed = new Map()
  /** @type {Set<number>} */
  #known = new Set()

  /** @param {Core} core @param {string} id @param {Tree} tree */
  constructor (core, id, tree) {
    this.#core = core
    this.#id = id
    this.#tree = tree
  }

  /**
   * The revision that a deletion such as these follows.
   *
   * @param {string} rev
   * @returns {Node | null} null where it is none
   */
  after (rev) {
    const { generation, hash } = parseRevision(rev)
    if (!/^[0-9a-f]{32}$/.test(hash)) return null
    if (!this.#known.has(generation)) this.#look(generation)
    return this.#followed.get(rev) ?? null
  }

  /** @param {number} generation of the deletions */
  #look (generation) {
    this.#known.add(generation)
    this.#nodes ??= byGeneration(this.#tree)
    for (const node of this.#nodes.get(generation - 1) ?? []) this.#followed.set(goneRevision(this.#core, this.#id, node.rev), node)
  }
}

/** @param {Tree} tree @returns {Map<number, Node[]>} */
function byGeneration (tree) {
  const nodes = new Map()
  for (const node of tree.values()) {
    const those = nodes.get(node.generation)
    if (those === undefined) nodes.set(node.generation, [node])
    else those.push(node)
  }
  return nodes
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
  const node = new GoneRevisions(core, id, tree).after(rev)
  if (node === null) return null
  /** @type {Document} */
  const document = { id, rev, deleted: true, body: '{}', attachments: null }
  if (!revs) return document
  const { start, ids } = historyOf(node)
  return { ...document, revisions: { start: start + 1, ids: [parseRevision(rev).hash, ...ids].slice(0, core.revsLimit) } }
}

module.exports = { GoneRevisions, goneDocument, goneRevision }
