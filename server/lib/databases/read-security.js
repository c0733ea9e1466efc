'use strict'

/** The security object of a database that has none. */
const ADMINS_ONLY = Object.freeze({ members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } })

/** Security objects of databases that others write: parsed once, as long as their text is the same. */
class ReadSecurity {
  /** @type {WeakMap<object, { text: string | undefined, security: any }>} */
  #known = new WeakMap()

  /** @param {any} reader a DocumentReader or DistantReader @returns {any} the same object until it changes */
  of (reader) {
    const text = reader.metaText('security')
    const known = this.#known.get(reader)
    if (known !== undefined && known.text === text) return known.security
    const security = text === undefined ? ADMINS_ONLY : JSON.parse(text)
    this.#known.set(reader, { text, security })
    return security
  }
}

module.exports = { ADMINS_ONLY, ReadSecurity }
