'use strict'

/** In Node.js there is nothing to load: the adapter has its indexes. */
module.exports = {}
