'use strict'

const { namesOf } = require('@potoroo/document-store')
const { isObject } = require('./equality')
const { invalid } = require('./invalid')
const { count, expression } = require('./values')

/**
 * @typedef {import('./check').Check} Check
 * @typedef {import('./keywords').Keyword} Keyword
 * @typedef {import('./keywords').Validator} Validator
 */

/** Whether objects inherit a member of this name. @param {string} name */
function isInherited (name) { return name in Object.prototype }

/** @param {any} object @param {string} name */
function has (object, name) { return isInherited(name) ? Object.hasOwn(object, name) : object[name] !== undefined }

/** The members that a schema sees. @param {any} object @param {Check} check @returns {string[]} */
function namesIn (object, check) {
  const names = namesOf(object)
  check.spend(names.length)
  return object === check.root ? names.filter(name => !check.hides(object, name)) : names
}

/** @param {any} list @param {string} place @returns {string[]} */
function names (list, place) {
  if (!Array.isArray(list) || !list.every(name => typeof name === 'string')) throw invalid(place, 'must be a list of names')
  return list
}

/** @type {Keyword} */
function required (argument, { place }) {
  const list = names(argument, place)
  return (value, check) => !isObject(value) || hasAll(value, list, check)
}

/** @param {any} value @param {string[]} list @param {Check} check */
function hasAll (value, list, check) {
  check.spend(list.length >> 2)
  let isValid = true
  for (const name of list) {
    if (has(value, name) && !check.hides(value, name)) continue
    isValid = check.fail('is missing', name)
    if (check.path === null) return false
  }
  return isValid
}

/** @type {Keyword} */
function dependentRequired (argument, { place }) {
  if (!isObject(argument)) throw invalid(place, 'must be an object')
  const lists = Object.entries(argument).map(([name, list]) => /** @type {[string, string[]]} */ ([name, names(list, `${place}/${name}`)]))
  return (value, check) => {
    if (!isObject(value)) return true
    check.spend(8 * lists.length)
    return lists.every(([name, list]) => !has(value, name) || check.hides(value, name) || hasAll(value, list, check))
  }
}

/** @param {string} what @param {(length: number, limit: number) => boolean} fits @returns {Keyword} */
function members (what, fits) {
  return (argument, { place }) => {
    const limit = count(argument, place)
    const words = `must have at ${what} ${limit} members`
    return (value, check) => !isObject(value) || fits(namesIn(value, check).length, limit) || check.fail(words)
  }
}

/** Members that are looked up in an object; of more, those that the object has are looked up. */
const FEW = 32

/** @type {Keyword} */
function properties (argument, { compile }) {
  /** @type {Map<string, Validator>} */
  const validators = new Map(Object.keys(argument).map(name => [name, compile(argument[name])]))
  const names = [...validators.keys()]
  return (value, check, seen) => {
    if (!isObject(value)) return true
    let isValid = true
    for (const name of names.length <= FEW ? names : namesIn(value, check)) {
      const validate = validators.get(name)
      if (validate === undefined || !has(value, name) || check.hides(value, name)) continue
      if (seen !== null) seen.names.add(name)
      if (check.inside(validate, value[name], name)) continue
      isValid = false
      if (check.path === null) return false
    }
    return isValid
  }
}

/** @type {Keyword} */
function patternProperties (argument, { compile, place }) {
  const parts = Object.keys(argument).map(source => ({ matches: expression(source, place), validate: compile(argument[source]) }))
  return (value, check, seen) => !isObject(value) || each(namesIn(value, check), check, name => parts.every(({ matches, validate }) => {
    if (!matches(name, check)) return true
    seen?.names.add(name)
    return check.inside(validate, value[name], name)
  }))
}

/** Asks of each name; of all where failures are told. @param {string[]} list @param {Check} check @param {(name: string) => boolean} fits */
function each (list, check, fits) {
  let isValid = true
  for (const name of list) {
    if (fits(name)) continue
    isValid = false
    if (check.path === null) return false
  }
  return isValid
}

/** @type {Keyword} */
function additionalProperties (argument, { compile, place, schema }) {
  const known = new Set(Object.keys(schema.properties ?? {}))
  const patterns = Object.keys(schema.patternProperties ?? {}).map(source => expression(source, place))
  const validate = compile(argument)
  return (value, check, seen) => {
    if (!isObject(value)) return true
    const others = namesIn(value, check).filter(name => !known.has(name) && !patterns.some(matches => matches(name, check)))
    if (seen !== null) {
      check.spend(4 * others.length)
      for (const name of others) seen.names.add(name)
    }
    return argument === false ? each(others, check, name => check.fail(UNWANTED, name)) : each(others, check, name => check.inside(validate, value[name], name))
  }
}

const UNWANTED = 'is not allowed'

/** @type {Keyword} */
function propertyNames (argument, { compile }) {
  const validate = compile(argument)
  return (value, check) => !isObject(value) || each(namesIn(value, check), check, name => check.silently(validate, name, null) || check.fail('must have another name', name))
}

/** Asked last of a schema. @type {Keyword} */
function unevaluatedProperties (argument, { compile }) {
  const validate = compile(argument)
  return (value, check, seen) => {
    const own = /** @type {import('./check').Seen} */ (seen)
    if (!isObject(value) || own.allNames) return true
    const others = namesIn(value, check).filter(name => !own.names.has(name))
    own.allNames = true
    return argument === false ? each(others, check, name => check.fail(UNWANTED, name)) : each(others, check, name => check.inside(validate, value[name], name))
  }
}

/** @type {Record<string, Keyword>} */
const keywords = {
  required,
  minProperties: members('least', (length, limit) => length >= limit),
  maxProperties: members('most', (length, limit) => length <= limit),
  dependentRequired,
  properties,
  patternProperties,
  additionalProperties,
  propertyNames
}

module.exports = { has, unevaluatedProperties, keywords }
