'use strict'

const { createError } = require('../../base/codes')

// Names of prototypes, as shapes have them. No class can have such names.
const PLAIN = ''
const NO_PROTOTYPE = '\0'
/** JavaScript's own classes of errors have names that begin so. */
const OWN = '\0'

// Their instances have more than properties, which would be lost.
const MORE_THAN_PROPERTIES = [
  Array, ArrayBuffer, Boolean, DataView, Date, Function, Map, Number, Promise, RegExp, Set, SharedArrayBuffer,
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

// Comments and what is between quotes: a class may speak of what looks like a private field.
const WORDS = /(["'`])(?:\\.|(?!\1)[^\\])*\1|\/\/.*|\/\*[\s\S]*?\*\//g
// A private name that is declared, and not only used, nor a static one.
const PRIVATE = /(?:^|[{};\n])\s*(?:(?:async|get|set)\s+)?\*?\s*(#[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?:[=;({]|$)/mu

/**
 * The private name that a class, or one that it extends, declares for its instances; undefined where there is none.
 *
 * @param {Function | null} constructor
 */
function privateNameOf (constructor) {
  for (let each = constructor; typeof each === 'function'; each = Object.getPrototypeOf(each)) {
    const found = PRIVATE.exec(Function.prototype.toString.call(each).replace(WORDS, ''))
    if (found !== null) return found[1]
  }
  return undefined
}

/** Whether it is one of the engine's or of Node.js's. @param {Function} constructor */
function isForeign (constructor) {
  const known = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (globalThis))[constructor.name]
  return constructor === known || /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(constructor))
}

// The classes of errors that JavaScript has; SuppressedError is not in all versions of Node.js.
const ERRORS = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'AggregateError', 'SuppressedError']

/** @type {[string, object][]} names and prototypes */
const errors = ERRORS.flatMap(name => {
  const known = /** @type {Record<string, Function | undefined>} */ (/** @type {unknown} */ (globalThis))[name]
  return known === undefined ? [] : [[OWN + name, known.prototype]]
})

/** Which prototypes the objects of a pool may have, and by what names the pool knows them. */
class Classes {
  /** @type {Map<string, object | null>} */
  #prototypes = new Map([[PLAIN, Object.prototype], [NO_PROTOTYPE, null], ...errors])
  /** @type {Map<object | null, string>} */
  #names = new Map([[Object.prototype, PLAIN], [null, NO_PROTOTYPE], ...errors.map(([name, prototype]) => /** @type {[object, string]} */ ([prototype, name]))])

  /**
   * @param {Function} constructor
   * @param {string} name
   */
  register (constructor, name) {
    const { prototype } = constructor
    const known = this.#prototypes.get(name)
    if (known === prototype) return
    const base = moreThanProperties(prototype)
    if (base !== undefined || (!this.#names.has(prototype) && isForeign(constructor))) {
      throw new TypeError(`The class ${name} cannot be registered: instances of ${(base ?? constructor).name} are more than their properties`)
    }
    const secret = privateNameOf(constructor)
    if (secret !== undefined) {
      throw new TypeError(`The class ${name} cannot be registered: nobody else can see its private ${secret}, which would be lost. Use a property`)
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

  /**
   * The prototype that an object is shown with: where its class is not registered, one of the same name.
   *
   * @param {string} name
   * @param {new () => object} [base] that the class extends
   */
  shownAs (name, base = Object) {
    const prototype = this.#prototypes.get(name)
    return prototype === undefined ? { [name]: class extends base {} }[name].prototype : prototype
  }

  /** @param {string} name */
  isKnown (name) {
    return this.#prototypes.has(name)
  }

  /** @param {string} name */
  prototypeOf (name) {
    const prototype = this.#prototypes.get(name)
    if (prototype !== undefined) return prototype
    throw createError('PMEMOBJ_INVALID', `The class ${name} of an object in the pool is not registered`)
  }
}

module.exports = { Classes, isForeign, moreThanProperties }
