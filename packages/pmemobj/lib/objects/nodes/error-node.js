'use strict'

const { types } = require('node:util')
const { KIND } = require('../record/layout')
const { ObjectNode } = require('./object-node')
const { nodeOf } = require('./node')

const KINDS = { shaped: KIND.error, dictionary: KIND.errorDictionary }
/** Properties of errors that are not enumerable. */
const HIDDEN = new Set(['stack', 'message', 'cause', 'errors', 'error', 'suppressed'])
/** The classes that have some of them; other errors may have such names otherwise. @type {Record<string, string>} */
const OF_CLASS = { errors: '\0AggregateError', error: '\0SuppressedError', suppressed: '\0SuppressedError' }

/** An error: an object whose `stack`, `message` and `cause` are not enumerable. All its own properties are kept. */
class ErrorNode extends ObjectNode {
  static kinds = [KINDS.shaped, KINDS.dictionary]

  /** @param {object} value @param {import('../heap/heap').Heap} heap */
  static match (value, heap) {
    return (types.isNativeError(value) || nodeOf(value) instanceof ErrorNode) && super.match(value, heap)
  }

  /**
   * Errors of Node.js have a class of their own, and the constructor of one of JavaScript's.
   *
   * @param {object} value
   * @param {import('../heap/heap').Heap} heap
   */
  static prototypeFor (value, heap) {
    return super.prototypeFor(value, heap) ?? heap.classes.nameOf(Object.getPrototypeOf(value)?.constructor?.prototype)
  }

  get kinds () { return KINDS }

  /** @param {object} value */
  namesOf (value) {
    const symbols = Object.getOwnPropertySymbols(value)
    return [...Object.getOwnPropertyNames(value), ...symbols.filter(symbol => Object.prototype.propertyIsEnumerable.call(value, symbol))]
  }

  /** @param {string | symbol} name */
  hides (name) {
    return HIDDEN.has(/** @type {string} */ (name)) && (OF_CLASS[/** @type {string} */ (name)] ?? this.names.prototype) === this.names.prototype
  }

  /** @param {object} target @param {string | symbol} name @param {unknown} receiver */
  get (target, name, receiver) {
    const value = super.get(target, name, receiver)
    // V8 knows its own errors by something else, which a Proxy has not.
    return value === undefined && name === Symbol.toStringTag ? 'Error' : value
  }

  /** A real one, which says by itself what it is. */
  plain () {
    this.load()
    const error = new Error()
    for (const name of Object.getOwnPropertyNames(error)) Reflect.deleteProperty(error, name)
    return Object.setPrototypeOf(error, this.heap.classes.shownAs(this.names.prototype, Error))
  }
}

module.exports = { ErrorNode }
