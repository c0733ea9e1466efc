'use strict'

/** Lines in a minute: a database may have very many such documents. */
const MOST = 20
const MINUTE = 60_000

/** Documents that are remembered: a batch that fails is read again. */
const REMEMBERED = 1000

/** Says in the log which documents are left out of text indexes, each revision once, and which vectors are found without their graph. */
class UnindexedLog {
  #log
  /** @type {Set<string>} */
  #told = new Set()
  #since = -Infinity
  #lines = 0

  /** @param {Pick<import('../log/log').Log, 'quote'>} log */
  constructor (log) { this.#log = log }

  /** @param {import('@potoroo/document-store').DocumentStore} store */
  follow (store) {
    store.on('unindexed', what => this.#tell(store.name, what))
    store.on('graphless', ({ field, why }) => this.#log.quote('error', `${store.name}: the vectors of ${field} are found one by one, the graph of them could not be built: ${why}`))
  }

  /** @param {string} database @param {{ ddoc: string, id: string, rev: string, why: string }} what */
  #tell (database, { ddoc, id, rev, why }) {
    const key = JSON.stringify([database, ddoc, id, rev])
    if (this.#told.has(key)) return
    if (this.#told.size >= REMEMBERED) this.#told.clear()
    this.#told.add(key)
    this.#startMinute()
    if (this.#lines++ < MOST) this.#log.quote('warning', `${database}: ${id} (${rev}) is not in the text index of ${ddoc}: ${why}`)
  }

  #startMinute () {
    const now = performance.now()
    if (now - this.#since < MINUTE) return
    if (this.#lines > MOST) this.#log.quote('warning', `${this.#lines - MOST} more documents were left out of text indexes`)
    this.#since = now
    this.#lines = 0
  }
}

module.exports = { UnindexedLog }
