'use strict'

const { AbstractIterator, AbstractKeyIterator, AbstractValueIterator, AbstractSnapshot, AbstractSublevel } = require('abstract-level')

const kReference = Symbol('reference')
const SWEEP_AFTER = 1000

/** @typedef {{ close (): Promise<void>, [kReference]?: Reference }} Resource */

/** Stands for a resource in the list of those that a database closes, and lets it be collected. */
class Reference {
  #resource

  /** @param {Resource} resource */
  constructor (resource) {
    this.#resource = new WeakRef(resource)
  }

  get gone () { return this.#resource.deref() === undefined }

  async close () {
    return this.#resource.deref()?.close()
  }
}

/** The references of one database. */
class References {
  /** @type {Set<Reference>} */
  #references = new Set()
  #sweepAt = SWEEP_AFTER

  /** @param {Resource} resource @returns {Reference} */
  add (resource) {
    const reference = new Reference(resource)
    resource[kReference] = reference
    this.#references.add(reference)
    return reference
  }

  /** @param {Resource} resource @returns {Reference | undefined} undefined where it has none */
  remove (resource) {
    const reference = resource[kReference]
    if (reference !== undefined) this.#references.delete(reference)
    return reference
  }

  /** Whether many have come since the last sweep. */
  get isDue () { return this.#references.size >= this.#sweepAt }

  /** Forgets those whose resources were collected, and returns them. */
  sweep () {
    const gone = [...this.#references].filter(reference => reference.gone)
    for (const reference of gone) this.#references.delete(reference)
    this.#sweepAt = Math.max(SWEEP_AFTER, this.#references.size * 2)
    return gone
  }
}

/**
 * A database that closes its iterators and snapshots with itself, as all do, but does not keep those
 * that nobody else has any more: the pool would keep their state for them.
 *
 * @param {new (...args: any[]) => any} Base an AbstractLevel
 */
const withWeakResources = Base => class extends Base {
  #references = new References()

  /** @param {Resource} resource */
  attachResource (resource) {
    if (!isPinning(resource)) return super.attachResource(resource)
    super.attachResource(this.#references.add(resource))
    if (!this.#references.isDue) return
    for (const gone of this.#references.sweep()) super.detachResource(gone)
  }

  /** @param {Resource} resource */
  detachResource (resource) {
    super.detachResource(this.#references.remove(resource) ?? resource)
  }

  /** @param {string} name @param {any} options */
  _sublevel (name, options) {
    return new WeakSublevel(this, name, options)
  }
}

const WeakSublevel = withWeakResources(AbstractSublevel)

/** @param {unknown} resource @returns {boolean} */
function isPinning (resource) {
  return resource instanceof AbstractIterator || resource instanceof AbstractKeyIterator ||
    resource instanceof AbstractValueIterator || resource instanceof AbstractSnapshot
}

module.exports = { withWeakResources }
