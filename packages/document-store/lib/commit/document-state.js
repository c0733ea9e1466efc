'use strict'

const { DocumentRecord } = require('../media/record')
const { compareLeaves, decodeHash, encodeHash, encodeRevision } = require('../revision-tree/revision')
const { decodeTree, encodeTree } = require('../revision-tree/encode')
const { extendLinear, isLinear, lengthOf, parentOf, stemLinear } = require('../revision-tree/linear')
const { leavesOf } = require('../revision-tree/leaves')
const { holdsPath, mergePath } = require('../revision-tree/merge')
const { prune } = require('../revision-tree/prune')
const { endsWithin, stem } = require('../revision-tree/stem')
const { winnerOfTree } = require('../revision-tree/winner')

/**
 * @import { Node, Path } from '../revision-tree/encode'
 */

/**
 * One document while a commit changes it: what is stored, and the revisions added so far. A
 * linear history is kept as text; only branches need the tree in memory.
 */
class DocumentState {
  #encodedWinner
  /** The text that follows the winner in the tree's text, as long as there is no tree. */
  #rest
  #linear
  /** @type {import('../revision-tree/encode').Tree | null} */
  #tree = null
  /** The limit to which the tree in memory was cut, 0 before. */
  #stemmedTo = 0
  #learned = false

  /**
   * @param {string} id
   * @param {string | undefined} record as stored
   */
  constructor (id, record) {
    this.id = id
    this.stored = record === undefined ? null : new DocumentRecord(record)
    this.storedWinner = this.stored === null ? null : this.stored.rev
    this.exists = this.stored !== null
    this.deleted = this.stored !== null && this.stored.deleted
    this.winner = this.storedWinner
    this.#encodedWinner = this.stored === null ? '' : this.stored.winner
    this.#rest = this.stored === null ? '' : this.stored.rest
    this.#linear = isLinear(this.#rest)
    /** Payloads of the revisions added, by revision. @type {Map<string, string>} */
    this.fresh = new Map()
    /** Revisions that ceased to be leaves. @type {string[]} */
    this.closed = []
    /** Revisions that stemming cut off. @type {string[]} */
    this.cut = []
    /** Whether a revision that was added has attachments. */
    this.addsAttachments = false
    /** Whether no body is to be kept but those of leaves. */
    this.compacting = false
    /** The name of who changed it last. @type {string | null} */
    this.user = null
    /** The sequence must not be less. */
    this.leastSeq = 0
  }

  get touched () { return this.fresh.size > 0 || this.#learned }

  /** Whether the document is new, or had its winner edited once, with no attachments anywhere. */
  get isPlainEdit () {
    if (this.fresh.size > 1 || this.cut.length > 0) return false
    if (this.addsAttachments || !this.fresh.has(/** @type {string} */ (this.winner))) return false
    if (this.stored === null) return true
    return this.closed.length === 1 && this.closed[0] === this.storedWinner && this.stored.attachments === ''
  }

  /** The tree in memory; from now on it is the one that counts. */
  get #wholeTree () {
    if (this.#tree === null) {
      this.#tree = this.exists ? decodeTree(this.#encodedWinner + this.#rest, this.deleted) : new Map()
      this.#linear = false
    }
    return this.#tree
  }

