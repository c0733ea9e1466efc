'use strict'

const { reduceQuery, sumOf } = require('../../lib/pouchdb/reduce')

/** Eight of ten groups, as one. */
module.exports = reduceQuery('reduce of a wide range',
  () => ({ startkey: [1], endkey: [8, {}] }),
  size => [{ key: null, value: [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, group) => sum + sumOf(group, size), 0) }])
