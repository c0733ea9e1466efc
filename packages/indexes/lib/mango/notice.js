'use strict'

const { ALL_DOCS } = require('./index-descriptor')
const { escapePath } = require('./path')
const { fieldsOf } = require('./selector-fields')

/**
 * What is told of a find that was carried out.
 *
 * @param {import('./candidates').Asked} request
 * @param {import('./candidates').Candidate} candidate
 * @param {{ keys: number, documents: number, returned: number, milliseconds: number }} counts
 * @returns {import('./index-descriptor').FindNotice}
 */
function noticeOf ({ node, conditions, sort, descending }, { indexes }, counts) {
  const paths = new Map(fieldsOf(node).filter(path => path.length > 0 && path[0] !== '$default').map(path => [escapePath(path), path]))
  const narrowed = [...paths].filter(([, path]) => conditions.narrows(path)).sort(([a], [b]) => a < b ? -1 : 1)
  return {
    node,
    equal: narrowed.filter(([, path]) => conditions.isChosen(path)).map(([field]) => field),
    range: narrowed.filter(([, path]) => !conditions.isChosen(path)).map(([field]) => field),
    sort: sort.map(escapePath),
    descending,
    indexes: indexes.filter(index => index !== ALL_DOCS),
    ...counts
  }
}

module.exports = { noticeOf }
