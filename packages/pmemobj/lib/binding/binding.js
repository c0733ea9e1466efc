'use strict'

const path = require('node:path')
const { loadAddon } = require('@potoroo/addons')

// Not public: its functions take handles, and trust the classes beside this file.
const binding = loadAddon('pmemobj', path.join(__dirname, '../..'))

// How the addon makes arrays: a call with the elements costs less than to set one after the other.
binding.setCollect((/** @type {any[] | undefined} */ array, /** @type {any[]} */ ...elements) => {
  if (array === undefined) return elements
  array.push(...elements)
  return array
})

// Node.js ends the process where Node-API is to detach an ArrayBuffer that was marked as untransferable,
// from version 22 on; JavaScript's own way throws then.
// @ts-ignore older types do not have it
const { transfer } = ArrayBuffer.prototype
const { apply } = Reflect
if (transfer !== undefined) binding.setDetach((/** @type {ArrayBuffer} */ buffer) => { apply(transfer, buffer, [0]) })

module.exports = binding
