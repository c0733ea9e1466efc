'use strict'

const { DocumentStore, fillMoment } = require('@potoroo/document-store')
const { Mango } = require('@potoroo/indexes')
const { open } = require('@potoroo/storage')

/** @typedef {import('@potoroo/document-store').DocumentStore} Store */

/** Databases as they were, for what is not kept of any moment but now: indexes. Each is made for one request. */
class Moments {
  #mango

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    // It learns nothing, and warns of no scan.
    this.#mango = new Mango({ defaultLimit: () => config.integer('mango', 'default_limit'), warnAbove: () => 0 })
  }

  /**
   * Calls a function with a database as it was.
   *
   * @template T
   * @param {Store} store
   * @param {{ at: number, partition?: string, designs?: string[] }} options see `fillMoment`
   * @param {(past: Store) => Promise<T>} use
   * @returns {Promise<T>}
   */
  async use (store, options, use) {
    const { level } = await open({ storage: 'memory' })
    try {
      await fillMoment(store, level, options)
      const past = await DocumentStore.open(level, { name: store.name })
      try {
        return await use(past)
      } finally {
        await past.close()
      }
    } finally {
      await level.close()
    }
  }

  /**
   * Finds documents in a database as it was, by an index for the sort that is asked for.
   *
   * @param {Store} past
   * @param {any} body of `_find`
   * @param {string} [plan] as of `Mango`
   */
  async search (past, body, plan) {
    if (Array.isArray(body.sort) && body.sort.length > 0) await this.#mango.create(past, indexFor(body.sort))
    return this.#mango.search(past, body, plan)
  }
}

/** @param {any[]} sort */
function indexFor (sort) {
  const fields = sort.map(field => typeof field === 'object' && field !== null ? Object.keys(field)[0] : field)
  return { index: { fields }, ddoc: 'sort', name: 'sort' }
}

module.exports = { Moments }
