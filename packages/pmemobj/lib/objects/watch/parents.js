'use strict'

/** The parents of objects, which refer to them, by ids. Most have one parent, and need no set of them. */
class Parents {
  /** @type {Map<number, number | Set<number>>} */
  #all = new Map()

  get size () { return this.#all.size }

  /** The known ones. */
  get ids () { return this.#all.keys() }

  /** @param {number} id */
  has (id) { return this.#all.has(id) }

  /** @param {number} id @returns {Iterable<number>} */
  of (id) {
    const known = this.#all.get(id)
    return typeof known === 'number' ? [known] : known ?? []
  }

  /** @param {number} id @param {number} parent @returns {boolean} whether it was not known before */
  add (id, parent) {
    const known = this.#all.get(id)
    if (known === undefined) this.#all.set(id, parent)
    else if (typeof known === 'object') known.add(parent)
    else if (known !== parent) this.#all.set(id, new Set([known, parent]))
    return known === undefined
  }

  /** An object is known all the same. @param {number} id @param {number} parent */
  remove (id, parent) {
    const known = this.#all.get(id)
    if (typeof known === 'object') known.delete(parent)
    else if (known === parent) this.#all.set(id, new Set())
  }

  /** @param {number} id */
  forget (id) { this.#all.delete(id) }

  /** Forgets the parents of an object that are not known themselves. @param {number} id */
  forgetUnknown (id) {
    for (const parent of this.of(id)) if (!this.#all.has(parent)) this.remove(id, parent)
  }
}

module.exports = { Parents }
