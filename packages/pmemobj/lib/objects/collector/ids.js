'use strict'

const binding = require('../../binding/binding')
const { rangeOf, KEYS, KEY_PIECES } = require('../../map/read-options')
const { ID_SIZE, META } = require('../record/layout')

const FLAGS = rangeOf({}).flags | KEYS | KEY_PIECES
/** Keys that are read at once. */
const PAGE = 1024

/** Lists the ids of the records in a map, as a snapshot has them, a page at a time. */
class Ids {
  #iterator

  /**
   * @param {unknown} pool handle
   * @param {number} map
   * @param {unknown} snapshot handle
   */
  constructor (pool, map, snapshot) {
    this.#iterator = binding.iterator(pool, map, FLAGS, undefined, undefined, -1, snapshot)
  }

  /**
   * Reads a page. Keys of parts, and that of the meta record, are none of an id.
   *
   * @param {(id: number) => void} visit
   * @returns {boolean} whether there may be more
   */
  next (visit) {
    // src/binding/base/bytes.h has the layout: how many, the length of each, and all their bytes.
    const page = new DataView(binding.next(this.#iterator, PAGE))
    const count = page.getUint32(0, true)
    let at = 4 + 4 * count
    for (let i = 0; i < count; i++) {
      const length = page.getUint32(4 + 4 * i, true)
      if (length === ID_SIZE) {
        const id = page.getUint16(at) * 2 ** 32 + page.getUint32(at + 2)
        if (id !== META) visit(id)
      }
      at += length
    }
    return count > 0
  }

  close () {
    binding.closeIterator(this.#iterator)
  }
}

module.exports = { Ids }
