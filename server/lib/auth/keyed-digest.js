'use strict'

const crypto = require('node:crypto')

/**
 * Under what credentials are remembered: a digest with a key of this process, so that what is in
 * memory tells nobody what they were. It is HMAC with SHA-256, except for the inner hash, which goes on
 * as hexadecimal text: two one-shot hashes cost half of an Hmac object.
 */
class KeyedDigest {
  #inner
  #outer

  constructor () {
    // As long as a block of SHA-256.
    const key = crypto.randomBytes(32).toString('hex')
    this.#inner = masked(key, 0x36)
    this.#outer = masked(key, 0x5c)
  }

  /** @param {string} text @returns {string} */
  of (text) {
    return crypto.hash('sha256', this.#outer + crypto.hash('sha256', this.#inner + text, 'hex'), 'base64')
  }
}

/** As HMAC makes blocks of its key. @param {string} key @param {number} mask */
function masked (key, mask) {
  return Array.from(key, character => String.fromCharCode(character.charCodeAt(0) ^ mask)).join('')
}

module.exports = { KeyedDigest }
