'use strict'

const { types } = require('node:util')
const { nodeOf } = require('../nodes/node')

/** One of 256 values is looked at, because that takes longer than to copy one. A power of two. */
const SAMPLE = 256

/** Values of those that may make others when they are read: 32,768 of all values. */
const MOST_GENERATED = 128

/** Counts values that may be made when others are read. */
class Generated {
  #count = 0

  /** Whether a value is one to be counted. @param {number} number how many values there are */
  static looksAt (number) { return (number & (SAMPLE - 1)) === 0 }

  /**
   * @param {object} value
   * @throws TypeError where Proxies and getters seem to give new values without end
   */
  count (value) {
    if (!isGenerated(value) || ++this.#count < MOST_GENERATED) return
    throw new TypeError(`More than ${MOST_GENERATED * SAMPLE} Proxies, or objects with getters, are no value that a pool can keep at once: if they do not give new ones without end, keep them in parts`)
  }
}

/**
 * Whether a value may give another value each time it is read: a Proxy of others, or an object with a getter of its own.
 *
 * @param {object} value
 */
function isGenerated (value) {
  if (types.isProxy(value)) return nodeOf(value) === undefined
  // It would take long for a long list, and tell nothing of one that holds many.
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return false
  return Object.values(Object.getOwnPropertyDescriptors(value)).some(({ get }) => get !== undefined)
}

module.exports = { Generated, isGenerated }
