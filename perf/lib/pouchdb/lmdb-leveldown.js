'use strict'

const fs = require('node:fs')
const { AbstractIterator, AbstractLevelDOWN } = require('abstract-leveldown')
const { open } = require('lmdb')

/** LMDB, by the lmdb package, as the leveldown that pouchdb-adapter-leveldb takes. */
class LmdbLevelDOWN extends AbstractLevelDOWN {
  #location
  #db

  constructor (location) {
    super({ bufferKeys: true, permanence: true, seek: false, clear: false, createIfMissing: true, errorIfExists: true })
    this.#location = location
  }

  _serializeKey (key) { return Buffer.from(key) }
  _serializeValue (value) { return Buffer.from(value) }

  _open (options, callback) {
    this.#db = open({ path: this.#location, noSubdir: false, encoding: 'binary', keyEncoding: 'binary', overlappingSync: false })
    this._nextTick(callback)
  }

  _close (callback) {
    this.#db.close().then(() => callback(), callback)
  }

  _get (key, { asBuffer }, callback) {
    const value = this.#db.get(key)
    if (value === undefined) return this._nextTick(callback, new Error('NotFound'))
    this._nextTick(callback, null, asBuffer ? value : value.toString())
  }

  _put (key, value, options, callback) {
    this.#db.put(key, value).then(() => callback(), callback)
  }

  _del (key, options, callback) {
    this.#db.remove(key).then(() => callback(), callback)
  }

  _batch (operations, options, callback) {
    this.#db.batch(() => {
      for (const { type, key, value } of operations) {
        if (type === 'put') this.#db.put(key, value)
        else this.#db.remove(key)
      }
    }).then(() => callback(), callback)
  }

  _iterator (options) {
    return new LmdbIterator(this, this.#db, options)
  }
}

class LmdbIterator extends AbstractIterator {
  #entries
  #options

  constructor (down, db, options) {
    super(down)
    this.#options = options
    this.#entries = db.getRange(toRange(options))[Symbol.iterator]()
  }

  _next (callback) {
    const { done, value: entry } = this.#entries.next()
    if (done) return this._nextTick(callback)
    const { keyAsBuffer, valueAsBuffer } = this.#options
    this._nextTick(callback, null, keyAsBuffer ? entry.key : entry.key.toString(), valueAsBuffer ? entry.value : entry.value.toString())
  }

  _end (callback) {
    this.#entries.return?.()
    this._nextTick(callback)
  }
}

/** LMDB has a start and an end, and a direction; a leveldown's range its bounds by name. */
function toRange ({ gt, gte, lt, lte, reverse, limit }) {
  const lower = { key: gte ?? gt, open: gte === undefined }
  const upper = { key: lte ?? lt, open: lte === undefined }
  const [start, end] = reverse ? [upper, lower] : [lower, upper]
  return {
    start: start.key,
    exclusiveStart: start.key !== undefined && start.open,
    end: end.key,
    inclusiveEnd: end.key !== undefined && !end.open,
    reverse,
    limit: limit < 0 ? undefined : limit
  }
}

/** pouchdb-adapter-leveldb calls it without new. */
function lmdbLeveldown (location) {
  return new LmdbLevelDOWN(location)
}

lmdbLeveldown.destroy = (location, callback) => fs.rm(location, { recursive: true, force: true }, callback)

module.exports = { lmdbLeveldown }
