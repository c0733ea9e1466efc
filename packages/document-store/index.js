'use strict'

const { check } = require('./lib/check/check')
const { checkDatabases } = require('./lib/check/databases')
const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { toJson, toObject } = require('./lib/json')

module.exports = { check, checkDatabases, Databases, DocumentStore, toJson, toObject }
