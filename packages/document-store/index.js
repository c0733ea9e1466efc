'use strict'

const { check } = require('./lib/check/check')
const { checkDatabases } = require('./lib/check/databases')
const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { parseExact } = require('./lib/exact-json')
const { toJson, toObject } = require('./lib/json')

module.exports = { check, checkDatabases, Databases, DocumentStore, parseExact, toJson, toObject }
