'use strict'

/**
 * Entries that are read backwards, except for those that one document has under one key: they stay in the
 * order of their values, as in CouchDB, which keeps them as one.
 */
class BackwardRuns {
  /** @type {Array<[string, string]>} */
  #held = []

  /**
   * @param {Array<[string, string]>} entries as they are read
   * @returns {Array<[string, string]>} those that are complete; the first of a run comes last, and ends it
   */
  take (entries) {
    if (this.#held.length === 0 && entries.every(([key]) => isFirst(key))) return entries
    const complete = []
    for (const entry of entries) {
      this.#held.push(entry)
      if (!isFirst(entry[0])) continue
      for (let i = this.#held.length - 1; i >= 0; i--) complete.push(this.#held[i])
      this.#held = []
    }
    return complete
  }
}

/**
 * Tells whether nothing tells it from others of its document and key: see row-layout.js.
 * @param {string} key
 */
function isFirst (key) { return key.charCodeAt(key.length - 1) === 0 }

module.exports = { BackwardRuns }
