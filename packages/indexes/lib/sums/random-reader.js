'use strict'

const { compareUtf8 } = require('@potoroo/document-store')

/** Records that are read at once: those of a segment are some dozens, and that many are read too much. */
const FEW = 32
const MANY = 256

/** @typedef {string | [string, string]} Record a key, or an entry */

/** Reads here and there in a range of keys with one iterator, which costs more to make than to move. */
class RandomReader {
  #space
  #make
  /** @type {any} */
  #iterator
  #release = async () => {}

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {() => any} make an iterator of entries or of keys, in one direction
   */
  constructor (space, make) {
    this.#space = space
    this.#make = make
  }

  /** @param {string} key */
  #seek (key) {
    if (this.#iterator === undefined) {
      const iterator = this.#iterator = this.#make()
      this.#release = this.#space.hold(() => iterator.close())
    }
    this.#iterator.seek(key)
  }

  /** @param {string} key @returns {Promise<any>} the record at a key, or the next one in the iterator's direction */
  async at (key) {
    this.#seek(key)
    const [record] = await this.#space.nextPage(this.#iterator, 1)
    return record
  }

  /**
   * @param {string} from the first key, in the iterator's direction, which is forward
   * @param {string} to the first that is not read any more
   * @returns {Promise<any[]>}
   */
  async between (from, to) {
    this.#seek(from)
    const records = []
    for (;;) {
      /** @type {Record[]} */
      const page = await this.#space.nextPage(this.#iterator, records.length < 2 * MANY ? FEW : MANY)
      const end = page.length > 0 && compareUtf8(keyOf(page[page.length - 1]), to) < 0 ? -1 : page.findIndex(record => compareUtf8(keyOf(record), to) >= 0)
      const wanted = end === -1 ? page : page.slice(0, end)
      for (const record of wanted) records.push(record)
      if (page.length === 0 || end !== -1) return records
    }
  }

  async close () { await this.#release() }
}

/** @param {Record} record */
function keyOf (record) { return typeof record === 'string' ? record : record[0] }

module.exports = { RandomReader }
