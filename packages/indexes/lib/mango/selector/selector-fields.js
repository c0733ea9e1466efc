'use strict'

/** @typedef {import('./normalize-selector').Node} Node */

/** Conditions that CouchDB looks up in an index. */
const INDEXABLE = new Set(['$lt', '$lte', '$eq', '$gt', '$gte', '$beginsWith', '$exists'])

/**
 * The fields of a selector.
 *
 * @param {import('./normalize-selector').Node} node
 * @returns {string[][]} paths, each once
 */
function fieldsOf (node) {
  const fields = new Map()
  collect(node, fields, () => true)
  return [...fields.values()]
}

/**
 * Returns the fields that CouchDB would use an index for: it sees through `$and` alone.
 *
 * @param {import('./normalize-selector').Node} node
 * @returns {string[][]} paths, each once
 */
function indexableFields (node) {
  const fields = new Map()
  collect(node, fields, seen => seen.op === '$and' || (seen.op === 'field' && INDEXABLE.has(seen.part.op)))
  return [...fields.values()]
}

/** @param {Node} node @param {Map<string, string[]>} fields @param {(node: Node) => boolean} isSeen */
function collect (node, fields, isSeen) {
  if (!isSeen(node)) return
  if ('parts' in node) for (const part of node.parts) collect(part, fields, isSeen)
  else if (node.op === 'field') fields.set(node.path.join('\0'), node.path)
  else if (node.op === '$default') fields.set('$default', ['$default'])
}

module.exports = { fieldsOf, indexableFields }
