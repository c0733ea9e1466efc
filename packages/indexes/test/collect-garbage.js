'use strict'

const v8 = require('node:v8')
const vm = require('node:vm')

v8.setFlagsFromString('--expose-gc')
/** Collects garbage now. */
const collectGarbage = vm.runInNewContext('gc')
// Realms that are made later, those of map functions among them, have no `gc`.
v8.setFlagsFromString('--no-expose-gc')

module.exports = { collectGarbage }
