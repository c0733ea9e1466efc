'use strict'

const crypto = require('node:crypto')

/** Sequential ids are apart by up to this. */
const STEP = 0xffd

/** The number above which sequential ids get a new prefix. */
const LAST = 0xfff000

/**
 * Makes ids as `[uuids] algorithm` says: `sequential`, `random`, `utc_random`, `utc_id` (with
 * `utc_id_suffix`), `uuid_v4` and `uuid_v7` (with `format`: `base_16`, `base_36`, `rfc9562`).
 *
 * @see https://docs.couchdb.org/en/stable/config/misc.html#uuids-configuration
 */
class Uuids {
  #config
  /** The parts of sequential ids: 26 hexadecimal digits, and the number after them. */
  #prefix = ''
  #number = 0
  /** Microseconds of the last id that begins with the time: the next is later. */
  #last = 0

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#config = config
    this.#begin()
  }

  /**
   * @param {number} count
   * @returns {string[]}
   */
  make (count) {
    const next = this.#algorithm()
    return Array.from({ length: count }, next)
  }

  #algorithm () {
    const { utc_id_suffix: suffix = '', algorithm, format } = this.#config.texts('uuids')
    switch (algorithm) {
      case 'random': return random
      case 'utc_random': return () => this.#time() + crypto.randomBytes(9).toString('hex')
      case 'utc_id': return () => this.#time() + suffix
      case 'uuid_v4': return () => written(versioned(crypto.randomBytes(16), 4), format)
      case 'uuid_v7': return () => written(versioned(timed(Date.now()), 7), format)
      default: return () => this.#sequential()
    }
  }

  #begin () {
    this.#prefix = crypto.randomBytes(13).toString('hex')
    this.#number = step()
  }

  #sequential () {
    const id = this.#prefix + this.#number.toString(16).padStart(6, '0')
    if (this.#number >= LAST) this.#begin()
    else this.#number += step()
    return id
  }

  /** Microseconds since 1970 as 14 hexadecimal digits. */
  #time () {
    const now = Math.floor((performance.timeOrigin + performance.now()) * 1000)
    this.#last = Math.max(now, this.#last + 1)
    return this.#last.toString(16).padStart(14, '0')
  }
}

function random () { return crypto.randomBytes(16).toString('hex') }

function step () { return crypto.randomInt(1, STEP + 1) }

/** 16 bytes that begin with a time of 48 bits. @param {number} milliseconds */
function timed (milliseconds) {
  const bytes = crypto.randomBytes(16)
  bytes.writeUIntBE(milliseconds, 0, 6)
  return bytes
}

/** Marks bytes as a UUID of RFC 9562. @param {Buffer} bytes @param {number} version */
function versioned (bytes, version) {
  bytes[6] = (bytes[6] & 0x0f) | (version << 4)
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return bytes
}

/** @param {Buffer} bytes @param {string} [format] */
function written (bytes, format) {
  const hex = bytes.toString('hex')
  if (format === 'base_36') return BigInt(`0x${hex}`).toString(36).padStart(25, '0')
  return format === 'rfc9562' ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : hex
}

module.exports = { Uuids }
