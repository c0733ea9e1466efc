'use strict'

const { Pool } = require('./lib/pool/pool')
const { OrderedMap } = require('./lib/map/ordered-map')
const { Iterator } = require('./lib/map/iterator')
const { Snapshot } = require('./lib/map/snapshot')
const { check } = require('./lib/pool/check')
const { salvage } = require('./lib/pool/salvage')
const { readKeyFile } = require('./lib/pool/key-file')
const { encryptBackup } = require('./lib/backup/encrypt')
const { decryptBackup } = require('./lib/backup/decrypt')
const { PersistentArrayBuffer } = require('./lib/objects/heap/persistent-array-buffer')
const { codes } = require('./lib/base/codes')
const binding = require('./lib/binding/binding')

const { duplicateDescriptor, maxKeySize, maxValueSize, releaseMemory } = binding

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
