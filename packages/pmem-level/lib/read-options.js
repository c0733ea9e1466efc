'use strict'

const { PmemSnapshot } = require('./snapshot')

/**
 * @typedef {import('pmemobj').Encoding} Encoding
 * @typedef {{ keyEncoding: Encoding, valueEncoding: Encoding, snapshot?: object | null }} ReadOptions
 */

/** Options of reads from the latest commit, by encoding. @type {Partial<Record<string, Readonly<{ encoding: Encoding }>>>} */
const LATEST = {
  utf8: Object.freeze({ encoding: 'utf8' }),
  buffer: Object.freeze({ encoding: 'buffer' }),
  view: Object.freeze({ encoding: 'view' })
}

const NO_OPTIONS = Object.freeze({})

/**
 * Translates abstract-level's options of a read into pmemobj's.
 *
 * @param {ReadOptions} options
 * @param {Encoding} encoding
 */
function readOptions (options, encoding) {
  if (options.snapshot == null) return LATEST[encoding] ?? NO_OPTIONS
  return { encoding, snapshot: PmemSnapshot.inner(options.snapshot) }
}

/** @param {{ snapshot?: object | null }} options */
function hasOptions ({ snapshot }) {
  return snapshot == null ? undefined : { snapshot: PmemSnapshot.inner(snapshot) }
}

module.exports = { hasOptions, readOptions }