  /** @param {string} rev */
  isLeaf (rev) {
    if (this.#linear) return rev === this.winner
    return this.#wholeTree.get(rev)?.children === 0
  }

  /** @param {string} rev */
  has (rev) {
    if (!this.exists) return false
    if (rev === this.winner) return true
    return this.#linear ? this.#hasAncestor(rev) : this.#wholeTree.has(rev)
  }

  /**
   * Looks for an ancestor of the winner. Every edit asks for its parent: that needs no tree.
   *
   * @param {string} rev
   */
  #hasAncestor (rev) {
    const distance = generationOf(/** @type {string} */ (this.winner)) - generationOf(rev)
    if (this.#rest === '' || distance < 1) return false
    if (distance === 1) return encodeHash(rev.slice(rev.indexOf('-') + 1)) === parentOf(this.#rest)
    return this.#wholeTree.has(rev)
  }

  /**
   * Adds a revision that is not there yet.
   *
   * @param {{ start: number, ids: string[] }} path newest first, as far as known
   * @param {boolean} deleted
   * @param {string} payload
   * @param {number} limit revisions to keep on a path
   */
  add (path, deleted, payload, limit) {
    const rev = `${path.start}-${path.ids[0]}`
    this.fresh.set(rev, payload)
    if (!this.exists) this.#begin(path, limit)
    else if (this.#extendsWinner(path)) this.#extend(path, limit)
    else return this.#merge(path, deleted, limit)
    const hash = encodeHash(path.ids[0])
    this.#encodedWinner = hash === path.ids[0] ? rev : `${path.start}-${hash}`
    this.exists = true
    this.deleted = deleted
    this.winner = rev
  }

  /** @param {Path} path @param {number} limit */
  #begin (path, limit) {
    if (path.ids.length === 1) return
    const rest = path.ids.slice(1).map((id) => ',' + encodeHash(id)).join('')
    // Revisions cut off here never had a body.
    this.#rest = path.ids.length > limit ? stemLinear(rest, path.start, limit).rest : rest
  }

  /**
   * Whether a path adds one revision to a linear history, and no older ancestors.
   *
   * @param {Path} path
   */
  #extendsWinner (path) {
    return path.ids.length > 1 && this.#linear &&
      this.winner === `${path.start - 1}-${path.ids[1]}` &&
      (path.ids.length === 2 || path.ids.length <= lengthOf(this.#rest) + 1)
  }

  /** @param {Path} path @param {number} limit */
  #extend (path, limit) {
    this.closed.push(/** @type {string} */ (this.winner))
    const { rest, cut } = extendLinear(this.#encodedWinner, this.deleted, this.#rest, path.start, limit)
    this.#rest = rest
    for (const rev of cut) this.cut.push(decodeHash(rev))
  }

  /**
   * One commit may add thousands of leaves: none of them looks at the whole tree unless it has to.
   *
   * @param {Path} path
   * @param {boolean} deleted
   * @param {number} limit
   */
  #merge (path, deleted, limit) {
    const tree = this.#wholeTree
    const closed = mergePath(tree, path, deleted)
    const leaf = tree.get(`${path.start}-${path.ids[0]}`)
    const isWhole = this.#stemmedTo === limit && endsWithin(/** @type {Node} */ (leaf), limit)
    this.#settle(closed, isWhole ? Infinity : limit, leaf)
  }

  /**
   * @param {string[]} closed leaves that are none any more
   * @param {number} limit Infinity where nothing is to be cut off
   * @param {import('../revision-tree/encode').Node} [leaf] the only new one, where that is known
   */
  #settle (closed, limit, leaf) {
    const tree = this.#wholeTree
    for (const rev of closed) this.closed.push(rev)
    if (limit < Infinity) {
      for (const rev of stem(tree, limit)) this.cut.push(rev)
      this.#stemmedTo = limit
    }
    const before = leaf === undefined ? undefined : tree.get(/** @type {string} */ (this.winner))
    const winner = before?.children === 0 ? firstOf(before, /** @type {Node} */ (leaf)) : winnerOfTree(tree)
    this.winner = winner.rev
    this.deleted = winner.deleted
  }

  /**
   * A revision that is there may come with ancestors that are not: they are kept within the limit.
   *
   * @param {{ start: number, ids: string[] }} path newest first, as far as known
   * @param {number} limit revisions to keep on a path
   */
  learn (path, limit) {
    if (path.ids.length === 1 || (this.#linear && !this.#isOlder(path))) return
    const tree = this.#wholeTree
    if (holdsPath(tree, path)) return
    const before = encodeTree(tree)
    const closed = mergePath(tree, path, this.deleted)
    if (encodeTree(tree) === before) return
    this.#settle(closed, limit)
    if (encodeTree(tree) !== before) this.#learned = true
  }

  /**
   * Whether a path goes back further than a linear history.
   *
   * @param {Path} path
   */
  #isOlder (path) {
    return path.start - path.ids.length < generationOf(/** @type {string} */ (this.winner)) - lengthOf(this.#rest)
  }

  /**
   * Takes leaves out, with what only they descend from. Nothing else may have touched the document.
   *
   * @param {string[]} revs
   * @returns {{ purged: string[], gone: string[] }} see revision-tree/prune.js
   */
  purge (revs) {
    const tree = this.#wholeTree
    const result = prune(tree, revs)
    this.exists = tree.size > 0
    if (this.exists) {
      const winner = winnerOfTree(tree)
      this.winner = winner.rev
      this.deleted = winner.deleted
    }
    return result
  }

  /**
   * Returns what is stored of a document that was touched.
   *
   * @returns {{ leaves: string[], rest: string }} all leaves, encoded, the winner first; and what
   *   follows the winner in the tree's text
   */
  encode () {
    if (this.#tree === null) return { leaves: [this.#encodedWinner], rest: this.#rest }
    const leaves = leavesOf(this.#tree).map((leaf) => encodeRevision(leaf.rev))
    return { leaves, rest: encodeTree(this.#tree).slice(leaves[0].length) }
  }
}

/** @param {Node} one @param {Node} other */
function firstOf (one, other) { return compareLeaves(one, other) <= 0 ? one : other }

/** @param {string} rev */
function generationOf (rev) {
  return Number(rev.slice(0, rev.indexOf('-')))
}

module.exports = { DocumentState }
