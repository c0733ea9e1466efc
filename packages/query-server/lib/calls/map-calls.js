'use strict'

const { breakage, nonsense } = require('./function-result')
const { arrayText, partLength, smallerLength } = require('./parts')

/**
 * @typedef {{ rows: number, bytes: number }} EmitLimits of one document in one view: a document with more has none
 *
 * @typedef {object} MapOptions
 * @property {import('../threads/thread').Encoder} encoder makes parts of the rows, in the thread
 * @property {(part: import('../sandbox/row-gatherer').RowPart | null) => unknown} take a part of the rows, in order; null: one document
 *   without rows. The thread waits for it. Work that fails is done again: a document that had rows in parts before begins again
 * @property {boolean} [background]
 */

/** Runs map functions, whose rows may be many, so that few of them are in memory at once. */
class MapCalls {
  #pool
  #log
  #count

  /**
   * @param {import('../threads/thread-pool').ThreadPool} pool
   * @param {import('./function-log').FunctionLog} log
   * @param {EmitLimits} limits
   * @param {(name: string, by: number) => void} count hears of documents, `map_doc`, and their rows, `emits`
   */
  constructor (pool, log, limits, count) {
    this.#count = count
    this.#pool = pool
    this.#log = log
    this.limits = limits
  }

  /**
   * @param {import('../query-server').Program} program
   * @param {string[]} texts of documents
   * @param {MapOptions} options
   */
  async run (program, texts, options) {
    for (let at = 0; at < texts.length || at === 0;) {
      const length = partLength(texts, at, program.most)
      await this.#part(program, texts.slice(at, at + length), options)
      at += Math.max(1, length)
    }
  }

  /**
   * @param {import('../query-server').Program} program
   * @param {string[]} texts
   * @param {MapOptions} options
   * @returns {Promise<void>}
   */
  async #part (program, texts, options) {
    const { encoder, background } = options
    const { owner, key, load, functions: { sources } } = program
    let done = 0
    const take = async (/** @type {import('../sandbox/row-gatherer').RowPart} */ part) => {
      await options.take(part)
      done += part.documents
      this.#count('map_doc', part.documents)
      this.#count('emits', part.emits)
    }
    const json = `{"docs":${arrayText(texts)},"rows":${this.limits.rows},"bytes":${this.limits.bytes},"longest":${longestOf(texts)}}`
    const result = await this.#pool.run({ owner, key, load, kind: 'map', json, rows: { functions: sources.length, encoder }, take, background })
    if (result.part !== undefined) await take(result.part)
    if (result.text === undefined) return this.#rest(program, texts.slice(done), options, result)
    if (this.#log.told(program, result.text) !== 'true' || done !== texts.length) throw nonsense()
  }

  /**
   * After the engine broke.
   *
   * @param {import('../query-server').Program} program
   * @param {string[]} texts
   * @param {MapOptions} options
   * @param {import('../threads/thread').Answer} result
   */
  async #rest (program, texts, options, result) {
    if (texts.length > 1) {
      const size = smallerLength(program, texts.length, result.broken)
      for (let at = 0; at < texts.length; at += size) await this.#part(program, texts.slice(at, at + size), options)
      return
    }
    if (result.broken !== 'stack' || texts.length === 0) throw breakage(result)
    // Nested too deep for the engine: a fault of this document, as if its functions had thrown.
    this.#log.warn(program.functions.origin, `${result.reason} with document ${texts[0].slice(0, 100)}`)
    await options.take(null)
  }
}

/** @param {string[]} texts */
function longestOf (texts) { return texts.reduce((most, { length }) => Math.max(most, length), 0) }

module.exports = { MapCalls }
