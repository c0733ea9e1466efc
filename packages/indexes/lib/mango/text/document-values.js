'use strict'

/** The place of a list's elements in a path. */
const ELEMENT = '[]'

/** Levels of a document that are looked at. */
const DEEPEST = 100

/** @param {string} name */
function escaped (name) { return name.replaceAll('.', '\\.') }

/** @param {string[]} path */
function pathName (path) { return path.map(escaped).join('.') }

/**
 * @typedef {{ path: string | null, names: string[] | null, values: any, at: number }} Level of a document; path: null of its own members; names: null of a list
 */

/**
 * Goes through a document: gives each value with its path, and each list with that of its elements before these. There is no recursion, so that
 * it may be left at every value.
 *
 * @param {any} doc
 * @returns {Generator<{ path: string, value: any }>}
 */
function * valuesOf (doc) {
  const levels = [levelOf(null, doc)]
  while (levels.length > 0) {
    const level = levels[levels.length - 1]
    if (level.at === (level.names ?? level.values).length) {
      levels.pop()
      continue
    }
    const { path, value } = nextOf(level)
    const isList = Array.isArray(value)
    const isObject = typeof value === 'object' && value !== null
    if (isList || !isObject) yield { path, value }
    if (isObject && levels.length < DEEPEST) levels.push(levelOf(path, value))
  }
}

/** @param {string | null} path @param {any} values @returns {Level} */
function levelOf (path, values) { return { path, names: Array.isArray(values) ? null : Object.keys(values), values, at: 0 } }

/** @param {Level} level */
function nextOf (level) {
  const { path, names, values } = level
  const at = level.at++
  const value = values[names === null ? at : names[at]]
  const own = names === null ? path : joined(path, escaped(names[at]))
  return { path: Array.isArray(value) ? joined(own, ELEMENT) : /** @type {string} */ (own), value }
}

/** @param {string | null} path @param {string} name */
function joined (path, name) { return path === null ? name : `${path}.${name}` }

module.exports = { ELEMENT, pathName, valuesOf }
