'use strict'

const { Mango } = require('./lib/mango')
const { Views } = require('./lib/views')
const { compileSelector } = require('./lib/selector')

module.exports = { Mango, Views, compileSelector }
