'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { VectorIndex } = require('@potoroo/search')
const { decodeVector, vectorReader } = require('./definition')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('../../index/view-index').ViewIndex} ViewIndex
 * @typedef {import('./definition').VectorSpec} VectorSpec
 */

/** The vectors of an index in memory: read from its rows once, and then kept up by the changes of the database. */
class VectorMemory {
  #store
  #index
  #spec
  #vectorOf
  /** @type {VectorIndex | null} */
  #vectors = null
  #seq = 0
  #purgeSeq = 0
  #isBuilding = false
  /** One after the other brings it up. @type {Promise<unknown>} */
  #last = Promise.resolve()

  /** @param {DocumentStore} store @param {ViewIndex} index @param {VectorSpec} spec */
  constructor (store, index, spec) {
    this.#store = store
    this.#index = index
    this.#spec = spec
    this.#vectorOf = vectorReader(spec)
  }

  /**
   * Returns the vectors as the index has them, or later.
   *
   * @returns {Promise<VectorIndex>}
   */
  current () {
    const next = this.#last.then(() => this.#bringUp())
    this.#last = next.catch(() => {})
    return next
  }

  async #bringUp () {
    const { seq, purgeSeq } = this.#index.rows
    // Changes do not tell of a purge.
    const vectors = this.#vectors === null || purgeSeq !== this.#purgeSeq ? await this.#load() : this.#vectors
    if (seq > this.#seq) await this.#follow(vectors)
    this.#build(vectors)
    return vectors
  }

  /**
   * Vectors are found without the graph, too: nobody waits for it. One that fails is not built again before the database is opened
   * again, and its listeners to `graphless` are told.
   *
   * @param {VectorIndex} vectors
   */
  #build (vectors) {
    if (this.#isBuilding) return
    this.#isBuilding = true
    vectors.build(() => this.#store.closed || this.#vectors !== vectors)
      .then(() => { this.#isBuilding = false }, error => this.#store.emit('graphless', { field: this.#spec.field, why: error.message }))
  }

  async #load () {
    const { rows } = this.#index
    const { seq, purgeSeq } = rows
    const vectors = new VectorIndex(this.#spec)
    for await (const page of rows.pages(0, { descending: false })) for (const { id, value } of page) vectors.set(id, decodeVector(value))
    this.#vectors = vectors
    this.#seq = seq
    this.#purgeSeq = purgeSeq
    return vectors
  }

  /** @param {VectorIndex} vectors */
  async #follow (vectors) {
    const changes = this.#store.changes({ since: this.#seq, includeDocs: true, pending: false })
    for await (const page of changes) {
      for (const { id, deleted, document } of page) {
        const vector = deleted || id.startsWith('_design/') ? null : this.#vectorOf(await toObjectInTurns(/** @type {import('@potoroo/document-store').Document} */ (document)))
        if (vector === null) vectors.delete(id)
        else vectors.set(id, vector)
      }
    }
    this.#seq = changes.lastSeq
  }
}

module.exports = { VectorMemory }
