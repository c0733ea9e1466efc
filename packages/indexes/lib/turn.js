'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')

/** Milliseconds after which others may run. */
const LONG = 10

/** How long others have waited, for what goes through many documents. */
class Turn {
  #since = performance.now()

  get isLong () { return performance.now() - this.#since > LONG }

  /** Lets others run. */
  async end () {
    await nextRound()
    this.#since = performance.now()
  }
}

module.exports = { Turn }
