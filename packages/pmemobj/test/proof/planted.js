'use strict'

const { faulty } = require('./native/build')

/** Where PLANTED_FAULT names a fault, the package gets the addon that has it. Before it is loaded. */
function usePlantedFault () {
  if (Number(process.env.PLANTED_FAULT ?? 0) === 0) return
  const addon = require.resolve('../../build/Release/pmemobj.node')
  const module = { exports: {} }
  process.dlopen(module, faulty)
  require.cache[addon] = { id: addon, filename: addon, loaded: true, ...module }
}

module.exports = { usePlantedFault }
