'use strict'

/** A thread cannot answer this: the owner can. */
class NotHere extends Error {
  constructor (what) {
    super(`A thread has no ${what}`)
  }
}

/** A prototype to stand below an object, so that asking it for what it has not is a NotHere. */
const nothingElse = new Proxy({}, {
  get (target, property) { throw new NotHere(String(property)) }
})

module.exports = { NotHere, nothingElse }
