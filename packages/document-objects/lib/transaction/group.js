'use strict'

const { checkWork, refuseLater } = require('pmemobj/work')
const { presentJson } = require('../nodes/nodes')

/**
 * @typedef {import('../document').Document} Document
 * @typedef {import('../nodes/node').Node} Node
 * @typedef {{ undo: Array<() => void> }} Work what one transaction has done
 */

/** Transactions that are committed together: each sees what those before it have done. */
class Group {
  /** The transactions that have done their work. @type {import('./transactions').Entry[]} */
  entries = []
  /** Promises of transactions that ran within others. @type {WeakSet<Promise<unknown>>} */
  parts = new WeakSet()
  /** Documents that were looked at, and the revision that was seen: null of none. @type {Map<Document, string | null>} */
  #touched = new Map()
  /** Documents that were changed, and their changed parts. @type {Map<Document, Set<Node>>} */
  #changed = new Map()
  /** Documents in which the transaction that runs has assigned objects that were theirs. @type {Set<Document>} */
  #moved = new Set()
  /** @type {Work} */
  work = { undo: [] }
  #outermost = this.work

  /** @param {Document} document */
  hasChanged (document) { return this.#changed.has(document) }

  /** The documents that were changed. */
  get changed () { return this.#changed.keys() }

  /** Whether another commit has changed what was looked at. */
  get isOutdated () { return [...this.#touched].some(([document, rev]) => !document.isStill(rev)) }

  get isEmpty () { return this.#changed.size === 0 }

  /** @param {Document} document */
  touch (document) {
    if (!this.#touched.has(document)) this.#touched.set(document, document.seen)
  }

  /** @param {Document} document @param {Node} node */
  change (document, node) {
    this.touch(document)
    this.#partsOf(document).add(node)
    if (node.changedBy !== this.work) this.#save(node)
    node.draft ??= copyOf(node.raw)
  }

  /** @param {Node} node */
  #save (node) {
    const { draft, changedBy } = node
    const former = draft && copyOf(draft)
    this.work.undo.push(() => {
      node.draft = former
      node.changedBy = changedBy
    })
    node.changedBy = this.work
  }

  /** @param {Document} document @param {() => void} undo */
  changeState (document, undo) {
    this.touch(document)
    this.#partsOf(document)
    this.work.undo.push(undo)
  }

  /** An object of a document is assigned to a place in it. @param {Document} document */
  move (document) { this.#moved.add(document) }

  /** @param {Document} document */
  #partsOf (document) {
    const parts = this.#changed.get(document) ?? new Set()
    this.#changed.set(document, parts)
    return parts
  }

  /**
   * Does a work; nothing of it stays if it throws.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  perform (work) {
    const outer = this.work
    this.work = { undo: [] }
    try {
      checkWork(work)
      const value = work()
      // To wait for it would be to wait for itself.
      if (this.parts.has(/** @type {any} */ (value))) throw new TypeError('A transaction cannot give the promise of one within it, which ends with the whole: write () => { documents.transaction(…) }, with braces')
      refuseLater(value)
      if (outer === this.#outermost) this.#separate()
      for (const undo of this.work.undo) outer.undo.push(undo)
      return value
    } catch (error) {
      for (const undo of this.work.undo.reverse()) undo()
      throw error
    } finally {
      this.work = outer
    }
  }

  /** The writes to be made: new states of documents, and losing revisions that go. */
  get writes () {
    const states = []
    const losers = []
    for (const [document, nodes] of this.#changed) {
      const state = stateOf(document, nodes)
      if (state !== null) states.push(state)
      for (const rev of document.resolved) losers.push({ _id: document.id, _rev: rev, _deleted: true })
    }
    return { states, losers }
  }

  #separate () {
    for (const document of this.#moved) document.separate()
    this.#moved.clear()
  }

  /** Documents that have to be as they were seen. */
  get reads () { return [...this.#touched].map(([{ id }, rev]) => ({ id, rev })) }

  /** Makes all of it the present. @param {Map<string, string>} revs by id: the new ones */
  settle (revs) {
    for (const [document, nodes] of this.#changed) document.settle(revs.get(document.id), nodes, this.#touched.get(document) ?? null)
  }

  /** Drops all of it. */
  drop () {
    for (const [document, nodes] of this.#changed) document.forget(nodes)
    // They may be old.
    for (const document of this.#touched.keys()) document.tell()
  }
}

/**
 * @param {Document} document
 * @param {Set<Node>} nodes
 * @returns {Record<string, any> | null} null where nothing is to be stored
 */
function stateOf (document, nodes) {
  const { id, rev, isThere, draftThere = isThere, attachments, access, integers, node } = document
  const base = isThere ? { _id: id, _rev: rev } : { _id: id }
  if (!draftThere) return isThere ? { ...base, _deleted: true } : null
  if (isThere && ![...nodes].some(({ draft }) => draft !== undefined)) return null
  const state = Object.assign(presentJson(node.raw), base)
  if (isThere && attachments !== null) state._attachments = attachments
  if (isThere && access !== null) state._access = access
  integers.carry(state)
  return state
}

/** @param {any} raw */
function copyOf (raw) { return Array.isArray(raw) ? raw.slice() : { ...raw } }

module.exports = { Group }
