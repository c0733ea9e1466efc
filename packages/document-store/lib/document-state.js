'use strict'

const { DocumentRecord } = require('./record')
const { decodeHash, encodeHash, encodeRevision } = require('./revision')
const { decodeTree, encodeTree } = require('./revision-tree/encode')
const { extendLinear, isLinear, lengthOf, pathText, stemLinear } = require('./revision-tree/linear')
const { leavesOf } = require('./revision-tree/leaves')
const { mergePath } = require('./revision-tree/merge')
const { stem } = require('./revision-tree/stem')
const { winnerOfTree } = require('./revision-tree/winner')

/**
 * One document while a commit changes it: what is stored, and the revisions added so far. A
 * linear history is kept as text; only branches need the tree in memory.
 */
class DocumentState {
  #text
  #tree = null
  #encodedWinner = ''

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
    this.#text = this.stored === null ? '' : this.stored.tree
    /** Payloads of the revisions added, by revision. */
    this.fresh = new Map()
    /** Revisions that ceased to be leaves. */
    this.closed = []
    /** Revisions that stemming cut off. */
    this.cut = []
  }

  get touched () { return this.fresh.size > 0 }

  #isLinear () { return this.#tree === null && isLinear(this.#text) }

  /** The tree in memory. */
  get tree () {
    this.#tree ??= this.#text === '' ? new Map() : decodeTree(this.#text, this.deleted)
    return this.#tree
  }

  isLeaf (rev) {
    if (this.#isLinear()) return rev === this.winner
    return this.tree.get(rev)?.children === 0
  }

  has (rev) {
    if (!this.exists) return false
    return rev === this.winner || this.tree.has(rev)
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
    const hash = encodeHash(path.ids[0])
    if (!this.exists) this.#begin(path, limit)
    else if (this.#extendsWinner(path)) this.#extend(path, hash, limit)
    else return this.#merge(path, deleted, limit)
    this.#encodedWinner = hash === path.ids[0] ? rev : `${path.start}-${hash}`
    this.exists = true
    this.deleted = deleted
    this.winner = rev
  }

  #begin (path, limit) {
    const text = path.ids.length === 1
      ? `${path.start}-${encodeHash(path.ids[0])}`
      : pathText(path.start, path.ids.map(encodeHash))
    // Revisions cut off here never had a body.
    this.#text = path.ids.length > limit ? stemLinear(text, path.start, limit).text : text
  }

  /** Whether a path adds one revision to a linear history, and no older ancestors. */
  #extendsWinner (path) {
    return path.ids.length > 1 && this.#isLinear() &&
      this.winner === `${path.start - 1}-${path.ids[1]}` &&
      (path.ids.length === 2 || path.ids.length <= lengthOf(this.#text) + 1)
  }

  #extend (path, hash, limit) {
    this.closed.push(this.winner)
    const { text, cut } = extendLinear(this.#text, this.deleted, path.start, hash, limit)
    this.#text = text
    for (const rev of cut) this.cut.push(decodeHash(rev))
  }

  #merge (path, deleted, limit) {
    const tree = this.tree
    const { closed } = mergePath(tree, path, deleted)
    this.closed.push(...closed)
    this.cut.push(...stem(tree, limit))
    const winner = winnerOfTree(tree)
    this.winner = winner.rev
    this.deleted = winner.deleted
  }

  /** The tree as it is stored. */
  encodeTree () { return this.#tree === null ? this.#text : encodeTree(this.#tree) }

  /** All leaves, encoded, the winner first; of a document that was touched. */
  encodeLeaves () {
    if (this.#isLinear()) return [this.#encodedWinner]
    return leavesOf(this.tree).map((leaf) => encodeRevision(leaf.rev))
  }
}

module.exports = { DocumentState }
