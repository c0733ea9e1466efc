'use strict'

const { compileSelector } = require('./compile-selector')
const { parsePath, readPath } = require('./path')

/**
 * The map function of a Mango index: its key is the array of its fields' values. A document that lacks
 * one of them has no row.
 *
 * @param {{ fields: Record<string, string>, partial_filter_selector?: any, selector?: any }} definition a view's `map`;
 *   `selector` is what old indexes have in place of `partial_filter_selector`
 * @returns {(doc: any) => Array<[any[], null]>}
 */
function mapFields ({ fields, partial_filter_selector: partial, selector = {} }) {
  const paths = Object.keys(fields).map(parsePath)
  const matches = compileSelector(isEmpty(partial) ? selector : partial)
  return doc => {
    const key = []
    for (const path of paths) {
      const value = readPath(doc, path)
      if (value === undefined) return []
      key.push(value)
    }
    return matches(doc) ? [[key, null]] : []
  }
}

function isEmpty (selector) { return selector === undefined || Object.keys(selector).length === 0 }

module.exports = { mapFields }
