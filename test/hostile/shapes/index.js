'use strict'

const fs = require('node:fs')

/** @type {import('../support/run-shape').Shape[]} */
const shapes = fs.readdirSync(__dirname).filter(name => name !== 'index.js').sort().map(name => require(`./${name}`))

module.exports = { shapes }
