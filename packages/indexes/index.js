'use strict'

const { AdaptiveIndexes } = require('./lib/adaptive/adaptive-indexes')
const { EmbeddedViews } = require('./lib/embedded/embedded-views')
const { checkDesign } = require('./lib/views/check-design')
const { Mango } = require('./lib/mango/mango')
const { Views } = require('./lib/views/views')
const { compileSelector } = require('./lib/mango/compile-selector')
const { compileSelectorInTurns } = require('./lib/mango/match-in-turns')
const { compileFields } = require('./lib/mango/projection')
const { Turn } = require('@potoroo/document-store')

module.exports = { AdaptiveIndexes, EmbeddedViews, Mango, Turn, Views, checkDesign, compileFields, compileSelector, compileSelectorInTurns }
