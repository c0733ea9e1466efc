'use strict'

const { AdaptiveIndexes } = require('./lib/adaptive/adaptive-indexes')
const { EmbeddedViews } = require('./lib/embedded/embedded-views')
const { checkDesign } = require('./lib/views/check-design')
const { MergedFind, designOfIndex, highProportion } = require('./lib/mango/run/merged-find')
const { Mango } = require('./lib/mango/run/mango')
const { Views } = require('./lib/views/views')
const { compileSelector } = require('./lib/mango/selector/compile-selector')
const { compileSelectorInTurns } = require('./lib/mango/selector/match-in-turns')
const { compileFields } = require('./lib/mango/request/projection')
const { Turn } = require('@potoroo/document-store')

module.exports = { AdaptiveIndexes, EmbeddedViews, Mango, MergedFind, Turn, Views, checkDesign, designOfIndex, highProportion, compileFields, compileSelector, compileSelectorInTurns }
