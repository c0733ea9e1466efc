'use strict'

const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')

const PUT = 1
const DELETE = 2

/** @type {Record<string, (bytes: Buffer) => string | Uint8Array>} */
const copies = {
  utf8: bytes => bytes.toString(),
  buffer: bytes => Buffer.from(bytes),
  view: bytes => new Uint8Array(bytes)
}

/** @typedef {{ key: Buffer, value: Buffer | undefined }} Change no value: the key is deleted */

/**
 * Changes of the transaction under way to a map of users: its commit writes them together with the
 * objects.
 */
class MapChanges {
  #transaction
  /** @type {Map<string, Change>} by the bytes of their keys */
  #changes = new Map()

  /**
   * @param {number} map
   * @param {string} name of the map
   * @param {import('./transaction').Transaction} transaction
   */
  constructor (map, name, transaction) {
    this.map = map
    this.name = name
    this.#transaction = transaction
  }

  /** 0 unless a transaction is under way. */
  get size () { return this.#changes.size }

  /**
   * Does them all, or, where one is none, throws and has done nothing.
   *
   * @param {unknown[]} pairs flat: key, and value or undefined to delete
   */
  add (pairs) {
    const changes = []
    for (let i = 0; i < pairs.length; i += 2) {
      const key = bytesOf(pairs[i], 'key', binding.maxKeySize)
      const value = pairs[i + 1] === undefined ? undefined : bytesOf(pairs[i + 1], 'value', binding.maxValueSize)
      changes.push({ key, value })
    }
    for (const change of changes) this.#set(change)
  }

  /** @param {Change} change */
  #set (change) {
    const { others } = this.#transaction
    if (this.#changes.size === 0 && !others.includes(this)) others.push(this)
    const name = change.key.toString('latin1')
    this.#transaction.remember(this, name, this.#changes.get(name))
    this.#changes.set(name, change)
  }

  /**
   * @param {unknown} key
   * @returns {Change | undefined} undefined where it was left alone
   */
  find (key) {
    return this.#changes.get(bytesOf(key, 'key', Infinity).toString('latin1'))
  }

  /**
   * The value of a change, as `map.get()` gives it.
   *
   * @param {{ value: Buffer | undefined }} change
   * @param {string} encoding
   */
  static valueOf ({ value }, encoding) {
    return value === undefined ? undefined : copies[encoding](value)
  }

  /**
   * Whether the transaction under way has changed a map.
   *
   * @param {import('./transaction').Transaction} transaction
   */
  static anyOf ({ others }) {
    return others.some(other => other instanceof MapChanges && other.size > 0)
  }

  // For the transaction.

  /** @param {string} name @param {Change | undefined} former */
  undo (name, former) {
    if (former === undefined) this.#changes.delete(name)
    else this.#changes.set(name, former)
  }

  /** @param {import('../record/writer').Writer} writer */
  write (writer) {
    for (const { key, value } of this.#changes.values()) {
      writer.begin(this.map, value === undefined ? DELETE : PUT)
      writer.raw(key)
      writer.value()
      if (value !== undefined) writer.raw(value)
      writer.end()
    }
  }

  committed () {
    this.#changes.clear()
  }
}

/**
 * A copy: what is given may change before the transaction ends.
 *
 * @param {unknown} value
 * @param {string} what
 * @param {number} most
 */
function bytesOf (value, what, most) {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw new TypeError(`The ${what} must be a string or a Uint8Array`)
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.copyBytesFrom(value)
  if (bytes.length <= most) return bytes
  throw createError('PMEMOBJ_INVALID', `The ${what} has ${bytes.length} bytes, and may have ${most}`)
}

module.exports = { MapChanges }
