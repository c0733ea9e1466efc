'use strict'

const { compileSelectorInTurns } = require('../selector/match-in-turns')
const { isObject } = require('../selector/normalize-selector')
const { parsePath, readPath } = require('../selector/path')

/** @typedef {Array<[any[], null]>} Fields rows `[key, null]`: one, or none */

/**
 * The map function of a Mango index: its key is the array of its fields' values. A document that lacks
 * one of them has no row.
 *
 * @param {string[]} fields in the order of the key
 * @param {{ partial_filter_selector?: any, selector?: any }} [partial] a view's `map`; `selector` is what old
 *   indexes have in place of `partial_filter_selector`
 * @returns {(doc: any, length: number) => Fields | Promise<Fields>} of a document, with the length of its text; a promise where
 *   its selector takes long
 */
function mapFields (fields, { partial_filter_selector: partial, selector = {} } = {}) {
  const paths = fields.map(parsePath)
  const matches = compileSelectorInTurns(isEmpty(partial) ? selector : partial)
  return (doc, length) => {
    /** @type {any[]} */
    const key = []
    for (const path of paths) {
      const value = readPath(doc, path)
      if (value === undefined) return []
      key.push(value)
    }
    const matched = matches(doc, length)
    return matched instanceof Promise ? matched.then(yes => rowsOf(yes, key)) : rowsOf(matched, key)
  }
}

/** @param {boolean} matched @param {any[]} key @returns {Fields} */
function rowsOf (matched, key) { return matched ? [[key, null]] : [] }

/**
 * The fields of an index in a design document, each with its direction. In `map` they are members, and those
 * whose names are numbers come first, whatever was asked for: `options.def` has them as they were.
 *
 * @param {any} view
 * @returns {Array<[string, any]>}
 */
function fieldsOfView ({ map: { fields }, options }) {
  const asked = namesOf(options?.def?.fields)
  const isSame = asked.length === Object.keys(fields).length && asked.every(name => Object.hasOwn(fields, name))
  return isSame ? asked.map(name => [name, fields[name]]) : Object.entries(fields)
}

/** @param {any} list of names, or of objects with one each; of each what is once */
function namesOf (list) {
  if (!Array.isArray(list)) return []
  return [...new Set(list.flatMap(item => typeof item === 'string' ? [item] : Object.keys(item ?? {})))]
}

/** @param {any} selector */
function isEmpty (selector) { return !isObject(selector) || Object.keys(selector).length === 0 }

module.exports = { fieldsOfView, mapFields }
