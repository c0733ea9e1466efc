'use strict'

/** A thread cannot answer this: the owner can. */
class OwnerOnlyError extends Error {
  constructor (what) {
    super(`A thread has no ${what}`)
  }
}

module.exports = { OwnerOnlyError }
