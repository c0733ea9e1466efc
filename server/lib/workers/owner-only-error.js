'use strict'

/** A thread cannot answer this: the owner can. */
class OwnerOnlyError extends Error {
  /** @param {string} what */
  constructor (what) {
    super(`A thread has no ${what}`)
  }
}

/** A thread found out that it cannot answer when it had read the body already: the owner can, from the body that was kept. Nothing was done. */
class GivenBackError extends OwnerOnlyError {}

/** A thread cannot prepare this write: the owner has to do all of it. */
class NotPreparedError extends GivenBackError {
  constructor () { super('such writes') }
}

/** A thread cannot read this index before it is updated, which the owner does. */
class NotUpdatedError extends GivenBackError {
  constructor () { super('index that is up to date') }
}

/**
 * Makes a class to extend, whose members of these names throw an OwnerOnlyError: the owner has them.
 *
 * @template {string} Name
 * @param {readonly Name[]} names
 * @returns {new () => Readonly<Record<Name, never>>}
 */
function withoutOwners (names) {
  const Without = class {}
  for (const name of names) Object.defineProperty(Without.prototype, name, { get () { throw new OwnerOnlyError(name) } })
  return /** @type {any} */ (Without)
}

/**
 * Stands in for an object of the owner's that is passed on before it is used.
 *
 * @param {string} name
 * @returns {any} each member of it throws an OwnerOnlyError
 */
function ownersAlone (name) {
  return new Proxy(Object.freeze({}), { get () { throw new OwnerOnlyError(name) } })
}

module.exports = { GivenBackError, NotPreparedError, NotUpdatedError, OwnerOnlyError, ownersAlone, withoutOwners }
