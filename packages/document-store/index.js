'use strict'

const { carriedText, carryOver, namesOf } = require('./lib/carried')
const { check } = require('./lib/check/check')
const { checkDatabases, checkOnline } = require('./lib/check/databases')
const { DatabaseReaders } = require('./lib/database-readers')
const { Databases } = require('./lib/databases')
const { stringifyAnyDepth } = require('./lib/deep-json')
const { DocumentStore } = require('./lib/document-store')
const { TermWriter } = require('./lib/external-term')
const { exactForm, parseExact, setMember, stringifyExact } = require('./lib/exact-json')
const { chooseInTurns, encodingForm, toEditable, toJson, toObject, toObjectInTurns } = require('./lib/json')
const { parseInTurns, parseLargeJson } = require('./lib/large-json/parse')
const { stringifyInTurns } = require('./lib/large-json/stringify')
const { parseJson } = require('./lib/large-json/text')
const { decodeNumber, encodeNumber } = require('./lib/layout')
const { mend } = require('./lib/mend/mend')
const { mendDatabases } = require('./lib/mend/databases')
const { lossInWords } = require('./lib/mend/words')
const { partitionOf, validatePartition, validatePartitionedId } = require('./lib/partition')
const { carrySent, carrySentAt } = require('./lib/sent-text')
const { Turn, inTurns, mapInTurns } = require('./lib/turn')
const { compareUtf8 } = require('./lib/utf8-order')
const { validateDocument, validateId, validateRevision } = require('./lib/validate')

module.exports = {
  check,
  checkDatabases,
  carriedText,
  carryOver,
  carrySent,
  carrySentAt,
  checkOnline,
  chooseInTurns,
  exactForm,
  compareUtf8,
  DatabaseReaders,
  Databases,
  decodeNumber,
  DocumentStore,
  encodeNumber,
  encodingForm,
  inTurns,
  lossInWords,
  mapInTurns,
  mend,
  mendDatabases,
  namesOf,
  parseExact,
  parseInTurns,
  parseJson,
  parseLargeJson,
  setMember,
  stringifyAnyDepth,
  stringifyExact,
  stringifyInTurns,
  partitionOf,
  TermWriter,
  toEditable,
  toJson,
  toObject,
  toObjectInTurns,
  Turn,
  validateDocument,
  validateId,
  validateRevision,
  validatePartition,
  validatePartitionedId
}
