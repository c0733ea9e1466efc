'use strict'

const { unevaluatedItems } = require('./arrays')
const { Check, Seen, TooMany } = require('./check')
const { invalid } = require('./invalid')
const { compileKeywords } = require('./keywords')
const { unevaluatedProperties } = require('./objects')
const { Resources } = require('./resources')

/**
 * @typedef {import('./check').Failure} Failure
 * @typedef {import('./keywords').Validator} Validator
 */

/** Characters of a schema. */
const LONGEST = 256 * 1024

/** Failures of a document that takes too many steps. */
const TOO_MANY = Object.freeze([Object.freeze({ path: '', words: 'takes too many steps to check' })])

/**
 * Compiles a JSON Schema, 2020-12, to closures. Schemas are strangers': none becomes code, references lead nowhere but into
 * the schema, and what a document may cost is limited, as are the size of a schema and its expressions. `format` and what no
 * vocabulary knows are annotations.
 *
 * @param {any} schema
 * @returns {(value: any, isDocument?: boolean) => readonly Failure[]} what does not fit; nothing of a value that does. Members of a
 *   document that begin with an underscore are not seen
 * @throws invalid_schema
 * @see https://json-schema.org/draft/2020-12
 */
function compileSchema (schema) {
  const text = JSON.stringify(schema)
  if (text === undefined || text.length > LONGEST) throw invalid('', `must be JSON of at most ${LONGEST} characters`)
  const validate = compile(schema)
  return (value, isDocument = false) => failuresOf(validate, value, isDocument)
}

/** @param {any} schema */
function compile (schema) {
  try {
    return new Compiler(schema).compile(schema)
  } catch (error) {
    throw error instanceof RangeError ? invalid('', 'is nested too deeply') : error
  }
}

/** @param {Validator} validate @param {any} value @param {boolean} isDocument */
function failuresOf (validate, value, isDocument) {
  const check = new Check(isDocument ? value : undefined)
  try {
    if (validate(value, check, null)) return NONE
    check.explain()
    validate(value, check, null)
    return check.failures
  } catch (error) {
    // References that go round end with the stack.
    if (error instanceof TooMany || error instanceof RangeError) return TOO_MANY
    if (/** @type {any} */ (error).code === 'BAD_REQUEST') return [{ path: '', words: `cannot be checked: ${/** @type {any} */ (error).reason}` }]
    throw error
  }
}

/** @type {readonly Failure[]} */
const NONE = Object.freeze([])

/** @type {Validator} */
function anything (value, check) {
  check.spend(1)
  return true
}

/** @type {Validator} */
function nothing (value, check) {
  check.spend(1)
  return check.fail('is not allowed')
}

class Compiler {
  #resources
  /** @type {Map<object, { run: Validator }>} */
  #known = new Map()

  /** @param {any} schema */
  constructor (schema) {
    this.#resources = new Resources(schema)
  }

  /** @param {any} schema @returns {Validator} */
  compile (schema) {
    if (typeof schema === 'boolean') return schema ? anything : nothing
    let holder = this.#known.get(schema)
    if (holder === undefined) {
      this.#known.set(schema, holder = { run: () => true })
      holder.run = this.#node(schema)
      return holder.run
    }
    const known = holder
    return (value, check, seen) => known.run(value, check, seen)
  }

  /** @param {any} schema @returns {Validator} */
  #node (schema) {
    const { base, place } = this.#resources.locationOf(schema)
    const context = {
      compile: (/** @type {any} */ each) => this.compile(each),
      refer: (/** @type {string} */ reference, /** @type {boolean} */ isDynamic) => this.#refer(reference, isDynamic, { base, place }),
      place
    }
    const whole = withUnevaluated(schema, context, all(compileKeywords(schema, context)))
    return this.#resources.areDynamic ? inScope(base, whole) : whole
  }

  /** @param {string} reference @param {boolean} isDynamic @param {import('./resources').Location} from @returns {Validator} */
  #refer (reference, isDynamic, from) {
    const target = this.#resources.resolve(reference, from)
    const validate = this.compile(target)
    const name = target.$dynamicAnchor
    if (!isDynamic || name === undefined || !reference.endsWith(`#${name}`)) return validate
    // Which one is meant depends on who refers: compiled when one is met, as they refer to each other.
    return (value, check, seen) => {
      const outer = check.scope.find(base => this.#resources.dynamicAnchor(base, name) !== undefined)
      return outer === undefined ? validate(value, check, seen) : this.compile(this.#resources.dynamicAnchor(outer, name))(value, check, seen)
    }
  }
}

/** @param {Validator[]} parts @returns {Validator} */
function all (parts) {
  if (parts.length === 1) {
    const [only] = parts
    return (value, check, seen) => {
      check.spend(1)
      return only(value, check, seen)
    }
  }
  return (value, check, seen) => {
    check.spend(1)
    let isValid = true
    for (let i = 0; i < parts.length; i++) {
      if (parts[i](value, check, seen)) continue
      isValid = false
      if (check.path === null) return false
    }
    return isValid
  }
}

/** Asks last of what nobody has looked at. @param {any} schema @param {any} context @param {Validator} validate @returns {Validator} */
function withUnevaluated (schema, context, validate) {
  /** @type {Validator[]} */
  const last = []
  if (Object.hasOwn(schema, 'unevaluatedProperties')) last.push(unevaluatedProperties(schema.unevaluatedProperties, context))
  if (Object.hasOwn(schema, 'unevaluatedItems')) last.push(unevaluatedItems(schema.unevaluatedItems, context))
  if (last.length === 0) return validate
  return (value, check, seen) => {
    const own = new Seen()
    const isValid = validate(value, check, own) && last.every(each => each(value, check, own))
    if (seen !== null) check.merge(seen, own)
    return isValid
  }
}

/** @param {string} base @param {Validator} validate @returns {Validator} */
function inScope (base, validate) {
  return (value, check, seen) => {
    if (check.scope.at(-1) === base) return validate(value, check, seen)
    check.scope.push(base)
    const isValid = validate(value, check, seen)
    check.scope.pop()
    return isValid
  }
}

module.exports = { compileSchema }
