'use strict'

const { faulty } = require('./native/build')

/** Gives the package the addon with the fault that PLANTED_FAULT names. To be called before it is loaded. */
function usePlantedFault () {
  if (Number(process.env.PLANTED_FAULT ?? 0) === 0) return
  const addon = require.resolve('../../build/Release/pmemobj.node')
  const module = { exports: {} }
  process.dlopen(module, faulty)
  require.cache[addon] = { id: addon, filename: addon, loaded: true, ...module }
}

module.exports = { usePlantedFault }
