'use strict'

const { AdaptiveIndexes } = require('./lib/adaptive/adaptive-indexes')
const { EmbeddedViews } = require('./lib/embedded/embedded-views')
const { JsonQuery } = require('./lib/jsonquery/json-query')
const { checkDesign } = require('./lib/views/check-design')
const { MergedFind, designOfIndex, highProportion } = require('./lib/mango/run/merged-find')
const { liveFind } = require('./lib/live/live-find')
const { liveFigures } = require('./lib/live/live-queries')
const { hasAllRows, pickFields } = require('./lib/live/find-form')
const { Mango } = require('./lib/mango/run/mango')
const { compileRule } = require('./lib/schema/rule')
const { Searches } = require('./lib/searches/searches')
const { StoredMango } = require('./lib/mango/run/stored-mango')
const { StoredSearches } = require('./lib/searches/stored-searches')
const { StoredViews } = require('./lib/views/stored-views')
const { packBookmark, readSorts, unpackBookmark, unpackBookmarks } = require('./lib/searches/parameters')
const { deleteSchema, getSchema, listSchemas, putSchema } = require('./lib/schema/stored-schemas')
const { Views } = require('./lib/views/views')
const { compileSelector } = require('./lib/mango/selector/compile-selector')
const { compileSelectorInTurns } = require('./lib/mango/selector/match-in-turns')
const { compileFields } = require('./lib/mango/request/projection')
const { Turn } = require('@potoroo/document-store')
const { analyzer, comparator } = require('@potoroo/search')

module.exports = {
  AdaptiveIndexes,
  EmbeddedViews,
  JsonQuery,
  Mango,
  MergedFind,
  Searches,
  StoredMango,
  StoredSearches,
  StoredViews,
  Turn,
  Views,
  analyzer,
  checkDesign,
  comparator,
  compileFields,
  compileRule,
  compileSelector,
  compileSelectorInTurns,
  deleteSchema,
  designOfIndex,
  getSchema,
  hasAllRows,
  highProportion,
  liveFigures,
  liveFind,
  listSchemas,
  packBookmark,
  pickFields,
  putSchema,
  readSorts,
  unpackBookmark,
  unpackBookmarks
}
