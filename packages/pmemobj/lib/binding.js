'use strict'

const path = require('node:path')

// Not public: its functions take handles, and trust the classes beside this file.
module.exports = require(path.join(__dirname, '../build/Release/pmemobj.node'))
