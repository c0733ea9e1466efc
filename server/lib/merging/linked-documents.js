'use strict'

const { endOfValue } = require('@potoroo/document-store')
const { orFailure } = require('../shards/failure')
const { pathOf } = require('../shards/design-copies')

/** @typedef {import('../shards/coordinator').Coordinator} Coordinator */

const VALUE = ',"value":'

/** Documents that rows name by `_id`, and that may be in another shard than the row. */
class LinkedDocuments {
  #coordinator

  /** @param {Coordinator} coordinator */
  constructor (coordinator) { this.#coordinator = coordinator }

  /**
   * @param {string} text a row with what its shard found
   * @param {import('./row-text').Row} row
   * @param {number} index its shard
   * @returns {string | Promise<string>} with the document
   */
  complete (text, { rest }, index) {
    const start = rest + VALUE.length
    if (text.charCodeAt(start) !== 123) return text
    const end = endOfValue(text, start)
    const value = text.slice(start, end)
    if (!value.includes('"_id":')) return text
    const { _id: id, _rev: rev } = JSON.parse(value)
    if (typeof id !== 'string' || (rev !== undefined && typeof rev !== 'string') || this.#coordinator.shardOf(id) === index) return text
    return this.#read(id, rev).then(doc => `${text.slice(0, end)},"doc":${doc}}`)
  }

  /** @param {string} id @param {string | undefined} rev the one that wins, unless it is said; only one that is named may be deleted */
  async #read (id, rev) {
    const search = rev === undefined ? '' : `?rev=${encodeURIComponent(rev)}`
    const answer = await this.#coordinator.ask(this.#coordinator.shardOf(id), { path: `${pathOf(id)}${search}`, headers: { accept: 'application/json' } })
    if (answer.status === 404 || answer.status === 400) return 'null'
    return (await (await orFailure(answer)).bytes()).toString().trim()
  }
}

module.exports = { LinkedDocuments }
