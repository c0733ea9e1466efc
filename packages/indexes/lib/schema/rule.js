'use strict'

const { createError } = require('@potoroo/errors')
const { compileSelectorInTurns } = require('../mango/selector/match-in-turns')
const { compileSchema } = require('./compile-schema')
const { invalid } = require('./invalid')

/** @typedef {import('./check').Failure} Failure */

/** Members of `validate_schema`. */
const MEMBERS = new Set(['schema', 'selector'])

/** The rule of a design document's `validate_schema`, `{ schema, selector }`. */
class SchemaRule {
  #matches
  #failuresOf

  /** @param {string} name of the design document, without `_design/` @param {{ schema: any, selector?: any }} rule */
  constructor (name, { schema, selector = {} }) {
    this.name = name
    this.#matches = compileSelectorInTurns(selector)
    this.#failuresOf = compileSchema(schema)
  }

  /**
   * Returns what it has against a document, or null.
   *
   * @param {any} doc
   * @param {number} [length] of its text; where nobody knows, others may run in between
   * @returns {Error | null | Promise<Error | null>}
   */
  check (doc, length = Infinity) {
    const matches = this.#matches(doc, length)
    return matches instanceof Promise ? matches.then(is => this.#verdict(is, doc)) : this.#verdict(matches, doc)
  }

  /** @param {boolean} matches @param {any} doc */
  #verdict (matches, doc) {
    const failures = matches ? this.#failuresOf(doc, true) : []
    return failures.length === 0 ? null : createError('FORBIDDEN', { reason: `The document does not fit schema ${this.name}: ${failures.map(inWords).join('; ')}` })
  }
}

/** @param {Failure} failure */
function inWords ({ path, words }) { return `${path === '' ? 'it' : path} ${words}` }

/**
 * The rule of a design document, null if it has none.
 *
 * @param {any} ddoc
 * @returns {SchemaRule | null}
 * @throws invalid_schema, and what malformed selectors throw
 */
function compileRule ({ _id: id, validate_schema: rule }) {
  if (rule === undefined) return null
  if (!Object.hasOwn(Object(rule), 'schema')) throw invalid('', 'is missing: `validate_schema` is an object with `schema`, and `selector` if it is not for all documents')
  const other = Object.keys(rule).find(name => !MEMBERS.has(name))
  if (other !== undefined) throw invalid('', `has ${JSON.stringify(other)} beside it: \`validate_schema\` has \`schema\` and \`selector\``)
  return new SchemaRule(`${id}`.replace(/^_design\//, ''), rule)
}

module.exports = { SchemaRule, compileRule }
