'use strict'

const { getFieldFromDoc, massageSelector, parseField } = require('pouchdb-selector-core')
const { writePath } = require('../mango/selector/path')

/** A live find asks this of pouchdb-find's indexes and fields. */

/** By these operators a selector asks for a field that is there. */
const REQUIRING = ['$eq', '$gt', '$gte', '$lt', '$lte']

/**
 * Whether the rows of an index have all documents that a selector accepts.
 *
 * @param {Record<string, any>} given the selector
 * @param {{ fields: Array<Record<string, string>>, partial_filter_selector?: any }} definition as pouchdb-find lists it
 */
function hasAllRows (given, { fields, partial_filter_selector: partial }) {
  const selector = massageSelector(given)
  return partial === undefined && fields.every(field => requires(selector, Object.keys(field)[0]))
}

/** @param {Record<string, any>} selector @param {string} field */
function requires (selector, field) {
  return Object.hasOwn(selector, field) && REQUIRING.some(operator => Object.hasOwn(selector[field], operator))
}

/** Returns those fields of a document that pouchdb-find would give. @param {any} doc @param {string[]} fields */
function pickFields (doc, fields) {
  const picked = {}
  for (const path of fields.map(parseField)) {
    const value = getFieldFromDoc(doc, path)
    if (value !== undefined) writePath(picked, path, value)
  }
  return picked
}

module.exports = { hasAllRows, pickFields }
