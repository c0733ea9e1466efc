'use strict'

const { setTimeout } = require('node:timers/promises')
const PouchDB = require('pouchdb').plugin(require('pouchdb-adapter-memory-level'))
const { LastingSync } = require('../../support/lasting-sync')

/** Documents that all of them write, each without asking the others: conflicts are the rule. */
const SHARED = 4

/** A PouchDB that syncs with a server for as long as it lives, and writes meanwhile. */
class Pouch {
  #db
  #remote
  #sync
  #random
  #writes = 0
  #number

  /** @param {{ number: number, url: URL, database: string, random: import('./random').Random }} options url: of its server */
  constructor ({ number, url, database, random }) {
    this.#number = number
    this.#random = random
    this.#db = new PouchDB(`pouch-${number}-${process.pid}-${performance.now()}`, { adapter: 'memory-level' })
    this.#remote = new PouchDB(`${url.origin}/${database}`, { auth: { username: 'admin', password: 'secret' }, skip_setup: true, fetch: fetchOrUnavailable })
    this.#sync = new LastingSync(this.#db, this.#remote)
  }

  get name () { return `pouch-${this.#number}` }

  /** @param {AbortSignal} over */
  async run (over) {
    while (!over.aborted) {
      await this.#write(`shared-${this.#random.below(SHARED)}`)
      if (this.#random.below(3) === 0) await this.#db.put({ _id: `of-${this.name}-${this.#writes++}` })
      await setTimeout(300 * this.#random.next())
    }
  }

  /** Names of documents that only it made. */
  get made () { return Array.from({ length: this.#writes }, (_, i) => `of-${this.name}-${i}`) }

  /** Ends the live sync. */
  async end () { await this.#sync.end() }

  /** Syncs to the end. */
  async settle () {
    await this.#db.sync(this.#remote)
  }

  /** @returns {Promise<Map<string, { winner: string, conflicts: string[] }>>} document → its leaves that live */
  async leaves () {
    const { rows } = await this.#db.allDocs({ include_docs: true, conflicts: true })
    return new Map(rows.map(({ id, doc }) => [id, { winner: doc._rev, conflicts: (doc._conflicts ?? []).sort() }]))
  }

  async close () { await this.#db.destroy() }

  async #write (id) {
    const doc = await this.#db.get(id).catch(() => ({ _id: id }))
    const deletes = doc._rev !== undefined && this.#random.below(10) === 0
    try {
      await this.#db.put({ ...doc, by: this.name, at: this.#writes, ...(deletes && { _deleted: true }) })
    } catch (error) {
      // The sync brought another one between.
      if (error.status !== 409) throw error
    }
  }
}

/** PouchDB leaves a rejection of some requests to nobody, which ends the process. A network that fails looks like a proxy that says so. */
async function fetchOrUnavailable (url, options) {
  try {
    return await PouchDB.fetch(url, options)
  } catch (error) {
    if (error.name === 'AbortError') throw error
    return new Response('{"error":"service_unavailable","reason":"The network fails"}', { status: 503, headers: { 'content-type': 'application/json' } })
  }
}

module.exports = { Pouch }
