'use strict'

const { check } = require('./lib/check/check')
const { checkDatabases } = require('./lib/check/databases')
const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { parseExact } = require('./lib/exact-json')
const { toJson, toObject } = require('./lib/json')
const { decodeNumber, encodeNumber } = require('./lib/layout')
const { partitionOf, validatePartition } = require('./lib/partition')
const { compareUtf8 } = require('./lib/utf8-order')

module.exports = { check, checkDatabases, compareUtf8, Databases, decodeNumber, DocumentStore, encodeNumber, parseExact, partitionOf, toJson, toObject, validatePartition }
