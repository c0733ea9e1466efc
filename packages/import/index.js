'use strict'

const { findSources } = require('./lib/import/find-sources')
const { importPart, onlyThere, verifyPart } = require('./lib/by-access/part')
const { parseAddress } = require('./lib/http/address')
const { CouchSource } = require('./lib/http/source')
const { CouchTarget } = require('./lib/http/target')
const { importDatabase } = require('./lib/import/import-database')
const { ImportError } = require('./lib/import/import-error')
const { fileNameOf } = require('./lib/json-lines/find-files')
const { ExportSource } = require('./lib/json-lines/source')
const { writeLines } = require('./lib/json-lines/write')
const { PouchLevelSource } = require('./lib/pouch-level/source')
const { openStoreSource } = require('./lib/import/store-source')
const { StoreTarget } = require('./lib/import/store-target')
const { verifyDatabase } = require('./lib/import/verify-database')

module.exports = {
  findSources,
  importDatabase,
  verifyDatabase,
  importPart,
  verifyPart,
  onlyThere,
  exportLines: writeLines,
  exportFileName: fileNameOf,
  PouchLevelSource,
  CouchSource,
  ExportSource,
  openStoreSource,
  StoreTarget,
  CouchTarget,
  ImportError,
  parseAddress
}
