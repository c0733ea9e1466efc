'use strict'

const { Seen } = require('./check')
const { isObject } = require('./equality')
const { has } = require('./objects')

/**
 * @typedef {import('./check').Check} Check
 * @typedef {import('./keywords').Keyword} Keyword
 * @typedef {import('./keywords').Validator} Validator
 */

/** @type {Keyword} */
function reference (argument, { refer }) { return refer(argument, false) }

/** @type {Keyword} */
function dynamicReference (argument, { refer }) { return refer(argument, true) }

/** @type {Keyword} */
function allOf (argument, { compile }) {
  const parts = /** @type {any[]} */ (argument).map(schema => compile(schema))
  return (value, check, seen) => {
    let isValid = true
    for (const validate of parts) {
      if (validate(value, check, seen)) continue
      isValid = false
      if (check.path === null) return false
    }
    return isValid
  }
}

/** One of several ways, which adds what it has seen only if the value fits. @param {Validator} validate @param {any} value @param {Check} check @param {Seen | null} seen */
function tries (validate, value, check, seen) {
  if (seen === null) return check.silently(validate, value, null)
  const own = new Seen()
  const isValid = check.silently(validate, value, own)
  if (isValid) check.merge(seen, own)
  return isValid
}

/** @type {Keyword} */
function anyOf (argument, { compile }) {
  const parts = /** @type {any[]} */ (argument).map(schema => compile(schema))
  return (value, check, seen) => {
    let isValid = false
    for (const validate of parts) {
      if (!tries(validate, value, check, seen)) continue
      isValid = true
      if (seen === null) break
    }
    return isValid || check.fail('must fit one of several schemas')
  }
}

/** @type {Keyword} */
function oneOf (argument, { compile }) {
  const parts = /** @type {any[]} */ (argument).map(schema => compile(schema))
  return (value, check, seen) => {
    let found = 0
    for (const validate of parts) if (found < 2 && tries(validate, value, check, seen)) found++
    return found === 1 || check.fail(`must fit exactly one of several schemas, and fits ${found === 0 ? 'none' : 'more'}`)
  }
}

/** @type {Keyword} */
function not (argument, { compile }) {
  const validate = compile(argument)
  return (value, check, seen) => !check.silently(validate, value, seen === null ? null : new Seen()) || check.fail('must not fit a schema')
}

/** @type {Keyword} */
function condition (argument, { compile, schema }) {
  const applies = compile(argument)
  const [then, otherwise] = ['then', 'else'].map(name => Object.hasOwn(schema, name) ? compile(schema[name]) : () => true)
  return (value, check, seen) => (tries(applies, value, check, seen) ? then : otherwise)(value, check, seen)
}

/** @type {Keyword} */
function dependentSchemas (argument, { compile }) {
  const parts = Object.keys(argument).map(name => ({ name, validate: compile(argument[name]) }))
  return (value, check, seen) => {
    if (!isObject(value)) return true
    check.spend(8 * parts.length)
    return parts.every(({ name, validate }) => !has(value, name) || check.hides(value, name) || validate(value, check, seen))
  }
}

/** @type {Record<string, Keyword>} */
const keywords = { $ref: reference, $dynamicRef: dynamicReference, allOf, anyOf, oneOf, not, if: condition, dependentSchemas }

module.exports = { keywords }
