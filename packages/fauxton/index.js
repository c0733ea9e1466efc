'use strict'

const path = require('node:path')

/** The release whose files these are. */
const version = '1.2.6'

/** The folder of the files: `index.html`, and what it loads. */
const folder = path.join(__dirname, 'build')

module.exports = { version, folder }
