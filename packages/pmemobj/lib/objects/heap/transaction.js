'use strict'

/** Elements that are taken from a list one by one. */
const FEW = 64

/**
 * Changes of the operations under way: how to take them back, newest last, and which nodes have to be
 * written.
 */
class Transaction {
  /** Flat: participant, what, former. @type {unknown[]} */
  #undo = []
  /** @type {import('../nodes/node').Node[]} */
  dirty = []
  /** @type {import('./text').Text[]} strings that come or go */
  texts = []
  /** @type {import('./types').Writing[]} others that write in the same commit */
  others = []
  /** Whether bytes of buffers were saved. */
  saved = false

  /** To roll back to. */
  get savepoint () { return this.#undo.length }

  /**
   * @param {import('./types').Participant} participant
   * @param {unknown} what
   * @param {unknown} former
   */
  remember (participant, what, former) {
    this.#undo.push(participant, what, former)
  }

  /**
   * Steps that were remembered, newest first.
   *
   * @returns {Generator<{ participant: unknown, what: any, former: any }>}
   */
  * steps () {
    const undo = this.#undo
    for (let i = undo.length - 3; i >= 0; i -= 3) yield { participant: undo[i], what: undo[i + 1], former: undo[i + 2] }
  }

  /** @param {import('../nodes/node').Node} node */
  mark (node) {
    if (node.dirty) return
    node.dirty = true
    this.dirty.push(node)
  }

  /** @param {number} savepoint */
  rollBack (savepoint) {
    const undo = this.#undo
    while (undo.length > savepoint) {
      const former = undo.pop()
      const what = undo.pop()
      const participant = /** @type {import('./types').Participant} */ (undo.pop())
      participant.undo(what, former)
    }
  }

  /** Once all of it is in the pool. */
  committed () {
    for (const node of this.dirty) {
      node.dirty = false
      if (node.attached) node.committed()
      else node.dismissed()
    }
    for (const text of this.texts) text.committed()
    for (const other of this.others) other.committed()
    this.#clear()
  }

  /** Once all of it was taken back. */
  dismissed () {
    for (const node of this.dirty) {
      node.dirty = false
      node.dismissed()
    }
    this.#clear()
  }

  #clear () {
    empty(this.#undo)
    empty(this.dirty)
    empty(this.texts)
    empty(this.others)
    this.saved = false
  }
}

/**
 * To set its length gives its memory back, which takes longer than all else of a small change.
 *
 * @param {unknown[]} list
 */
function empty (list) {
  if (list.length > FEW) list.length = 0
  while (list.length > 0) list.pop()
}

module.exports = { Transaction }
