'use strict'

/** The part of @potoroo/document-store that the indexes use. */
const { isInert, principalsOf } = require('@potoroo/document-store/lib/access/access-list')
const { namesOf } = require('@potoroo/document-store/lib/json/carried-text')
const { metaForm, toJson, toObject, toObjectInTurns } = require('@potoroo/document-store/lib/json/document-json')
const { isObject } = require('@potoroo/document-store/lib/json/is-object')
const { stringifyInTurns } = require('@potoroo/document-store/lib/large-json/stringify')
const { decodeNumber, encodeNumber } = require('@potoroo/document-store/lib/media/layout')
const { partitionOf, validatePartition } = require('@potoroo/document-store/lib/store/partition')
const { Turn, inTurns, nextRound } = require('@potoroo/document-store/lib/json/turn')
const { compareUtf8 } = require('@potoroo/document-store/lib/json/utf8-order')

module.exports = {
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
  stringifyInTurns,
  toJson,
  toObject,
  toObjectInTurns,
  validatePartition
}
