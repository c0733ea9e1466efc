'use strict'

const { Config } = require('../config')

/** The configuration as the owner last told it. */
class MirroredConfig extends Config {
  /** @type {Record<string, Record<string, string>>} */
  #sections

  /** @param {Record<string, Record<string, string>>} sections */
  constructor (sections) {
    super(null)
    this.#sections = sections
  }

  section (name) { return this.#sections?.[name] ?? {} }

  /** @param {Record<string, Record<string, string>>} sections */
  replace (sections) {
    const names = new Set([...Object.keys(this.#sections), ...Object.keys(sections)])
    this.#sections = sections
    for (const name of names) this.emit('change', name, null)
  }
}

module.exports = { MirroredConfig }
