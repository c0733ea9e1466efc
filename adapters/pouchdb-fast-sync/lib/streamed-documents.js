'use strict'

const { base64StringToBlobOrBuffer } = require('pouchdb-binary-utils')

/** Characters of documents that are kept until they are asked for. The replication asks the server again for the others. */
const MOST = 16 * 1024 * 1024

/** Documents that came with changes, until the replication asks for them. */
class StreamedDocuments {
  #source
  /** By id and revision, in the order they came in. @type {Map<string, { doc: any, size: number }>} */
  #waiting = new Map()
  #size = 0
  /** The documents that were asked for last, whose attachments come next. @type {Map<string, any>} */
  #given = new Map()

  /** @param {any} source */
  constructor (source) {
    this.#source = source
  }

  /** Whether documents wait to be asked for. */
  get isWaiting () { return this.#waiting.size > 0 }

  /** Takes documents out of changes. @param {import('./change-stream').Page} page */
  add ({ changes, bytes }) {
    for (let i = 0; i < changes.length; i++) {
      const { docs = [] } = changes[i]
      delete changes[i].docs
      if (docs.length === 0 || this.#size + bytes[i] > MOST) continue
      this.#size += bytes[i]
      docs.forEach((doc, n) => this.#waiting.set(nameOf(doc._id, doc._rev), { doc, size: n === 0 ? bytes[i] : 0 }))
    }
  }

  /** @param {{ docs: Array<{ id: string, rev: string }>, revs: boolean, latest: boolean }} options @returns {Promise<any>} as the adapter's */
  async bulkGet (options) {
    this.#given.clear()
    const found = options.docs.map(({ id, rev }) => this.#waiting.get(nameOf(id, rev))?.doc)
    const others = options.docs.filter((_, i) => found[i] === undefined)
    const rest = others.length === 0 ? [] : (await this.#source.bulkGet({ ...options, docs: others })).results
    const results = []
    for (const doc of found) {
      if (doc === undefined) continue
      results.push({ id: doc._id, docs: [{ ok: doc }] })
      if (doc._attachments !== undefined) this.#given.set(doc._id, this.#given.has(doc._id) ? AMBIGUOUS : { ...doc, _attachments: { ...doc._attachments } })
    }
    this.#forget(options.docs)
    return { results: [...results, ...rest] }
  }

  /** Drops what is asked for, and what came before it, which the replication no longer wants. @param {Array<{ id: string, rev: string }>} asked */
  #forget (asked) {
    const names = new Set(asked.map(({ id, rev }) => nameOf(id, rev)).filter(name => this.#waiting.has(name)))
    for (const [name, { size }] of this.#waiting) {
      if (names.size === 0) return
      this.#waiting.delete(name)
      this.#size -= size
      names.delete(name)
    }
  }

  /**
   * @param {any[]} args of getAttachment()
   * @returns {Promise<any> | undefined} undefined: it did not come along
   */
  attachment ([id, name, options, callback]) {
    if (typeof options === 'function' || callback !== undefined) return undefined
    const doc = this.#given.get(id)
    if (doc === undefined || doc === AMBIGUOUS || (options?.rev !== undefined && options.rev !== doc._rev)) return undefined
    const { data, content_type: type } = doc._attachments[name] ?? {}
    return data === undefined ? undefined : Promise.resolve(base64StringToBlobOrBuffer(data, type))
  }
}

/** Several revisions of one document were asked for at once. */
const AMBIGUOUS = Symbol('several')

/** @param {string} id @param {string} rev */
function nameOf (id, rev) { return JSON.stringify([id, rev]) }

module.exports = { StreamedDocuments }
