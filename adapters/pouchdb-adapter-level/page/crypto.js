'use strict'

const { Bytes } = require('./bytes')
const { Md5 } = require('./md5')
const { sha256 } = require('./sha256')

/** The part of node:crypto that the document store and the indexes call. Pages have digests by promises only, and no MD5. */

class Sha256 {
  /** @type {Uint8Array[]} */
  #parts = []

  /** @param {Uint8Array} bytes */
  update (bytes) { this.#parts.push(bytes) }

  end () { return sha256(Bytes.concat(this.#parts)) }
}

class Hash {
  #hash

  /** @param {string} algorithm */
  constructor (algorithm) {
    if (algorithm !== 'md5' && algorithm !== 'sha256') throw new TypeError(`No ${algorithm} in pages`)
    this.#hash = algorithm === 'md5' ? new Md5() : new Sha256()
  }

  /** @param {string | Uint8Array} data */
  update (data) {
    this.#hash.update(typeof data === 'string' ? Bytes.from(data) : data)
    return this
  }

  /** @param {string} [encoding] */
  digest (encoding) {
    const bytes = Bytes.from(this.#hash.end())
    return encoding === undefined ? bytes : bytes.toString(encoding)
  }
}

/** @param {string} algorithm */
function createHash (algorithm) { return new Hash(algorithm) }

/** @param {string} algorithm @param {string | Uint8Array} data @param {string} [encoding] */
function hash (algorithm, data, encoding = 'hex') { return new Hash(algorithm).update(data).digest(encoding) }

/** It makes revisions of databases with access by document, which pages have not. */
function createHmac () { throw new TypeError('No HMAC in pages') }

/** @param {Uint8Array} bytes */
function randomFillSync (bytes) { return crypto.getRandomValues(bytes) }

/** @param {number} size */
function randomBytes (size) { return randomFillSync(Bytes.alloc(size)) }

/** @param {number} end at most 2^32 */
function randomInt (end) { return Math.floor(crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32 * end) }

module.exports = { createHash, createHmac, hash, randomBytes, randomFillSync, randomInt }
