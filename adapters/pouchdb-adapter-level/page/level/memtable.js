'use strict'

const { countBelow } = require('./key-text')
const { sizeOf } = require('./entries')

/** Keys that are put in their places one by one; more are sorted, and merged. */
const FEW = 8

/**
 * Holds what the log says and no block says yet, with what views of an earlier state see.
 *
 * @typedef {{ value: Uint8Array | null, seq: number, former: Written | undefined }} Written null: removed; seq: of the commit
 */
class Memtable {
  /** @type {Map<string, Written>} */
  #written = new Map()
  /** @type {string[]} */
  #sorted = []
  /** Not in order yet. @type {string[]} */
  #added = []
  /** Bytes of the log. */
  size = 0
  /** The number of the last record of the log that is here. */
  lastRecord = 0

  /** @param {import('./entries').Entry} entry @param {number} seq @param {boolean} isViewed whether somebody may see what was there */
  add (entry, seq, isViewed) {
    const [text, value] = entry
    const former = this.#written.get(text)
    if (former === undefined) this.#added.push(text)
    this.#written.set(text, { value, seq, former: isViewed ? former : undefined })
    this.size += sizeOf(entry)
  }

  /** @param {string} text @param {number} seq the commit whose state it is @returns {Uint8Array | null | undefined} null: removed; undefined: it says nothing */
  get (text, seq) {
    let written = this.#written.get(text)
    while (written !== undefined && written.seq > seq) written = written.former
    return written?.value
  }

  /** All keys, in order. */
  get keys () {
    const added = this.#added
    if (added.length === 0) return this.#sorted
    this.#added = []
    if (added.length <= FEW) for (const text of added) this.#sorted.splice(countBelow(this.#sorted, text), 0, text)
    else this.#sorted = merge(this.#sorted, added.sort(byText))
    return this.#sorted
  }
}

/** @param {string} a @param {string} b */
function byText (a, b) { return a < b ? -1 : 1 }

/** @param {string[]} a @param {string[]} b */
function merge (a, b) {
  const all = new Array(a.length + b.length)
  for (let i = 0, j = 0, at = 0; at < all.length; at++) all[at] = j === b.length || (i < a.length && a[i] < b[j]) ? a[i++] : b[j++]
  return all
}

module.exports = { Memtable }
