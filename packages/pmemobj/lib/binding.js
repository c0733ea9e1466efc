'use strict'

const path = require('node:path')

// Not public: its functions take handles, and trust the classes beside this file.
const binding = require(path.join(__dirname, '../build/Release/pmemobj.node'))

// How the addon makes arrays: a call with the elements costs less than to set one after the other.
binding.setCollect((array, ...elements) => {
  if (array === undefined) return elements
  array.push(...elements)
  return array
})

module.exports = binding
