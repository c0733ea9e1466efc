'use strict'

const { check } = require('./lib/check/check')
const { checkDatabases } = require('./lib/check/databases')
const { DatabaseReaders } = require('./lib/database-readers')
const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { chooseExact, exactForm, parseExact, stringifyExact } = require('./lib/exact-json')
const { encodingForm, toJson, toObject } = require('./lib/json')
const { decodeNumber, encodeNumber } = require('./lib/layout')
const { partitionOf, validatePartition } = require('./lib/partition')
const { compareUtf8 } = require('./lib/utf8-order')
const { validateDocument, validateId } = require('./lib/validate')

module.exports = {
  check,
  checkDatabases,
  chooseExact,
  exactForm,
  compareUtf8,
  DatabaseReaders,
  Databases,
  decodeNumber,
  DocumentStore,
  encodeNumber,
  encodingForm,
  parseExact,
  stringifyExact,
  partitionOf,
  toJson,
  toObject,
  validateDocument,
  validateId,
  validatePartition
}
