'use strict'

const { Pool } = require('./lib/pool')
const { OrderedMap } = require('./lib/ordered-map')
const { Iterator } = require('./lib/iterator')
const { Snapshot } = require('./lib/snapshot')
const { check } = require('./lib/check')
const { salvage } = require('./lib/salvage')
const { readKeyFile } = require('./lib/key-file')
const { encryptBackup } = require('./lib/backup/encrypt')
const { decryptBackup } = require('./lib/backup/decrypt')
const { PersistentArrayBuffer } = require('./lib/objects/persistent-array-buffer')
const { codes } = require('./lib/codes')
const { duplicateDescriptor, maxKeySize, maxValueSize, releaseMemory } = require('./lib/binding')

module.exports = {
  Pool,
  PersistentArrayBuffer,
  OrderedMap,
  Iterator,
  Snapshot,
  check,
  salvage,
  readKeyFile,
  encryptBackup,
  decryptBackup,
  codes,
  duplicateDescriptor,
  maxKeySize,
  maxValueSize,
  releaseMemory
}
