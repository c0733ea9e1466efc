'use strict'

const fs = require('node:fs')

/** Milliseconds between two looks at the clock of the main thread's CPU time. */
const INTERVAL = 5

/** The longest time of CPU that the main thread was busy between two of its timers: nobody else was heard in it. */
class Stall {
  #file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  #text = Buffer.alloc(64)
  #last = this.#now()
  longest = 0

  /** Looks from now on. @param {() => void} [then] called after each look */
  watch (then = () => {}) {
    setInterval(() => {
      this.look()
      then()
    }, INTERVAL).unref()
  }

  look () {
    const now = this.#now()
    this.longest = Math.max(this.longest, now - this.#last)
    this.#last = now
  }

  /** Leaves out the time since the last look. */
  skip () { this.#last = this.#now() }

  reset () {
    this.skip()
    this.longest = 0
  }

  /** Milliseconds on a CPU, which a busy machine does not lengthen. */
  #now () {
    const length = fs.readSync(this.#file, this.#text, 0, this.#text.length, 0)
    return Number(this.#text.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
  }
}

module.exports = { Stall }
