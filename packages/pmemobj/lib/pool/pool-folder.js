'use strict'

const fs = require('node:fs')

/** A part of a pool: as the engine's PartPath has it. */
const PART = /^(\d{6}|[1-9]\d{6,17})\.pmem$/
const SET = /^pool\.set(\.draft|\.new)?$/

/** @param {string} folder whether a pool is in it, or was being made or destroyed */
function holdsPool (folder) {
  return fs.readdirSync(folder).some(name => SET.test(name) || PART.test(name))
}

/** @param {string} folder whose entries are to be durable */
function syncFolder (folder) {
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

module.exports = { PART, SET, holdsPool, syncFolder }
