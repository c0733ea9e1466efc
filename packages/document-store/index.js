'use strict'

const { Databases } = require('./lib/databases')
const { DocumentStore } = require('./lib/document-store')
const { toJson, toObject } = require('./lib/json')

module.exports = { Databases, DocumentStore, toJson, toObject }
