'use strict'

/** Steps that a document may take: each schema that is asked of a value is one, and what takes long is several. They take up to half a second. */
const MOST_STEPS = 1_000_000

/** Failures that are told, and characters of what is told of each. */
const MOST_FAILURES = 20

/** Thrown where a document takes too many steps. */
class TooMany extends Error {}

/** @typedef {{ path: string, words: string }} Failure path: a JSON pointer into the document */

/** One document that is checked. */
class Check {
  #steps = 0
  /** The way to the value, while failures are told; null while it only finds out whether there are any. @type {Array<string | number> | null} */
  path = null
  /** @type {Failure[]} */
  failures = []
  /** Bases of the schemas that are asked, for dynamic references. @type {string[]} */
  scope = []

  /** @param {any} root the document, whose members with an underscore nobody sees; undefined where all are */
  constructor (root) {
    this.root = root
  }

  /** @param {number} steps */
  spend (steps) {
    this.#steps += steps
    if (this.#steps > MOST_STEPS) throw new TooMany()
  }

  /** Begins again, to tell the failures. */
  explain () {
    this.#steps = 0
    this.path = []
    this.scope = []
  }

  /**
   * @param {string} words
   * @param {string} [member] of the value, which is not there or not wanted
   * @returns {false}
   */
  fail (words, member) {
    if (this.path === null || this.failures.length >= MOST_FAILURES) return false
    const path = member === undefined ? this.path : [...this.path, member]
    const pointer = path.map(step => `/${`${step}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    if (!this.failures.some(known => known.path === pointer && known.words === words)) this.failures.push({ path: pointer, words })
    return false
  }

  /** @param {import('./keywords').Validator} validate @param {any} value @param {string | number} step to the value */
  inside (validate, value, step) {
    if (this.path === null) return validate(value, this, null)
    this.path.push(step)
    const isValid = validate(value, this, null)
    this.path.pop()
    return isValid
  }

  /** Asks without telling failures: of one way among several. @param {import('./keywords').Validator} validate @param {any} value @param {Seen | null} seen */
  silently (validate, value, seen) {
    const { path } = this
    this.path = null
    const isValid = validate(value, this, seen)
    this.path = path
    return isValid
  }

  /** Adds what a part of a schema has looked at. @param {Seen} seen @param {Seen} part */
  merge (seen, part) {
    this.spend(8 * (part.names.size + part.single.size))
    seen.add(part)
  }

  /** Whether a member of an object is not there for schemas. @param {any} object @param {string} name */
  hides (object, name) { return name.charCodeAt(0) === 95 && object === this.root }
}

/** The parts of a value that some schema has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
class Seen {
  /** @type {Set<string>} */
  names = new Set()
  allNames = false
  /** Items before this one. */
  items = 0
  /** Single items behind. @type {Set<number>} */
  single = new Set()

  /** @param {Seen} other */
  add (other) {
    for (const name of other.names) this.names.add(name)
    for (const index of other.single) this.single.add(index)
    this.allNames ||= other.allNames
    this.items = Math.max(this.items, other.items)
  }
}

module.exports = { Check, Seen, TooMany }
