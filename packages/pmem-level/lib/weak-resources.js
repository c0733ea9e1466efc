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

/**
 * A database that closes its iterators and snapshots with itself, as all do, but does not keep those
 * that nobody else has any more: the pool would keep their state for them.
 *
 * @param {new (...args: any[]) => any} Base an AbstractLevel
 */
const withWeakResources = Base => class extends Base {
  /** @type {Set<Reference>} */
  #references = new Set()
  #sweepAt = SWEEP_AFTER

  /** @param {Resource} resource */
  attachResource (resource) {
    if (!isPinning(resource)) return super.attachResource(resource)
    const reference = new Reference(resource)
    resource[kReference] = reference
    this.#references.add(reference)
    super.attachResource(reference)
    if (this.#references.size >= this.#sweepAt) this.#sweep()
  }

  /** @param {Resource} resource */
  detachResource (resource) {
    const reference = resource[kReference]
    if (reference === undefined) return super.detachResource(resource)
    this.#references.delete(reference)
    super.detachResource(reference)
  }

  /** Forgets those that were collected; as many as are left may come before the next time. */
  #sweep () {
    for (const reference of this.#references) {
      if (!reference.gone) continue
      this.#references.delete(reference)
      super.detachResource(reference)
    }
    this.#sweepAt = Math.max(SWEEP_AFTER, this.#references.size * 2)
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
