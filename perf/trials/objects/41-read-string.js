'use strict'

const { readProperty } = require('../../lib/objects/read-property')

module.exports = readProperty('read a short string', { most: 0.3 }, (objects, start, end) => {
  let sum = 0
  for (let index = start; index < end; index++) sum += objects[index].name.length
  return sum
})
