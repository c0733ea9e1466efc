'use strict'

const fs = require('node:fs')

/** Of rimraf 2, what PouchDB's tests use. */
module.exports = { sync: (name) => fs.rmSync(name, { recursive: true, force: true }) }
