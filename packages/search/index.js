'use strict'

const { analyzer, isAnalyzerName } = require('./lib/analyzers/analyzer')
const { find, findPages } = require('./lib/execution/find')
const { Work } = require('./lib/execution/work')
const { fieldTypes } = require('./lib/execution/field-types')
const { areKeys, comparator } = require('./lib/execution/order')
const { highlight, wantedTerms } = require('./lib/execution/highlight')
const { Dictionaries } = require('./lib/index/terms/dictionaries')
const { DocumentBuilder } = require('./lib/index/document-builder')
const { PARTITION, facetField, identify } = require('./lib/index/hidden-fields')
const { INDEX_LAYOUT } = require('./lib/index/layout')
const { IndexReader } = require('./lib/index/reader')
const { TermNumbers } = require('./lib/index/terms/numbers')
const { IndexWriter } = require('./lib/index/writer')
const { termMatcher } = require('./lib/patterns/term-matcher')
const { parseQuery } = require('./lib/query/parse')
const { buildStandard } = require('./lib/query/standard/build')
const { numberReader } = require('./lib/query/standard/number-format')
const { readStandard } = require('./lib/query/standard/syntax')
const { VectorIndex } = require('./lib/vectors/vector-index')

/** The file of a module that makes documents of what index functions give, in a thread of the query server. */
const functionEncoder = require.resolve('./lib/index/function-encoder')

module.exports = {
  Dictionaries,
  DocumentBuilder,
  INDEX_LAYOUT,
  IndexReader,
  IndexWriter,
  PARTITION,
  TermNumbers,
  VectorIndex,
  Work,
  analyzer,
  areKeys,
  buildStandard,
  comparator,
  facetField,
  fieldTypes,
  find,
  findPages,
  functionEncoder,
  highlight,
  identify,
  isAnalyzerName,
  numberReader,
  parseQuery,
  readStandard,
  termMatcher,
  wantedTerms
}
