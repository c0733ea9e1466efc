'use strict'

// Not public: its functions take handles, and trust the classes beside this file.
module.exports = require('../build/Release/pmemobj.node')
