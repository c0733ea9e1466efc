'use strict'

const { EmbeddedViews } = require('./lib/embedded/embedded-views')
const { Mango } = require('./lib/mango')
const { Views } = require('./lib/views')
const { compileSelector } = require('./lib/selector')

module.exports = { EmbeddedViews, Mango, Views, compileSelector }
