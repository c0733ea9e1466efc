'use strict'

const assert = require('node:assert/strict')

/**
 * Keeps what a database owes to those who wrote to it and read from it. It is told, in the order in which
 * it happened:
 *
 *   { begins: [{ subject, state, was? }, …] }   a write is asked for: all of it happens, or nothing;
 *                                               `was` where it was not null at first
 *   { ends: [{ subject, state }, …] }     it was acknowledged
 *   { fails: [subject, …] }               it was refused, and has changed nothing
 *   { seen: [[seq, id, revs], …] }        a reader was told of these changes
 *   { sequence: number }                  a reader was told that this is the last one
 *   { purges: [[seq, id, revs], …] }      a reader was told of these purges
 *
 * A subject is a document's id, `_local/…`, or the name of a value; one write at a time works on
 * it. A state is JSON: see subjects.js. A revision that is not known yet is null.
 */
class Ledger {
  #states = new Map()
  #pending = new Set()
  #seen = new Map()
  #sequence = 0
  #purges = new Map()

  copy () {
    const copy = new Ledger()
    copy.#states = new Map(this.#states)
    copy.#pending = new Set(this.#pending)
    copy.#seen = this.#seen
    copy.#purges = this.#purges
    copy.#sequence = this.#sequence
    return copy
  }

  get subjects () { return [...this.#states.keys()] }

  note (event) {
    if (event.begins) this.#begin(event.begins)
    else if (event.ends) this.#end(event.ends)
    else if (event.fails) this.#forget(event.fails[0])
    else if (event.seen) this.#see(event.seen)
    else if (event.purges) for (const [seq, ...purge] of event.purges) this.#purges.set(seq, JSON.stringify(purge))
    else this.#sequence = Math.max(this.#sequence, event.sequence)
  }

  #begin (changes) {
    for (const { subject, was = null } of changes) if (!this.#states.has(subject)) this.#states.set(subject, was)
    this.#pending.add(changes)
  }

  #end (changes) {
    this.#forget(changes[0].subject)
    for (const { subject, state } of changes) this.#states.set(subject, state)
  }

  #forget (subject) {
    for (const changes of this.#pending) {
      if (changes.some((change) => change.subject === subject)) this.#pending.delete(changes)
    }
  }

  #see (rows) {
    for (const [seq, id, revs] of rows) {
      this.#sequence = Math.max(this.#sequence, seq)
      this.#seen.set(seq, JSON.stringify([id, revs]))
    }
  }

  /**
   * Demands that a database holds what it acknowledged, and each write that it had not answered
   * whole or not at all. From then on what it holds is what it owes.
   *
   * @param {Map<string, any>} states of all subjects
   */
  settle (states) {
    for (const changes of this.#pending) {
      const done = changes.filter(({ subject, state }) => agrees(states.get(subject), state))
      if (done.length === changes.length) this.#end(changes)
      this.#pending.delete(changes)
    }
    for (const [subject, state] of this.#states) {
      assert.ok(agrees(states.get(subject), state),
        `${subject} is ${JSON.stringify(states.get(subject))}, and was acknowledged as ${JSON.stringify(state)}`)
      this.#states.set(subject, states.get(subject))
    }
  }

  /**
   * Demands that no sequence that somebody was told of names another change now, or will.
   *
   * @param {Array<[number, string, string[]]>} changes all there are
   * @param {number} sequence the last one
   * @param {{ last: number, purges: Array<{ seq: number, id: string, revs: string[] }> }} purges
   */
  assertSequences (changes, sequence, { last, purges }) {
    for (const seq of this.#purges.keys()) assert.ok(seq <= last, `the last purge sequence is ${last}, and was ${seq}`)
    for (const { seq, id, revs } of purges) {
      if (this.#purges.has(seq)) assert.equal(JSON.stringify([id, revs]), this.#purges.get(seq), `purge ${seq}`)
    }
    assert.ok(sequence >= this.#sequence, `the last sequence is ${sequence}, and was ${this.#sequence}`)
    for (const [seq, id, revs] of changes) {
      assert.ok(seq <= sequence)
      const before = this.#seen.get(seq)
      if (before !== undefined) assert.equal(JSON.stringify([id, revs]), before, `change ${seq}`)
    }
  }
}

/** Whether a state that was read is one that was written, whose revisions may not be known. */
function agrees (read, written) {
  if (!Array.isArray(written)) return JSON.stringify(read) === JSON.stringify(written)
  if (!Array.isArray(read) || read.length !== written.length) return false
  return written.every((leaf, i) => {
    const known = leaf.rev === null ? { ...read[i], rev: null } : read[i]
    return JSON.stringify(known) === JSON.stringify(leaf)
  })
}

module.exports = { Ledger }
