'use strict'

const { parseFields } = require('./find-request')
const { parsePath, readPath, writePath } = require('../selector/path')

/**
 * Only these fields of a document, each where it was.
 *
 * @param {any} doc
 * @param {string[][]} fields paths
 */
function project (doc, fields) {
  const result = {}
  for (const path of fields) {
    const value = path.length === 0 ? undefined : readPath(doc, path)
    if (value !== undefined) writePath(result, path, value)
  }
  return result
}

/**
 * Makes a document of what an index's row says of it.
 *
 * @param {string[][]} columns
 * @param {{ id: string, key: any[] }} row
 */
function fromRow (columns, { id, key }) {
  const doc = { _id: id }
  columns.forEach((path, i) => writePath(doc, path, key[i]))
  return doc
}

/**
 * Returns a function that gives these fields of a document; all of it if there are none.
 *
 * @param {any} fields as `_find` takes them
 * @returns {(doc: any) => any}
 * @throws invalid_fields, invalid_field, invalid_field_name
 */
function compileFields (fields) {
  const paths = parseFields(fields).map(parsePath)
  return doc => paths.length === 0 ? doc : project(doc, paths)
}

module.exports = { compileFields, fromRow, project }
