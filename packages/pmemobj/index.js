'use strict'

const { Pool } = require('./lib/pool')
const { OrderedMap } = require('./lib/ordered-map')
const { Iterator } = require('./lib/iterator')
const { Snapshot } = require('./lib/snapshot')
const { codes } = require('./lib/codes')
const { maxKeySize, maxValueSize } = require('./lib/binding')

module.exports = { Pool, OrderedMap, Iterator, Snapshot, codes, maxKeySize, maxValueSize }
