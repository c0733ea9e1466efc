'use strict'

/** The part of @potoroo/document-store that the indexes and the adapter use, without what servers alone need. */
const { isInert, principalsOf } = require('@potoroo/document-store/lib/access/access-list')
const { namesOf } = require('@potoroo/document-store/lib/json/carried-text')
const { DocumentStore } = require('@potoroo/document-store/lib/store/document-store')
const { metaForm, toJson, toObject, toObjectInTurns } = require('@potoroo/document-store/lib/json/document-json')
const { isObject } = require('@potoroo/document-store/lib/json/is-object')
const { stringifyInTurns } = require('@potoroo/document-store/lib/large-json/stringify')
const { decodeNumber, encodeNumber } = require('@potoroo/document-store/lib/media/layout')
const { partitionOf, validatePartition } = require('@potoroo/document-store/lib/store/partition')
const { restore } = require('@potoroo/document-store/lib/history/restore')
const { Turn, inTurns, nextRound } = require('@potoroo/document-store/lib/json/turn')
const { compareUtf8 } = require('@potoroo/document-store/lib/json/utf8-order')

module.exports = {
  DocumentStore,
  Turn,
  compareUtf8,
  decodeNumber,
  encodeNumber,
  inTurns,
  isInert,
  isObject,
  metaForm,
  namesOf,
  nextRound,
  partitionOf,
  principalsOf,
  restore,
  stringifyInTurns,
  toJson,
  toObject,
  toObjectInTurns,
  validatePartition
}
