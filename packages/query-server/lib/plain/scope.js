'use strict'

/**
 * A function that is not plain, or looks as if it were not.
 */
const NOT_PLAIN = new Error('It is not plain')

/** @returns {never} */
function refuse () { throw NOT_PLAIN }

/** Names that mean something to plain map functions, and one that the sandbox takes for the beginning of `async` functions. */
const KNOWN = new Set(['emit', 'undefined', 'isArray', 'Array', 'async'])

/** The same of functions of text indexes. */
const KNOWN_TO_INDEXES = new Set([...KNOWN, 'index'])

/**
 * @typedef {{ slot: number, weight: number, loops: number, isConstant: boolean }} Variable slot: its place; weight: how many times
 *   as long as a document, or as the source, its text may be; loops: how many it is in
 */

/**
 * The names of a block. Each is used after it was declared, in that block or one within: so it has a value then, and
 * the places of the source are executed in their order. Inside of a loop nothing from outside of it is assigned to:
 * so no text grows with each turn.
 */
class Scope {
  /** @type {Map<string, Variable>} */
  #names = new Map()
  #outer
  #slots

  /**
   * @param {Scope | null} outer
   * @param {number} [loops] how many loops it is in
   * @param {import('./index-calls').Dialect} [indexes] of a function that calls `index` in place of `emit`
   */
  constructor (outer = null, loops = outer?.loops ?? 0, indexes = outer?.indexes) {
    this.#outer = outer
    this.indexes = indexes
    this.#slots = /** @type {{ count: number }} */ (outer === null ? { count: 0 } : outer.#slots)
    this.loops = loops
  }

  /** How many variables there are. */
  get slots () { return this.#slots.count }

  /**
   * @param {string} name
   * @param {number} weight
   * @param {boolean} isConstant
   * @returns {number} its slot
   */
  declare (name, weight, isConstant) {
    // A second `var` is the same variable, and a name within may hide one that functions around it see.
    if (this.isTaken(name)) refuse()
    const slot = this.take()
    this.#names.set(name, { slot, weight, loops: this.loops, isConstant })
    return slot
  }

  /** Gives a place without a name. */
  take () { return this.#slots.count++ }

  /** Tells whether a name means something already. @param {any} name */
  isTaken (name) { return (this.indexes === undefined ? KNOWN : KNOWN_TO_INDEXES).has(name) || this.find(name) !== undefined }

  /** @param {string} name @returns {Variable | undefined} */
  find (name) { return this.#names.get(name) ?? this.#outer?.find(name) }

  /**
   * Returns the variable that an assignment changes, which may be as heavy as `weight` from here on.
   * @param {string} name
   * @param {number} weight
   */
  assigned (name, weight) {
    const variable = this.find(name)
    if (variable === undefined || variable.isConstant || variable.loops !== this.loops) return refuse()
    variable.weight = Math.max(variable.weight, weight)
    return variable.slot
  }
}

module.exports = { NOT_PLAIN, Scope, refuse }
