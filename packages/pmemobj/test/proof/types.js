'use strict'

/** Types that programs may hold beside ordered maps, see steps.js. */
module.exports = ['Object', 'Map', 'Set', 'Date', 'constants', 'bytes', 'maps', 'collect']
