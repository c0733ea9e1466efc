'use strict'

const { EmbeddedViews } = require('./lib/embedded/embedded-views')
const { checkDesign } = require('./lib/check-design')
const { Mango } = require('./lib/mango/mango')
const { Views } = require('./lib/views')
const { compileSelector } = require('./lib/mango/compile-selector')

module.exports = { EmbeddedViews, Mango, Views, checkDesign, compileSelector }
