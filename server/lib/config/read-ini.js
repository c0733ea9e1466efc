'use strict'

const fs = require('node:fs')
const { Ini, damageOfBytes } = require('./ini')

/** @param {string} file @throws where the file is damaged, with the number of the line */
function readIfThere (file) {
  let bytes
  try {
    bytes = fs.readFileSync(file)
  } catch (error) {
    if (error.code === 'ENOENT') return new Ini()
    throw error
  }
  const damage = damageOfBytes(bytes)
  if (damage !== null) throw damaged(file, damage)
  return new Ini(bytes.toString())
}

/** @param {string} file @param {string} damage */
function damaged (file, damage) {
  return Object.assign(new Error(`${file} is damaged: ${damage}. Mend it, or put back a copy of it`), { code: 'CONFIG_DAMAGED' })
}

module.exports = { damaged, readIfThere }
