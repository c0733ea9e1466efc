'use strict'

/** xorshift32: numbers from 0 to 1 that depend on the seed. */
function randomFrom (seed) {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

module.exports = { randomFrom }
