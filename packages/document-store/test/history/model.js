'use strict'

/**
 * The slow and obvious model of history: the state of all documents after each change, in full.
 * A state is `{ seq, time, documents: Map id → { rev, deleted, body, file } }`.
 */
class Moments {
  states = [{ seq: 0, time: 0, documents: new Map() }]

  /** @param {import('../..').DocumentStore} store @param {number} time @param {string[]} ids */
  async note (store, time, ids) {
    const documents = new Map()
    for (const id of ids) {
      const [leaf] = await store.openRevs(id, 'all', { attachments: true })
      if (leaf?.ok !== undefined) documents.set(id, seen(leaf.ok))
    }
    this.states.push({ seq: store.updateSeq, time, documents })
  }

  /** Returns the documents at a sequence, or at a time. */
  at ({ seq, time }) {
    return this.states.findLast((each) => seq === undefined ? each.time <= time : each.seq <= seq).documents
  }
}

/** @param {import('../..').Document} document */
function seen ({ rev, deleted, body, attachments }) {
  return { rev, deleted, body, file: attachments?.f?.data.toString() ?? null }
}

module.exports = { Moments, seen }
