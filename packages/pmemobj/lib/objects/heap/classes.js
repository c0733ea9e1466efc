'use strict'

const { createError } = require('../../base/codes')

// Names of prototypes, as shapes have them. No class can have such names.
const PLAIN = ''
const NO_PROTOTYPE = '\0'

// Their instances have more than properties, which would be lost.
const MORE_THAN_PROPERTIES = [
  Array, ArrayBuffer, Boolean, DataView, Date, Error, Function, Map, Number, Promise, RegExp, Set, SharedArrayBuffer,
  String, Symbol, BigInt, WeakMap, WeakRef, WeakSet, FinalizationRegistry, Object.getPrototypeOf(Uint8Array)
]

/**
 * The class of JavaScript's own that a prototype is of, or inherits from; undefined where registering
 * its class would do.
 *
 * @param {object | null} prototype
 */
function moreThanProperties (prototype) {
  return MORE_THAN_PROPERTIES.find(each => prototype === each.prototype || prototype instanceof each)
}

/** Which prototypes the objects of a pool may have, and by what names the pool knows them. */
class Classes {
  /** @type {Map<string, object | null>} */
  #prototypes = new Map([[PLAIN, Object.prototype], [NO_PROTOTYPE, null]])
  /** @type {Map<object | null, string>} */
  #names = new Map([[Object.prototype, PLAIN], [null, NO_PROTOTYPE]])

  /**
   * @param {Function} constructor
   * @param {string} name
   */
  register (constructor, name) {
    const { prototype } = constructor
    const known = this.#prototypes.get(name)
    if (known === prototype) return
    const base = moreThanProperties(prototype)
    if (base !== undefined) {
      throw new TypeError(`The class ${name} cannot be registered: instances of ${base.name} are more than their properties`)
    }
    if (known !== undefined || this.#names.has(prototype)) {
      throw createError('PMEMOBJ_INVALID', `The class ${name} is registered already, or under another name`)
    }
    this.#prototypes.set(name, prototype)
    this.#names.set(prototype, name)
  }

  /**
   * Undefined where the prototype is none of ours.
   *
   * @param {object | null} prototype
   */
  nameOf (prototype) {
    return this.#names.get(prototype)
  }

  /** @param {string} name */
  prototypeOf (name) {
    const prototype = this.#prototypes.get(name)
    if (prototype !== undefined) return prototype
    throw createError('PMEMOBJ_INVALID', `The class ${name} of an object in the pool is not registered`)
  }
}

module.exports = { Classes, moreThanProperties }
