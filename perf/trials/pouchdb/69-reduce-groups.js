'use strict'

const { GROUPS, reduceQuery, sumOf } = require('../../lib/pouchdb/reduce')

module.exports = reduceQuery('reduce of ten groups',
  () => ({ group_level: 1 }),
  size => Array.from({ length: GROUPS }, (_, group) => ({ key: [group], value: sumOf(group, size) })))
