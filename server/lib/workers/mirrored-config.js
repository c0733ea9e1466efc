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
    this.#sections = sections
    for (const name of Object.keys(sections)) this.emit('change', name, null)
  }
}

module.exports = { MirroredConfig }
