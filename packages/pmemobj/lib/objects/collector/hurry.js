'use strict'

/** Bytes at which V8 begins to mark, beside its threads: more than it lets pass without, and less than what it stops all for. */
const PRESSURE = 72 * 2 ** 20

/**
 * Makes V8 look soon for what nobody has any more. It does so by the memory that programs allocate, of which one
 * that rests takes none, and it does not know of what its objects keep in a pool. This memory is given back
 * before a byte of it was used.
 */
function hurryV8 () {
  try {
    return new ArrayBuffer(PRESSURE).byteLength
  } catch (error) {
    // V8 has looked already where there is no room for it.
    if (error instanceof RangeError) return 0
    throw error
  }
}

module.exports = { hurryV8 }
