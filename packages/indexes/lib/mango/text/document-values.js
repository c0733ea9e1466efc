'use strict'

const { isPosition } = require('../selector/path')

/** The place of a list's elements in a path. */
const ELEMENT = '[]'

/** Levels of a document that are looked at. */
const DEEPEST = 100

/** @param {string} name */
function escaped (name) { return name.replaceAll('.', '\\.') }

/** @param {string[]} path */
function pathName (path) { return path.map(escaped).join('.') }

/**
 * @typedef {{ path: string | null, own: string | null }} Place its path, in which a number is a place in a list, and the one with the number; null: of the document
 * @typedef {Place & { names: string[] | null, values: any, at: number }} Level of a document; names: null of a list
 */

/**
 * Goes through a document: gives each value with its paths, and each list and object before what is in it. A name that is a number
 * is a place in a list for a selector, so such a value has two paths. There is no recursion, so that it may be left at every value.
 *
 * @param {any} doc
 * @returns {Generator<{ paths: string[], value: any }>}
 */
function * valuesOf (doc) {
  const levels = [levelOf({ path: null, own: null }, doc)]
  while (levels.length > 0) {
    const level = levels[levels.length - 1]
    if (level.at === (level.names ?? level.values).length) {
      levels.pop()
      continue
    }
    const { path, own, value } = nextOf(level)
    yield { paths: own === path ? [path] : [path, own], value }
    if (typeof value === 'object' && value !== null && levels.length < DEEPEST) levels.push(levelOf({ path, own }, value))
  }
}

/** @param {Place} place @param {any} values @returns {Level} */
function levelOf ({ path, own }, values) {
  if (!Array.isArray(values)) return { path, own, names: Object.keys(values), values, at: 0 }
  return { path: joined(path, ELEMENT), own: joined(own, ELEMENT), names: null, values, at: 0 }
}

/** @param {Level} level @returns {{ path: string, own: string, value: any }} */
function nextOf (level) {
  const { names, values } = level
  const at = level.at++
  if (names === null) return { path: /** @type {string} */ (level.path), own: /** @type {string} */ (level.own), value: values[at] }
  const name = names[at]
  const own = joined(level.own, escaped(name))
  if (isPosition(name)) return { path: joined(level.path, ELEMENT), own, value: values[name] }
  return { path: level.path === level.own ? own : joined(level.path, escaped(name)), own, value: values[name] }
}

/** @param {string | null} path @param {string} name */
function joined (path, name) { return path === null ? name : `${path}.${name}` }

module.exports = { DEEPEST, ELEMENT, pathName, valuesOf }
