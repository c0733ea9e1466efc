'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** Temporary folders, one parent for each medium, that vanish together. */
class Scratch {
  #parents = new Map()
  #places

  /** @param {Record<string, string>} places a folder on each medium */
  constructor (places) {
    this.#places = places
    this.#removeOnSignal()
  }

  /** @returns {string} a new, empty folder on this medium */
  folder (medium) {
    if (!this.#parents.has(medium)) {
      this.#parents.set(medium, fs.mkdtempSync(path.join(this.#places[medium], 'potoroo-perf-')))
    }
    return fs.mkdtempSync(path.join(this.#parents.get(medium), 'pair-'))
  }

  remove () {
    for (const parent of this.#parents.values()) fs.rmSync(parent, { recursive: true, force: true })
    this.#parents.clear()
  }

  // A pool is many megabytes, and tmpfs is memory: an interrupted run must not leave them.
  #removeOnSignal () {
    for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 })) {
      process.once(signal, () => {
        this.remove()
        process.exit(128 + number)
      })
    }
  }
}

module.exports = { Scratch }
