'use strict'

/** A checkpoint is written this long after the one before, milliseconds. */
const EVERY = 1000

/**
 * Checkpoints of a replication in its source. During a stream only one a second is written. A replication that starts again
 * goes on from the last checkpoint that both databases have, so an older one costs time and nothing else.
 *
 * @see https://docs.couchdb.org/en/stable/replication/protocol.html#compare-replication-logs
 */
class HeldCheckpoints {
  #source
  /** By id: as the source has it, or, where `held`, will have it. @type {Map<string, { doc: any, held: boolean, at: number }>} */
  #known = new Map()

  /** @param {any} source */
  constructor (source) {
    this.#source = source
  }

  /**
   * @param {any[]} args of get()
   * @returns {Promise<any> | undefined} undefined: the source is to be asked
   */
  get ([id, ...others]) {
    const known = others.length === 0 ? this.#known.get(id) : undefined
    return known && Promise.resolve(structuredClone(known.doc))
  }

  /**
   * @param {any[]} args of put()
   * @param {boolean} isStreaming
   * @returns {Promise<any> | undefined} undefined: it is no checkpoint
   */
  put ([doc, ...others], isStreaming) {
    const id = doc?._id
    if (others.length > 0 || typeof id !== 'string' || !id.startsWith('_local/')) return undefined
    const known = this.#known.get(id)
    if (isStreaming && known !== undefined && Date.now() - known.at < EVERY) {
      this.#known.set(id, { doc: structuredClone(doc), held: true, at: known.at })
      return Promise.resolve({ ok: true, id, rev: doc._rev })
    }
    return this.#write(structuredClone(doc), isStreaming)
  }

  /** @param {any} doc @param {boolean} isKept whether it will be asked for soon */
  async #write (doc, isKept) {
    this.#known.delete(doc._id)
    const answer = await this.#source.put(doc)
    if (isKept) this.#known.set(doc._id, { doc: { ...doc, _rev: answer.rev }, held: false, at: Date.now() })
    return answer
  }

  /** Writes those that are held. A write that fails leaves an older one. */
  flush () {
    const held = [...this.#known.values()].filter(({ held }) => held)
    this.#known.clear()
    for (const { doc } of held) this.#source.put(doc).catch(() => {})
  }
}

module.exports = { HeldCheckpoints }
