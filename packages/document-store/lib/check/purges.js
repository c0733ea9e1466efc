'use strict'

const { guarded } = require('./guarded')

/**
 * @import { Scan } from './scan'
 */

/**
 * Checks each purge that is remembered.
 *
 * @param {Scan} scan
 */
async function * checkPurges (scan) {
  const { layout } = scan
  for await (const page of scan.entries(layout.range(layout.purges))) {
    for (const [key, text] of page) yield * guarded(`The purge at ${JSON.stringify(key)}`, checkPurge(scan, key, text))
  }
}

/** @param {Scan} scan @param {string} key @param {string} text */
async function * checkPurge (scan, key, text) {
  const { layout } = scan
  const seq = layout.purgeOf(key)
  if (layout.purge(seq) !== key) yield `The purge at ${JSON.stringify(key)} has no sequence`
  const [id, revs] = JSON.parse(text)
  if (typeof id !== 'string' || !Array.isArray(revs) || revs.length === 0) yield `The purge ${seq} is garbled`
  scan.lastPurge = Math.max(scan.lastPurge, seq)
}

module.exports = { checkPurges }
