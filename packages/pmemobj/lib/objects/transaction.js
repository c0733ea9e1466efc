'use strict'

/**
 * What the operations under way have changed: how to take it back, newest last, and which nodes have
 * to be written. Who takes part gives `undo(what, former)`.
 */
class Transaction {
  /** Flat: participant, what, former. */
  #undo = []
  /** @type {import('./nodes/node').Node[]} */
  dirty = []
  /** @type {import('./text').Text[]} strings that come or go */
  texts = []
  /** @type {{ write: (writer: import('./record/writer').Writer) => void, committed: () => void }[]} who else writes in the same commit */
  others = []
  /** Whether bytes of buffers were saved. */
  saved = false

  /** To roll back to. */
  get savepoint () { return this.#undo.length }

  /**
   * @param {{ undo: (what: any, former: any) => void }} participant
   * @param {unknown} what
   * @param {unknown} former
   */
  remember (participant, what, former) {
    this.#undo.push(participant, what, former)
  }

  /** @param {import('./nodes/node').Node} node */
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
      undo.pop().undo(what, former)
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
    this.#undo.length = 0
    this.dirty.length = 0
    // To set the length of an array costs more than to ask for it.
    if (this.texts.length > 0) this.texts.length = 0
    if (this.others.length > 0) this.others.length = 0
    this.saved = false
  }
}

module.exports = { Transaction }
