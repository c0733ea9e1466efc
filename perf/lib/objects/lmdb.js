'use strict'

const path = require('node:path')

// A value of 40 KB takes two of such pages, of which neighbours are found soon; of its usual pages of
// 4 KiB it would need ten, and looks for them longer with each edit.
const PAGE = 32 * 1024

/**
 * Objects in LMDB, as MessagePack whose property names are stored once (`sharedStructuresKey`), and
 * files as they are. Every write is durable when its call returns: without `overlappingSync`, which
 * answers before that.
 */
class LmdbObjects {
  #objects
  #files

  /** @param {string} folder @param {object} [options] lmdb's, beside those */
  constructor (folder, options = {}) {
    const { open } = require('lmdb')
    const openOne = (name, more) => open({ path: path.join(folder, name), overlappingSync: false, ...more })
    this.#objects = openOne('objects', { sharedStructuresKey: Symbol.for('structures'), ...options })
    this.#files = openOne('files', { encoding: 'binary', pageSize: PAGE })
  }

  insert (start, objects) {
    if (objects.length === 1) this.#objects.putSync(start, objects[0])
    else this.#objects.transactionSync(() => objects.forEach((object, index) => this.#objects.put(start + index, object)))
  }

  get (number, name) {
    return this.#objects.get(number)[name]
  }

  set (number, name, value) {
    const object = this.#objects.get(number)
    object[name] = value
    this.#objects.putSync(number, object)
  }

  transaction (changes) {
    this.#objects.transactionSync(() => {
      for (let i = 0; i < changes.length; i += 3) {
        const object = this.#objects.get(changes[i])
        object[changes[i + 1]] = changes[i + 2]
        this.#objects.put(changes[i], object)
      }
    })
  }

  insertFiles (start, files) {
    this.#files.transactionSync(() => files.forEach((bytes, index) => this.#files.put(start + index, bytes)))
  }

  // The fast one does not copy where it need not; what it gives is good until the next call.
  read (number, offset, length) {
    return this.#files.getBinaryFast(number).subarray(offset, offset + length)
  }

  edit (number, offset, bytes) {
    const file = this.#files.get(number)
    file.set(bytes, offset)
    this.#files.putSync(number, file)
  }

  async close () {
    await this.#objects.close()
    await this.#files.close()
  }
}

module.exports = { LmdbObjects }
