'use strict'

const { compileSelector } = require('./lib/selector')

module.exports = { compileSelector }
