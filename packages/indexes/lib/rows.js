'use strict'

const { toIndexableString } = require('pouchdb-collate')
const { compareTerms } = require('./erlang-order')

/**
 * The rows of one group of views (a design document's) in the level that the documents are in:
 *
 *   m                     meta: JSON `{ seq, purgeSeq, counts }`, what is indexed and how many rows a view has
 *   b id                  JSON list of the row keys of a document, each with its view's number in front
 *   r view '/' row        JSON `[id, key, value]`; row is pouchdb-collate's string of `[key, id, n]`,
 *                         whose byte order is the collation's; n tells apart what one document
 *                         emits under one key
 *
 * each after the group's prefix. Rows, lists and meta change in one batch.
 */
const UTF8 = Object.freeze({ keyEncoding: 'utf8', valueEncoding: 'utf8' })

/** Greater than anything that may follow a prefix. */
const END = '\uffff'

class Rows {
  #level
  #prefix
  #meta = null

  /**
   * @param {import('abstract-level').AbstractLevel<any, any, any>} level
   * @param {string} prefix
   * @param {number} views how many
   */
  constructor (level, prefix, views) {
    this.#level = level
    this.#prefix = prefix
    this.views = views
  }

  /** @returns {Promise<{ seq: number, purgeSeq: number, counts: number[] }>} */
  async meta () {
    if (this.#meta === null) {
      const text = await this.#level.get(this.#prefix + 'm', UTF8)
      this.#meta = text === undefined ? { seq: 0, purgeSeq: 0, counts: new Array(this.views).fill(0) } : { purgeSeq: 0, ...JSON.parse(text) }
    }
    return this.#meta
  }

  /**
   * Replaces the rows of some documents.
   *
   * @param {Array<{ id: string, rows: Array<Array<[any, any]>> | null }>} documents rows by view; null: none
   * @param {number} seq what is indexed with them
   * @param {number} [purgeSeq] the purges that they follow
   */
  async replace (documents, seq, purgeSeq) {
    const meta = await this.meta()
    const counts = [...meta.counts]
    /** @type {any[]} */
    const operations = []
    const before = meta.seq === 0 ? [] : await this.#level.getMany(documents.map(({ id }) => this.#listKey(id)), UTF8)
    documents.forEach(({ id, rows }, i) => {
      this.#remove(operations, counts, id, before[i])
      this.#add(operations, counts, id, rows)
    })
    const next = { seq, purgeSeq: purgeSeq ?? meta.purgeSeq, counts }
    operations.push({ type: 'put', key: this.#prefix + 'm', value: JSON.stringify(next) })
    await this.#level.batch(operations, UTF8)
    this.#meta = next
  }

  #listKey (id) { return `${this.#prefix}b${id}` }

  #remove (operations, counts, id, list) {
    if (list === undefined) return
    for (const key of JSON.parse(list)) {
      operations.push({ type: 'del', key: `${this.#prefix}r${key}` })
      counts[parseInt(key, 10)]--
    }
    operations.push({ type: 'del', key: this.#listKey(id) })
  }

  #add (operations, counts, id, rows) {
    /** @type {string[]} */
    const list = []
    rows?.forEach((emitted, view) => inOrder(emitted).forEach(([key, value], n) => {
      const rowKey = `${view}/${toIndexableString([key, id, n])}`
      operations.push({ type: 'put', key: `${this.#prefix}r${rowKey}`, value: JSON.stringify([id, key, value]) })
      counts[view]++
      list.push(rowKey)
    }))
    if (list.length > 0) operations.push({ type: 'put', key: this.#listKey(id), value: JSON.stringify(list) })
  }

  /**
   * @param {number} view
   * @param {{ low?: string, high?: string, highInclusive?: boolean, descending?: boolean }} range row
   *   keys: from low on, up to high
   * @returns {AsyncGenerator<[string, any, any]>} `[id, key, value]`
   */
  async * read (view, { low, high, descending = false }) {
    const prefix = `${this.#prefix}r${view}/`
    const iterator = this.#level.values({ gte: prefix + (low ?? ''), lt: prefix + (high ?? END), reverse: descending, ...UTF8 })
    try {
      while (true) {
        const page = await iterator.nextv(1000)
        if (page.length === 0) return
        for (const text of page) yield JSON.parse(text)
      }
    } finally {
      await iterator.close()
    }
  }

  /** How many rows are outside of a range on the side it is read from; null where that are more than `most`. */
  async countBefore (view, { low, high, descending = false }, most) {
    if ((descending ? high : low) === undefined) return 0
    const prefix = `${this.#prefix}r${view}/`
    const range = descending ? { gte: prefix + high, lt: prefix + END } : { gte: prefix, lt: prefix + low }
    const keys = await this.#level.keys({ ...range, limit: most + 1, keyEncoding: 'utf8' }).all()
    return keys.length > most ? null : keys.length
  }

  /** Forgets everything. */
  async clear () {
    await this.#level.clear({ gte: this.#prefix, lt: this.#prefix + END, keyEncoding: 'utf8' })
    this.#meta = null
  }
}

/** Rows of one document under one key are in the order of their values. */
function inOrder (emitted) {
  return emitted.length < 2 ? emitted : [...emitted].sort((a, b) => compareTerms(a[1], b[1]))
}

module.exports = { Rows, END, UTF8 }
