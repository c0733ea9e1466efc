'use strict'

const { isDeepStrictEqual } = require('node:util')
const { ImportError } = require('../import/import-error')

/**
 * The database that several become one in, for one of them: it leaves alone documents that others may read, which came from
 * another one with the same id.
 *
 * @implements {Target}
 * @typedef {import('../import/store-target').Target} Target
 * @typedef {import('../import/store-target').SentDocument} SentDocument
 */
class PartTarget {
  #target
  #source
  /** Ids that another database has. @type {Set<string>} */
  #taken = new Set()
  updateSeq = undefined
  keepsSequences = false

  /** @param {Target} target @param {import('./source').PartSource} source */
  constructor (target, source) {
    this.#target = target
    this.#source = source
    this.label = target.label
    this.sharesContent = target.sharesContent
    this.byDocument = target.byDocument
  }

  /** @param {string[]} ids */
  async #findTaken (ids) {
    const found = await this.#target.accessLists(ids)
    ids.forEach((id, i) => { if (!found[i].every(access => isDeepStrictEqual(access, this.#source.accessTo(id)))) this.#taken.add(id) })
  }

  /** All are missing of a document that is another one. @param {Record<string, string[]>} revs */
  async missing (revs) {
    const ids = Object.keys(revs)
    if (ids.length === 0) return {}
    await this.#findTaken(ids)
    const own = Object.fromEntries(ids.filter(id => !this.#taken.has(id)).map(id => [id, revs[id]]))
    return { ...revs, ...await this.#target.missing(own) }
  }

  /** @param {SentDocument[]} docs @param {import('../import/checkpoint').Checkpoint} [checkpoint] */
  async write (docs, checkpoint) {
    const own = docs.filter(({ _id: id }) => !this.#taken.has(id))
    const results = await this.#target.write(own, checkpoint)
    return docs.map(({ _id: id }) => this.#taken.has(id) ? new ImportError('DAMAGED', { why: 'the id is that of a document of another database' }) : results.shift())
  }

  /** @param {Array<{ id: string, revs: string[] }>} changes */
  async leaves (changes) {
    await this.#findTaken(changes.map(({ id }) => id))
    const own = changes.filter(({ id }) => !this.#taken.has(id))
    const found = new Map((await this.#target.leaves(own)).map((leaves, i) => [own[i].id, leaves]))
    return changes.map(({ id }) => found.get(id) ?? [])
  }

  /** Nothing: see PartSource. */
  async * changes () {}

  /** @param {string[]} ids */
  accessLists (ids) { return this.#target.accessLists(ids) }

  /** @param {number} length */
  admitHistory (length) { return this.#target.admitHistory(length) }

  /** @param {number} limit */
  setRevsLimit (limit) { return this.#target.setRevsLimit(limit) }

  /** @param {Record<string, any>} security */
  setSecurity (security) { return this.#target.setSecurity(security) }

  getSecurity () { return this.#target.getSecurity() }

  /** @param {string} id */
  getLocal (id) { return this.#target.getLocal(id) }

  /** @param {string[]} ids */
  getLocals (ids) { return this.#target.getLocals(ids) }

  /** @param {SentDocument[]} docs */
  writeLocals (docs) { return this.#target.writeLocals(docs) }
}

module.exports = { PartTarget }
