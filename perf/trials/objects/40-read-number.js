'use strict'

const { readProperty } = require('../../lib/objects/read-property')

module.exports = readProperty('read a number', { most: 0.15 }, (objects, start, end) => {
  let sum = 0
  for (let index = start; index < end; index++) sum += objects[index].visits
  return sum
})
