'use strict'

const fs = require('node:fs')

/** One of a file, or several. @type {import('../support/run-shape').Shape[]} */
const shapes = fs.readdirSync(__dirname).filter(name => name !== 'index.js').sort().flatMap(name => require(`./${name}`))

module.exports = { shapes }
