'use strict'

const fs = require('node:fs')

/** The part of rimraf 2 that PouchDB's tests use. */
module.exports = { sync: (name) => fs.rmSync(name, { recursive: true, force: true }) }
