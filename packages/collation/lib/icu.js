'use strict'

const path = require('node:path')
const { isMainThread } = require('node:worker_threads')
const { loadAddon } = require('@potoroo/addons')

/**
 * ICU's root collator, which CouchDB orders strings by: Node's own ICU, reached through the addon.
 *
 * @typedef {object} Icu
 * @property {string} libraryVersion `78.2`
 * @property {string} collatorVersion of the collator's data: `153.136`
 * @property {string} algorithmVersion of the Unicode Collation Algorithm: `17`
 * @property {(a: string, b: string) => number} compare
 * @property {(text: string) => string} sortKey a character a byte, of which the last is \0 and no other
 */

/** @returns {{ icu: Icu | null, reason: string }} null where the addon or what it looks for is not there */
function open () {
  const version = process.versions.icu
  if (version === undefined) return { icu: null, reason: 'this Node.js has no ICU' }
  try {
    const addon = loadAddon('collation', path.join(__dirname, '..'))
    // ICU's functions are named with its major version, where it was not built otherwise.
    const icu = addon.open(`_${version.split('.')[0]}`) ?? addon.open('') ?? null
    return { icu: isSane(icu) ? icu : null, reason: `ICU ${version} shows no collator` }
  } catch (error) {
    return { icu: null, reason: error.message }
  }
}

/** @param {Icu | null} icu */
function isSane (icu) {
  return icu !== null && icu.compare('a', 'A') < 0 && icu.compare('A', 'b') < 0 && icu.sortKey('a') < icu.sortKey('A')
}

const { icu, reason } = open()

let isTold = !isMainThread

/** Says once that strings are not in CouchDB's order, and why. */
function tellOfMissing () {
  if (isTold) return
  isTold = true
  process.emitWarning(`Strings in keys of views are ordered by code unit, and not as in CouchDB: ${reason}`, { code: 'POTOROO_NO_ICU' })
}

module.exports = { icu, tellOfMissing }
