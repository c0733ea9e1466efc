'use strict'

const { carriedText, carryNames, carryOver, carryText, namesOf } = require('./lib/carried')
const { check } = require('./lib/check/check')
const { checkDatabases, checkOnline } = require('./lib/check/databases')
const { DatabaseReaders } = require('./lib/database-readers')
const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { carryExact, chooseExact, exactForm, parseExact, parseMarked, setMember, stringifyExact } = require('./lib/exact-json')
const { encodingForm, toJson, toObject } = require('./lib/json')
const { decodeNumber, encodeNumber } = require('./lib/layout')
const { isBodyMember } = require('./lib/members')
const { mend } = require('./lib/mend/mend')
const { mendDatabases } = require('./lib/mend/databases')
const { lossInWords } = require('./lib/mend/words')
const { partitionOf, validatePartition } = require('./lib/partition')
const { carrySent, sentText } = require('./lib/sent-text')
const { setOwn } = require('./lib/set-own')
const { Turn, inTurns, mapInTurns } = require('./lib/turn')
const { compareUtf8 } = require('./lib/utf8-order')
const { validateDocument, validateId, validateRevision } = require('./lib/validate')

module.exports = {
  check,
  checkDatabases,
  carriedText,
  carryExact,
  carryNames,
  carryOver,
  carrySent,
  carryText,
  checkOnline,
  chooseExact,
  exactForm,
  compareUtf8,
  DatabaseReaders,
  Databases,
  decodeNumber,
  DocumentStore,
  encodeNumber,
  encodingForm,
  inTurns,
  isBodyMember,
  lossInWords,
  mapInTurns,
  mend,
  mendDatabases,
  namesOf,
  parseExact,
  parseMarked,
  sentText,
  setMember,
  setOwn,
  stringifyExact,
  partitionOf,
  toJson,
  toObject,
  Turn,
  validateDocument,
  validateId,
  validateRevision,
  validatePartition
}
