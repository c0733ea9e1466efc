'use strict'

const { Link } = require('./link')

/** The links to other servers, opened when they are needed. */
class Links {
  #options
  /** By id of the server. @type {Map<string, Promise<Link>>} */
  #links = new Map()
  /** By id of the server: why it could not be reached when it was tried last. @type {Map<string, string>} */
  #failures = new Map()

  /** @param {() => { from: string, secret: string, tls?: any, write: (text: string) => void, warn: (text: string) => void }} options */
  constructor (options) {
    this.#options = options
  }

  /**
   * @param {{ id: string, address: string }} server
   * @returns {Promise<Link>}
   * @throws UNAVAILABLE
   */
  async to ({ id, address }) {
    const known = this.#links.get(id)
    if (known !== undefined) {
      const link = await known
      if (link.isOpen) return link
    }
    // Somebody else may have begun meanwhile.
    if (this.#links.get(id) !== known) return this.to({ id, address })
    const opening = Link.open({ ...this.#options(), address, to: id })
    this.#links.set(id, opening)
    opening.then(() => this.#failures.delete(id), error => {
      if (this.#links.get(id) === opening) this.#links.delete(id)
      this.#tell(id, address, error)
    })
    return opening
  }

  /**
   * Logs a failure once: requests try again and again.
   *
   * @param {string} id
   * @param {string} address
   * @param {any} error
   */
  #tell (id, address, error) {
    const reason = error.cause?.message ?? error.message
    if (this.#failures.get(id) === reason) return
    this.#failures.set(id, reason)
    this.#options().warn(`The server at ${address} cannot be reached: ${reason}`)
  }

  /** Ends those to servers that are no longer there. @param {Set<string>} ids of those that are */
  keep (ids) {
    for (const id of this.#failures.keys()) if (!ids.has(id)) this.#failures.delete(id)
    for (const [id, link] of this.#links) {
      if (ids.has(id)) continue
      this.#links.delete(id)
      link.then(open => open.close(), () => {})
    }
  }

  close () { this.keep(new Set()) }
}

module.exports = { Links }
