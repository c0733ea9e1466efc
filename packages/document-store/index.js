'use strict'

const { isInert, principalsOf } = require('./lib/access/access-list')
const { carriedText, carryOver, namesOf } = require('./lib/json/carried-text')
const { check } = require('./lib/check/check')
const { checkDatabases, checkOnline } = require('./lib/check/databases')
const { formerLayouts } = require('./lib/check/former-layouts')
const { DatabaseReaders } = require('./lib/store/database-readers')
const { Databases } = require('./lib/store/databases')
const { DistantReader } = require('./lib/store/distant-reader')
const { stringifyAnyDepth } = require('./lib/json/deep-json')
const { DocumentStore } = require('./lib/store/document-store')
const { TermWriter } = require('./lib/commit/external-term')
const { carryExact, exactForm, markedOf, parseExact, setMember, stringifyExact } = require('./lib/json/exact-json')
const { chooseInTurns, encodingForm, metaForm, toEditable, toJson, toObject, toObjectInTurns } = require('./lib/json/document-json')
const { isObject } = require('./lib/json/is-object')
const { endOfString, endOfValue } = require('./lib/json/json-text')
const { copyInTurns, isLargeCopy } = require('./lib/large-json/copy')
const { parseInTurns, parseLargeJson, parseText } = require('./lib/large-json/parse')
const { stringifyInTurns } = require('./lib/large-json/stringify')
const { parseJson } = require('./lib/large-json/text')
const { readBare, readBareDocument, readBareResults } = require('./lib/json/bare-documents')
const { decodeNumber, encodeNumber } = require('./lib/media/layout')
const { LAYOUT_VERSION } = require('./lib/media/upgrade')
const { fillMoment } = require('./lib/history/moment-store')
const { parseMoment } = require('./lib/history/moment')
const { mend } = require('./lib/mend/mend')
const { mendDatabases } = require('./lib/mend/databases')
const { lossInWords } = require('./lib/mend/words')
const { partitionOf, validatePartition, validatePartitionedId } = require('./lib/store/partition')
const { carrySent, carrySentAt } = require('./lib/json/sent-text')
const { illegalName, isLegalName } = require('./lib/store/database-name')
const { MOST: MOST_SHARDS, isInShard, isShard, publicName, rangesOf, shardOf } = require('./lib/store/shard-names')
const { restore } = require('./lib/history/restore')
const { transact } = require('./lib/commit/transact')
const { Turn, inTurns, mapInTurns, nextRound } = require('./lib/json/turn')
const { compareUtf8 } = require('./lib/json/utf8-order')
const { validateDocument, validateId, validateRevision } = require('./lib/commit/validate')

module.exports = {
  check,
  checkDatabases,
  carriedText,
  carryExact,
  carryOver,
  carrySent,
  carrySentAt,
  checkOnline,
  chooseInTurns,
  copyInTurns,
  endOfString,
  endOfValue,
  exactForm,
  fillMoment,
  formerLayouts,
  compareUtf8,
  DatabaseReaders,
  Databases,
  DistantReader,
  decodeNumber,
  DocumentStore,
  encodeNumber,
  encodingForm,
  illegalName,
  inTurns,
  LAYOUT_VERSION,
  isInert,
  isLargeCopy,
  isLegalName,
  isObject,
  isInShard,
  isShard,
  lossInWords,
  mapInTurns,
  markedOf,
  metaForm,
  mend,
  mendDatabases,
  MOST_SHARDS,
  nextRound,
  namesOf,
  parseExact,
  parseInTurns,
  parseJson,
  parseLargeJson,
  parseMoment,
  parseText,
  setMember,
  stringifyAnyDepth,
  stringifyExact,
  stringifyInTurns,
  partitionOf,
  principalsOf,
  publicName,
  rangesOf,
  readBare,
  readBareDocument,
  readBareResults,
  restore,
  shardOf,
  TermWriter,
  toEditable,
  toJson,
  toObject,
  toObjectInTurns,
  transact,
  Turn,
  validateDocument,
  validateId,
  validateRevision,
  validatePartition,
  validatePartitionedId
}
