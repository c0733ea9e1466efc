'use strict'

const { Pool } = require('./lib/pool')
const { OrderedMap } = require('./lib/ordered-map')
const { Iterator } = require('./lib/iterator')
const { Snapshot } = require('./lib/snapshot')
const { check } = require('./lib/check')
const { PersistentArrayBuffer } = require('./lib/objects/persistent-array-buffer')
const { codes } = require('./lib/codes')
const { duplicateDescriptor, maxKeySize, maxValueSize } = require('./lib/binding')

module.exports = {
  Pool,
  PersistentArrayBuffer,
  OrderedMap,
  Iterator,
  Snapshot,
  check,
  codes,
  duplicateDescriptor,
  maxKeySize,
  maxValueSize
}
