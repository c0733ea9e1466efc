'use strict'

/** Conditions that CouchDB looks up in an index. */
const INDEXABLE = new Set(['$lt', '$lte', '$eq', '$gt', '$gte', '$beginsWith', '$exists'])

/**
 * The fields of a selector.
 *
 * @param {import('./normalize-selector').Node} node
 * @returns {string[][]} paths, with doubles
 */
function fieldsOf (node) {
  if (node.parts !== undefined) return node.parts.flatMap(fieldsOf)
  if (node.op === 'field') return [node.path]
  return node.op === '$default' ? [['$default']] : []
}

/**
 * Those that CouchDB would use an index for: it sees through `$and` alone.
 *
 * @param {import('./normalize-selector').Node} node
 * @returns {string[][]} paths, with doubles
 */
function indexableFields (node) {
  if (node.op === '$and') return node.parts.flatMap(indexableFields)
  return node.op === 'field' && INDEXABLE.has(node.part.op) ? [node.path] : []
}

module.exports = { fieldsOf, indexableFields }
